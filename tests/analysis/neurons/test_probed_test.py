"""Tests of a run: names of neurons, those that can be ranked."""

import numpy as np
import pytest
import torch

from polyprobe.analysis.neurons.probed_test import NeuronSpace, usable_tests
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from tests.analysis.neurons.handmade_neurons import planted

SPACE = NeuronSpace(("embeddings", "layer_1", "layer_2"), (2, 3, 4))


def test_a_neuron_has_the_name_of_its_layer_and_its_number_there():
    assert [SPACE.name(neuron) for neuron in range(9)] == [
        "embeddings:0", "embeddings:1", "1:0", "1:1", "1:2", "2:0", "2:1", "2:2", "2:3",
    ]  # fmt: skip
    assert SPACE.layer_of.tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 2]


def test_every_name_leads_back_to_its_neuron():
    names = [SPACE.name(neuron) for neuron in range(SPACE.n_neurons)]
    assert SPACE.places(names, "show") == list(range(9))
    assert SPACE.places(["layer_2:3"], "show") == [8]


def test_a_neuron_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(BadValue, match="a neuron of layer_2: 0 to 3"):
        SPACE.places(["2:4"], "show")
    with pytest.raises(BadValue, match="such as embeddings:0"):
        SPACE.places(["412"], "show")
    with pytest.raises(
        UnknownChoice, match=r'show=embedding:1: layer "embedding" is unknown\. Did you mean embeddings'
    ):
        SPACE.places(["embedding:1"], "show")


def failed(probed, *places):
    weights = probed.weights.copy()
    weights[list(places)] = np.nan
    return weights


def test_seeds_whose_probe_failed_are_left_out():
    probed = planted(seeds=(1, 2, 3))
    (kept,) = usable_tests([planted(seeds=(1, 2, 3), weights=failed(probed, 0))])
    assert kept.seeds == (2, 3)
    assert kept.weights.tolist() == probed.weights[1:].tolist()
    assert len(kept.biases) == 2


def test_a_control_task_with_a_failed_probe_is_left_out():
    probed = planted(seeds=(1, 2))
    control = {"control_weights": failed(probed, 1), "control_biases": probed.biases}
    (kept,) = usable_tests([planted(seeds=(1, 2), **control)])
    assert kept.control_weights is None
    assert kept.seeds == (1, 2)


def test_the_control_task_keeps_the_seeds_of_the_test():
    probed = planted(seeds=(1, 2))
    control = {"control_weights": np.stack([np.ones((2, 12)), np.zeros((2, 12))]), "control_biases": probed.biases}
    (kept,) = usable_tests([planted(seeds=(1, 2), weights=failed(probed, 0), **control)])
    assert kept.control_weights.tolist() == [np.zeros((2, 12)).tolist()]


def test_a_test_of_one_label_is_left_out_and_named(capsys):
    ids = {split: torch.zeros_like(of_split) for split, of_split in planted().label_ids.items()}
    other = planted()
    name = other.test.__class__(**{**_fields(other.test), "name": "Other"})
    kept = usable_tests([planted(label_ids=ids), planted(test=name)])
    assert [one.test.name for one in kept] == ["Other"]
    assert capsys.readouterr().out == 'left out: Planted, its train items have one label ("a")\n'


def test_without_any_test_left_each_is_explained():
    probed = planted()
    with pytest.raises(PolyprobeError) as caught:
        usable_tests([planted(weights=failed(probed, 0), epoch=3)])
    assert str(caught.value) == (
        "Planted: all its probes of epoch 3 failed. Expected a test with at least two labels in train, and a probe "
        "that could be trained."
    )


def _fields(test):
    return {name: getattr(test, name) for name in ("name", "version", "labels", "train", "dev", "test")}
