import pytest

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.tokenised import tokeniser, words_and_signs, words_of_line


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's so.", ("It's", "so", ".")),
        ("“Oui”, dit-il…", ("“", "Oui", "”", ",", "dit", "-", "il", "…")),
        ("İstanbul’da 27,5", ("İstanbul’da", "27", ",", "5")),
        (" a\u00a0b ", ("a", "b")),
        ("\u200b", ("\u200b",)),
    ],
)
def test_running_text_is_cut_to_words_and_signs(text, words):
    assert words_and_signs(text) == words


@pytest.mark.parametrize(
    ("tokenised_by", "words"),
    [
        (
            "moses",
            ("Mr.", "Li", "'s", "cat", "-", "5,300", "(", "or", "so", ")", "."),
        ),
        ("blanks", ("Mr.", "Li's", "cat\u00a0-", "5,300", "(or", "so).")),
        ("words_and_signs", ("Mr", ".", "Li's", "cat", "-", "5", ",", "300", "(", "or", "so", ")", ".")),
    ],
)
def test_a_sentence_is_cut_in_the_manner_that_is_named(tokenised_by, words):
    assert tokeniser(tokenised_by, "en")("Mr. Li's cat\u00a0-  5,300 (or so).") == words


def test_an_apostrophe_belongs_to_the_word_that_the_language_says():
    assert tokeniser("moses", "fr")("l'eau de Li's") == ("l'", "eau", "de", "Li'", "s")
    assert tokeniser("moses", "fi")("l'eau") == ("l", "'", "eau")


@pytest.mark.parametrize("tokenised_by", ["moses", "blanks", "words_and_signs"])
@pytest.mark.parametrize(("line", "found"), [(b"\n", "the line is empty"), (b"  \n", "the line has no word")])
def test_a_line_without_a_word_is_malformed_in_every_manner(tokenised_by, line, found):
    with pytest.raises(MalformedLine, match=f"a, line 3: {found}"):
        words_of_line("a", 3, line, tokeniser(tokenised_by, "en"))
