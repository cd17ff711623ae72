import pytest

from polyprobe.errors import MalformedLine, UnknownChoice
from polyprobe.formats.reading.malformed import Skipped, refuse
from polyprobe.formats.texts.sentence_lines import (
    TargetedSentence,
    next_sentences,
    repeated_sentences,
)

CHAPTERS = "It rained .\nHe left .\n\nYears went .\n\n\nOn .\nAnd on .\nEnd .\n"


@pytest.fixture
def text(tmp_path):
    def written(content):
        (tmp_path / "novel.txt").write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / "novel.txt"

    return written


def pairs(sentences):
    return [(" ".join(one.words), " ".join(one.target), one.line) for one in sentences]


def test_nothing_is_next_across_an_empty_line(text):
    assert pairs(next_sentences(text(CHAPTERS), refuse, "blanks", "en", "empty_lines")) == [
        ("It rained .", "He left .", 1),
        ("On .", "And on .", 7),
        ("And on .", "End .", 8),
    ]


def test_nothing_is_next_across_a_line_that_is_left_out(text):
    path = text(b"a\nb\n\xff\nc\nd\n\n")
    assert pairs(next_sentences(path, Skipped(), "blanks", "en", "empty_lines")) == [("a", "b", 1), ("c", "d", 4)]


@pytest.mark.parametrize("content", [b"a\nb\nc\n", b"a\nb\xff\nc\n"], ids=["whole", "a line left out"])
def test_ordered_text_without_a_border_is_refused(text, content):
    expected = r"Expected an empty line at every border .*reader_options: \{borders: files\} says so"
    with pytest.raises(MalformedLine, match=rf"novel\.txt, line 3: the text ends after 3 lines in a row.*{expected}"):
        list(next_sentences(text(content), Skipped(), "blanks", "en", "empty_lines"))


def test_a_file_may_be_one_document_without_borders(text):
    assert pairs(next_sentences(text("a\nb\nc\n"), refuse, "blanks", "en", "files")) == [("a", "b", 1), ("b", "c", 2)]
    with pytest.raises(MalformedLine, match=r"novel\.txt, line 2: the line is empty"):
        list(next_sentences(text("a\n\nb\n"), refuse, "blanks", "en", "files"))


@pytest.mark.parametrize("read", [next_sentences, repeated_sentences])
def test_an_unknown_kind_of_border_is_refused(read, text):
    with pytest.raises(UnknownChoice, match=r'borders "file" is unknown\. Did you mean files\? Known: empty_lines'):
        list(read(text("a\n"), refuse, "blanks", "en", "file"))


def test_a_sentence_is_its_own_target(text):
    read = list(repeated_sentences(text("It's me.\n\nYes\n"), refuse, "moses", "en", "empty_lines"))
    words = ("It", "'s", "me", ".")
    assert read == [TargetedSentence(words, words, 1), TargetedSentence(("Yes",), ("Yes",), 3)]
