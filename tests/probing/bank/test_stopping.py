"""The stopping rules on scripted scores."""

from itertools import count

import pytest

from polyprobe.probing.bank.stopping import Evaluation, is_over
from tests.probing.probe_examples import spec_with


def evaluations_until_over(spec, accuracies=None, losses=None) -> int:
    """Counts the evaluations that a rule lets happen."""
    accuracies = accuracies or [0.5] * len(losses)
    losses = losses or [None] * len(accuracies)
    scores = [Evaluation(*one) for one in zip(count(1), accuracies, losses, strict=False)]
    return next(n for n in range(1, len(scores) + 1) if is_over(spec, scores[:n]))


def test_tenacity_counts_every_evaluation_without_gain_and_is_never_reset():
    accuracies = [0.1, 0.2, 0.2, 0.3, 0.1, 0.4, 0.4, 0.5, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8]
    spec = spec_with(stopping="tenacity_never_reset", patience=5)
    assert evaluations_until_over(spec, accuracies) == 13  # the sixth without gain, seven gains between


def test_patience_counts_evaluations_in_a_row():
    accuracies = [0.1, 0.2, 0.2, 0.3, 0.1, 0.3, 0.4, 0.4, 0.3, 0.4, 0.9]
    assert evaluations_until_over(spec_with(stopping="patience", patience=3), accuracies) == 10


@pytest.mark.parametrize(
    ("losses", "n_evaluations"),
    [
        ([0.7, 0.6, 0.61, 0.5], 3),
        ([0.6931, 0.6504, 0.6496, 0.5], 3),  # 0.650 is not below 0.650
        ([0.7, 0.6, 0.6, 0.1], 3),
    ],
)
def test_the_first_dev_loss_that_is_not_lower_after_rounding_ends_the_training(losses, n_evaluations):
    assert evaluations_until_over(spec_with(stopping="first_rise_of_dev_loss"), losses=losses) == n_evaluations
