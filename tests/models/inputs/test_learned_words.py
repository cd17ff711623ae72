"""Learned vectors of words, on words small enough to count by hand."""

import pytest
import torch

from polyprobe.errors import BadValue
from polyprobe.models.inputs.learned_words import LearnedWords
from polyprobe.models.inputs.vocabularies import WordVocabulary, character_ngrams

WORDS = ["Talo", "talo", "talot", "yö", "yö", "x"]


def vocabulary(least_word_count=2, ngram_lengths=(2, 3), least_ngram_words=2) -> WordVocabulary:
    return WordVocabulary.counted(WORDS, least_word_count, ngram_lengths, least_ngram_words)


def vectors(*words: str) -> torch.Tensor:
    known = vocabulary()
    reader = LearnedWords(list(known.words), list(known.ngrams), 4)
    reader.initialise(torch.Generator().manual_seed(1))
    batch = reader.coder.batch([reader.coder.numbers(words)])
    return reader(batch)[batch.input_of_cell]


def test_ngrams_are_windows_over_the_word_with_a_mark_at_either_end():
    assert character_ngrams("yö", [2, 4]) == ["^y", "yö", "ö$", "^yö$"]
    assert character_ngrams("y", [5]) == []


def test_words_are_counted_in_lower_case_and_ngrams_as_written_once_a_distinct_word():
    known = vocabulary()
    assert known.words == ("talo", "yö")  # both twice; talot and x once
    assert known.ngrams == ("al", "alo", "lo", "^t", "^ta", "lo$", "o$", "ta", "tal")


def test_the_rare_and_the_unseen_share_the_unknown_row():
    known = vocabulary()
    assert [known.word_row(word) for word in ("TALO", "yö", "talot", "unseen")] == [1, 2, 0, 0]


def test_unknown_words_differ_by_their_ngrams_and_without_any_are_all_one():
    first, second, third, fourth = vectors("kalo", "kalu", "bc", "de")
    assert (first - second).abs().max() > 1e-2
    torch.testing.assert_close(third, fourth)


def test_a_batch_without_any_known_ngram_has_vectors():
    assert vectors("bc").shape == (1, 4)


def test_a_capital_tells_two_spellings_of_a_word_apart():
    first, second, again = vectors("Talo", "talo", "Talo")
    assert (first - second).abs().max() > 1e-2
    torch.testing.assert_close(first, again)


def test_a_vector_is_the_row_of_the_word_plus_the_rows_of_its_ngrams():
    known = vocabulary()
    reader = LearnedWords(list(known.words), list(known.ngrams), 4)
    found = reader(reader.coder.batch([reader.coder.numbers(["kalo"])]))[0]
    expected = reader.words.weight[0] + reader.ngrams.weight[[0, 1, 2, 5, 6]].sum(0)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    "setting",
    [{"least_word_count": 0}, {"least_ngram_words": 0}, {"ngram_lengths": (3, 2)}, {"ngram_lengths": (2,)}],
)
def test_a_setting_that_makes_no_sense_is_refused_with_its_key(setting):
    with pytest.raises(BadValue, match=next(iter(setting))):
        vocabulary(**setting)
