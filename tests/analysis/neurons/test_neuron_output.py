"""What is written of a test with two seeds."""

from dataclasses import replace

import numpy as np

from polyprobe.analysis.neurons.ablations import full_point
from polyprobe.analysis.neurons.neuron_output import overlap_rows
from polyprobe.analysis.neurons.neuron_settings import NeuronSettings
from polyprobe.analysis.neurons.rankings import Ranking, ranking_of_weights
from polyprobe.analysis.neurons.studied_test import StudiedTest
from polyprobe.analysis.neurons.top_neurons import OF_RANKINGS, OF_SEEDS
from tests.analysis.neurons.handmade_neurons import planted
from tests.analysis.neurons.linear_spec import linear_spec


def two_seeds() -> StudiedTest:
    """Makes two rankings of twelve neurons; the second seed knows neurons 0 and 6, the first 6 and 9."""
    probed = planted(seeds=(1, 2))
    other = np.where(np.isin(np.arange(12), (0, 6)), 2, 0.01).astype(np.float32)
    probed = replace(probed, weights=np.stack([probed.weights[0], np.stack([-other, other])]))
    by_weights = ranking_of_weights(probed)
    rankings = [by_weights, Ranking("probeless", np.arange(12), None)]
    settings = NeuronSettings(
        rankings=("weights", "probeless"),
        scale="none",
        top_share=1 / 6,
        shares=(0.5,),
        epochs=None,
        tolerance=0.01,
        gaussian_neurons=5,
        shown_neurons=1,
        shown_items=1,
        show=(),
        accelerator=None,
    )
    full = full_point(probed)
    return StudiedTest(settings, probed, None, linear_spec(), rankings, by_weights, True, full, None)


def test_rankings_and_seeds_are_compared_by_as_many_neurons_as_are_top_ones():
    rows = [(row.of, row.test, row.first, row.second, row.n, row.share) for row in overlap_rows([two_seeds()])]
    assert rows == [
        (OF_RANKINGS, "Planted", "weights", "probeless", 2, 0),
        (OF_SEEDS, "Planted", "seed 1", "seed 2", 2, 0.5),
    ]
