"""Words by how often they occur in train, worked out by hand."""

import math

import pytest

from polyprobe.models.baselines.trivial import Unigrams
from polyprobe.models.batches.text_vocabulary import TextVocabulary
from tests.models.small_texts import sentence


def test_words_are_predicted_by_their_counts_of_train_and_one_more():
    # The vocabulary: unknown 0 + 1, end 2 + 1, a 3 + 1, b 1 + 1, of 10 in all.
    baseline = Unigrams.counted([sentence("a a b"), sentence("a")], TextVocabulary(["a", "b"]))
    all_words, known_words = baseline.scores([sentence("a z")])
    known = -(math.log(4 / 10) + math.log(3 / 10))
    assert (all_words.metric, all_words.n) == ("perplexity", 3)
    assert all_words.value == pytest.approx(math.exp((known - math.log(1 / 10)) / 3))
    assert (known_words.metric, known_words.n) == ("perplexity_of_known_words", 2)
    assert known_words.value == pytest.approx(math.exp(known / 2))
    assert baseline.scores([]) == []
