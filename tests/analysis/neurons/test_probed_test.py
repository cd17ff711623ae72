"""Neurons at a scale of their own."""

import numpy as np
import torch

from src.analysis.neurons.probed_test import in_deviations
from src.analysis.neurons.rankings import ranking_of_weights
from tests.analysis.neurons.handmade_neurons import PLANTED, planted

SMALL, CONSTANT = 3, 0  # neurons that know nothing


def stretched():
    """Returns the planted test, where the neuron 0:3 is a thousandth as large and weighs 5, and 0:0 is always 5."""
    probed = planted()
    vectors, weights = probed.vectors.clone(), probed.weights.copy()
    vectors[:, SMALL] /= 1000
    vectors[:, CONSTANT] = 5
    weights[:, :, SMALL] *= 500
    return planted(vectors=vectors, weights=weights, control_weights=weights)


def test_neurons_have_deviation_1_over_train_and_constant_ones_stay():
    probed, scaled = stretched(), in_deviations(stretched())
    deviations = scaled.vectors[scaled.rows["train"]].numpy().std(axis=0)
    assert np.allclose(np.delete(deviations, CONSTANT), 1, atol=1e-5)
    assert (scaled.vectors[:, CONSTANT] == 5).all()
    assert np.array_equal(scaled.weights[..., CONSTANT], probed.weights[..., CONSTANT])


def test_probes_score_as_they_did():
    probed, scaled = stretched(), in_deviations(stretched())
    for split, rows in probed.rows.items():
        before = probed.vectors[rows] @ torch.from_numpy(probed.weights[0]).T
        after = scaled.vectors[scaled.rows[split]] @ torch.from_numpy(scaled.weights[0]).T
        assert torch.allclose(before, after, rtol=1e-4, atol=1e-3)
    assert np.array_equal(scaled.weights, scaled.control_weights)


def test_a_large_weight_on_small_activations_puts_no_neuron_first():
    probed, scaled = (
        ranking_of_weights(one.weights[0], one.train_labels) for one in (stretched(), in_deviations(stretched()))
    )
    assert probed.order[0] == SMALL
    assert set(scaled.order[:2].tolist()) == set(PLANTED)
