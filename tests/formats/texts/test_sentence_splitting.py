import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.generation.text_corpora.gathered_text import sentence_splitter

SENTENCES = [
    ("en", "It rained. He left! Why? No one… Knows."),
    ("en", 'He said "No." | She left.'),
    ("en", "It is (I think.) | True."),
    ("en", "Mr. Smith met J. Doe of the U.S. Army."),
    ("en", "See No. 5 there. | No. | He left."),
    ("en", "It cost 5. | Then it cost 6."),
    ("en", "It is e.g. this. | 1848 was a year."),
    ("de", "Am 3. Mai 1848. | Das war z.B. so. | Dr. Maier kam am 12. August."),
    ("tr", "Bu 19. yüzyıldı. | Sonra 1999'da oldu."),
    ("ru", "Это 2015 г. в Москве. | «Да!» | — Нет."),
    ("he", "זה כלב. | זה חתול."),
    ("fr", "Il pleut... il part. | Non !"),
]


@pytest.mark.parametrize(("language", "text"), SENTENCES)
def test_a_passage_is_cut_where_a_reader_would(language, text):
    expected = text.split(" | ") if "|" in text else None
    if text.startswith("It rained"):
        expected = ["It rained.", "He left!", "Why?", "No one…", "Knows."]
    found = sentence_splitter(language)(text.replace("| ", ""))
    assert found == (expected or [text])


@given(st.text("aB.!? \n\t"))
def test_no_word_is_lost(text):
    assert " ".join(sentence_splitter("en")(text)).split() == text.split()
