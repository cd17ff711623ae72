"""Selections and rankings of neurons beside what the released NeuroX functions returned (`neuron_cases`)."""

import json

import numpy as np
import pytest
import torch

from polyprobe.analysis.neurons.ablations import predicted_from_first
from polyprobe.metrics.classification import accuracy
from polyprobe.metrics.neurons import (
    average_precisions,
    bottom_neurons,
    granular,
    hard_threshold,
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


@pytest.mark.parametrize(("name", "select"), [("top_neurons", top_neurons), ("bottom_neurons", bottom_neurons)])
def test_the_same_neurons_hold_each_share_of_the_mass(case, name, select):
    weights, of_shares = weights_of(case), expected_of(case)[name]
    assert [float(share) for share in of_shares] == [0, 0.01, 0.1, 0.2, 0.25, 0.5, 0.9, 1]
    for share, expected in of_shares.items():
        found = select(weights, float(share))
        assert_same_weights(weights, found, by_class(expected))
        if case.name != "ties":  # there an unstable sort decides which of equal weights is selected
            assert each_sorted(found) == each_sorted(by_class(expected))
            assert union(found).tolist() == expected["union_sorted"]


def test_weights_read_as_float64_select_the_same(case):
    weights = weights_of(case)
    assert top_neurons(weights.astype(np.float64), 0.9) == top_neurons(weights, 0.9)


def test_the_same_neurons_are_above_each_threshold(case):
    for factor, expected in expected_of(case)["hard_threshold"].items():
        found = hard_threshold(weights_of(case), float(factor))
        assert found == by_class(expected)
        assert union(found).tolist() == expected["union_sorted"]


@pytest.mark.parametrize("stride", [10, 100])
def test_each_step_adds_the_same_neurons(case, stride):
    expected, weights = expected_of(case)[f"ordering_stride_{stride}"], weights_of(case)
    found = ordering(weights, stride)
    assert sorted(found.order.tolist()) == list(range(weights.shape[1]))
    assert (found.cutoffs[-1] == weights.shape[1]) == expected["covers_all"]
    if case.name != "ties":
        assert found.cutoffs.tolist() == expected["cutoffs"]
        assert blocks(found)[: stride + 1] == expected["blocks_sorted_inside"]


def test_each_grain_adds_the_same_neurons(case):
    expected = expected_of(case)["ordering_granular"]
    found = granular(weights_of(case), expected["granularity"], 100)
    if "error" in expected:  # an IndexError: 17 of the 30 neurons are ever selected, so there is no grain of 20
        steps = expected_of(case)["ordering_stride_100"]["cutoffs"]
        assert found.cutoffs.tolist() == [min(n for n in steps if n >= wanted) for wanted in (0, 5, 10, 15)]
    elif case.name != "ties":
        assert found.cutoffs.tolist() == expected["cutoffs"]
        assert blocks(found)[: len(found.cutoffs)] == expected["blocks_sorted_inside"]


def blocks(found):
    return [sorted(block.tolist()) for block in np.split(found.order, found.cutoffs)]


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
    top, bottom = (union(select(weights, 0.2)) for select in (top_neurons, bottom_neurons))

    def accuracy_of(kept):
        (predicted,) = predicted_from_first(torch.from_numpy(vectors), weights, np.zeros(3), kept, [len(kept)])
        return accuracy(label_ids, predicted)

    assert accuracy_of(np.arange(20)) == expected["all"]
    assert accuracy_of(top) == expected["keep_top_mass_0.2"]
    assert accuracy_of(np.delete(np.arange(20), top)) == expected["remove_top_mass_0.2"]
    assert accuracy_of(bottom) == expected["keep_bottom_mass_0.2"]
