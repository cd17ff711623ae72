"""Perplexity from sums: over all words, and without those that the vocabulary lacks."""

import math

import numpy as np
import pytest
import torch

from polyprobe.metrics.perplexity import SurpriseSum, perplexity, perplexity_scores, surprise_of


def test_batches_add_up_and_unknown_words_are_counted_apart():
    total = SurpriseSum()
    total.update(torch.tensor([1.0, 2.0]), torch.tensor([False, True]))
    total.update(torch.tensor([3.0]), torch.tensor([False]))
    total.update(torch.empty(0), torch.empty(0, dtype=torch.bool))
    whole, known = perplexity_scores(total.compute())
    assert (whole.value, whole.n) == (pytest.approx(math.exp(2)), 3)
    assert (known.value, known.n) == (pytest.approx(math.exp(2)), 2)
    apart = surprise_of(np.array([1, 2, 3], dtype=np.float32), np.array([False, True, False]))
    assert apart == total.compute()


def test_a_uniform_model_has_as_many_choices_as_words():
    total = SurpriseSum()
    total.update(torch.full((5,), math.log(7)), torch.zeros(5, dtype=torch.bool))
    assert perplexity_scores(total.compute())[0].value == pytest.approx(7)


def test_a_surprisal_too_large_for_a_number_is_infinite():
    assert perplexity(1e4) == math.inf
