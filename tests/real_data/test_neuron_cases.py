"""Selections and rankings of neurons beside what the released NeuroX functions returned (`neuron_cases`)."""

import json

import numpy as np
import pytest
import torch

from polyprobe.analysis.neurons.ablations import predicted_from_first
from polyprobe.metrics.classification import accuracy
from polyprobe.metrics.neurons import (
    average_precisions,
    ordering,
    probeless,
    ranked,
    top_neurons,
    union,
)

pytestmark = pytest.mark.real_data

CASES = ("binary", "four_classes", "sparse", "ties", "with_activations", "zero_class")


@pytest.fixture(params=CASES)
def case(request, data_folder):
    return data_folder / "neuron_cases" / request.param


def weights_of(case):
    return np.loadtxt(case / "weights.csv", delimiter=",", dtype=np.float32, ndmin=2)


def expected_of(case):
    return json.loads((case / "expected.json").read_text())


def by_class(expected):
    return [expected["per_class"][f"class{label}"] for label in range(len(expected["per_class"]))]


def assert_same_weights(weights, found, expected):
    for row, here, there in zip(np.abs(weights), found, expected, strict=True):
        assert row[here].tolist() == row[there].tolist()


def each_sorted(selected):
    return [sorted(row) for row in selected]


def test_the_same_neurons_hold_each_share_of_the_mass(case):
    weights, of_shares = weights_of(case), expected_of(case)["top_neurons"]
    assert [float(share) for share in of_shares] == [0, 0.01, 0.1, 0.2, 0.25, 0.5, 0.9, 1]
    for share, expected in of_shares.items():
        found = top_neurons(weights, float(share))
        assert_same_weights(weights, found, by_class(expected))
        if case.name != "ties":  # there an unstable sort decides which of equal weights is selected
            assert each_sorted(found) == each_sorted(by_class(expected))
            assert union(found).tolist() == expected["union_sorted"]


def test_weights_read_as_float64_select_the_same(case):
    weights = weights_of(case)
    assert top_neurons(weights.astype(np.float64), 0.9) == top_neurons(weights, 0.9)


@pytest.mark.parametrize("stride", [10, 100])
def test_each_step_adds_the_same_neurons(case, stride):
    expected, weights = expected_of(case)[f"ordering_stride_{stride}"], weights_of(case)
    found = ordering(weights, stride)
    assert sorted(found.tolist()) == list(range(weights.shape[1]))
    if case.name != "ties":
        blocks = [sorted(block.tolist()) for block in np.split(found, expected["cutoffs"])]
        assert blocks[: stride + 1] == expected["blocks_sorted_inside"]


@pytest.mark.parametrize("name", ["four_classes", "sparse", "with_activations"])
def test_layers_have_as_many_top_neurons(data_folder, name):
    case = data_folder / "neuron_cases" / name
    layers = expected_of(case)["layers"]
    layer_of = union(top_neurons(weights_of(case), 0.2)) // layers["neurons_per_layer"]
    assert np.bincount(layer_of, minlength=layers["count"]).tolist() == layers["top_mass_0.2_neurons_per_layer"]


@pytest.fixture
def activations(data_folder):
    case = data_folder / "neuron_cases/with_activations"
    vectors = np.loadtxt(case / "x.csv", delimiter=",", dtype=np.float32)
    return case, vectors, np.loadtxt(case / "y.csv", dtype=np.int64)


def test_probeless_ranks_alike(activations):
    case, vectors, label_ids = activations
    expected, (scores, by_label) = expected_of(case)["probeless"], probeless(vectors, label_ids, 3)
    assert ranked(scores).tolist() == expected["ordering"] == expected["ordering_sum_over_labels"]
    assert [ranked(one).tolist() for one in by_label] == by_class(expected)


def test_average_precisions_rank_alike(activations):
    case, vectors, label_ids = activations
    expected = expected_of(case)["iou"]["class1_versus_rest_ordering"]
    _, by_label = average_precisions(vectors, label_ids, 3)
    assert ranked(by_label[1]).tolist() == expected


def test_zeroed_neurons_cost_as_much_accuracy(activations):
    case, vectors, label_ids = activations
    weights, expected = weights_of(case), expected_of(case)["ablation_accuracy_bias_zero"]
    top = union(top_neurons(weights, 0.2))

    def accuracy_of(kept):
        (predicted,) = predicted_from_first(torch.from_numpy(vectors), weights, np.zeros(3), kept, [len(kept)])
        return accuracy(label_ids, predicted)

    assert accuracy_of(np.arange(20)) == expected["all"]
    assert accuracy_of(top) == expected["keep_top_mass_0.2"]
    assert accuracy_of(np.delete(np.arange(20), top)) == expected["remove_top_mass_0.2"]
