"""The n-gram model: probabilities that sum to one, and numbers worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.models.baselines.ngram_lm import USUAL_DISCOUNTS, NgramModel

N_WORDS = 6
END = 1
WORDS = st.lists(st.sampled_from([0, 2, 3, 4, 5]), max_size=6)


def text(*sentences):
    return [np.array([*words, END]) for words in sentences]


@given(st.lists(WORDS, min_size=1, max_size=30), WORDS, st.integers(1, 5))
def test_the_probabilities_of_all_words_sum_to_one_after_any_words(sentences, before, order):
    model = NgramModel.counted(text(*sentences), N_WORDS, order)
    found = [model.log_probabilities([np.array([*before, word])])[0][-1] for word in range(N_WORDS)]
    assert np.isfinite(found).all()
    assert np.exp(found).sum() == pytest.approx(1, abs=1e-12)


def test_words_alone_count_as_they_occur_and_share_what_is_discounted():
    model = NgramModel.counted(text([2, 2, 2, 3]), N_WORDS, 1)
    one, _, three = USUAL_DISCOUNTS
    left = (three + 2 * one) / 5
    (found,) = model.log_probabilities(text([2, 3, 4]))
    expected = [(3 - three) / 5, (1 - one) / 5, 0, (1 - one) / 5]
    assert np.exp(found).tolist() == pytest.approx([value + left / N_WORDS for value in expected])


def test_a_shorter_ngram_counts_the_different_words_before_it():
    # 3 occurs three times, always after 2; 4 once after 2 and once after 5. Types before: 2: <s>; 3: 2; 4: 2 and 5;
    # 5: <s>; the end: 3 and 4. Seven in all.
    model = NgramModel.counted(text([2, 3], [2, 3], [2, 3], [2, 4], [5, 4]), N_WORDS, 2)
    one, two, three = USUAL_DISCOUNTS
    left = (3 * one + 2 * two) / 7
    shorter = {3: (1 - one) / 7 + left / N_WORDS, 4: (2 - two) / 7 + left / N_WORDS}
    (found,) = model.log_probabilities(text([2, 3]))
    assert np.exp(found[1]) == pytest.approx((3 - three) / 4 + (three + one) / 4 * shorter[3])
    (found,) = model.log_probabilities(text([0, 4]))
    assert np.exp(found[1]) == pytest.approx(shorter[4])


def test_a_sentence_has_the_same_probabilities_alone_and_in_company():
    model = NgramModel.counted(text([2, 3, 4], [3, 4, 5, 2], [2, 3, 5]), N_WORDS, 4)
    sentences = text([2, 3, 5], [], [4, 4, 3, 2, 0])
    for one, found in zip(sentences, model.log_probabilities(sentences), strict=True):
        np.testing.assert_array_equal(model.log_probabilities([one])[0], found)
    assert model.log_probabilities([]) == []
