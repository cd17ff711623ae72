"""Scores of a Gaussian probe, against densities of scipy and by hand."""

import numpy as np
import pytest

from polyprobe.metrics.gaussian_neurons import COVARIANCES, LabelledVectors, gaussian_scores
from tests.metrics.plain_gaussians import examples, information, log_posteriors


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_held_out_examples_are_scored_after_each_neuron(covariance):
    everything = examples(9, 200, 7, 3)
    train, test = (
        LabelledVectors(everything.vectors[part], everything.label_ids[part]) for part in (slice(80), slice(80, 200))
    )
    order = np.array([5, 0, 3])
    bits, accuracy = gaussian_scores(train, test, 3, order, covariance)
    for step in range(3):
        chosen = list(order[: step + 1])
        assert bits[step] == pytest.approx(information(train, test, 3, chosen, covariance), abs=1e-9)
        predictions = log_posteriors(train, test, 3, chosen, covariance).argmax(axis=0)
        assert accuracy[step] == (predictions == test.label_ids).mean()


@pytest.mark.parametrize(("covariance", "slope"), [("posterior_mean", 4), ("released", 32 / 3)])
def test_a_neuron_tells_what_bayes_rule_says(covariance, slope):
    # Means -2 and 2, scatter 2 of n = 2 items: variance (2 + 2 / 2) / (2 + 1) = 1, or 3 / (2 + 2 + 4) = 3/8. The log
    # odds of the second label at x are 4 x / variance.
    train = LabelledVectors(np.array([[-3], [-1], [1], [3]], np.float32), np.array([0, 0, 1, 1]))
    bits, accuracy = gaussian_scores(train, train, 2, np.array([0]), covariance)
    expected = 1 - (np.log2(1 + np.exp(-slope)) + np.log2(1 + np.exp(-3 * slope))) / 2
    assert bits == pytest.approx([expected], rel=1e-12)
    assert accuracy == [1]


def test_information_is_negative_where_the_probe_is_sure_of_the_wrong_label():
    train = LabelledVectors(np.array([[-3], [-1], [1], [3]], np.float32), np.array([0, 0, 1, 1]))
    turned = LabelledVectors(train.vectors, np.array([1, 1, 0, 0]))
    bits, accuracy = gaussian_scores(train, turned, 2, np.array([0]))
    # The odds of the item's own label are e to the -4 and the -12.
    assert bits == pytest.approx([1 - (np.log2(1 + np.exp(4)) + np.log2(1 + np.exp(12))) / 2])
    assert accuracy == [0]
