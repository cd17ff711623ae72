"""The probe over neurons: its grid of elastic nets, what chooses among the cells, and what is held of them."""

import gc
import weakref
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
import torch

from polyprobe.errors import PolyprobeError
from polyprobe.metrics.neurons import ordering
from polyprobe.models.layers.probe_spec import ElasticNet
from polyprobe.named import built
from polyprobe.probing.bank.cell_search import CellSearch, SearchedCell
from polyprobe.probing.bank.jobs import ProbeData
from polyprobe.probing.probes.neurons import NeuronProbe
from polyprobe.runs.names.conf_folders import choice_settings
from tests.probing.probe_examples import random_data, trained

SETTINGS = {
    "l1": [0.0, 0.01, 0.1],
    "l2": [0.0, 0.03],
    "penalty": "squared",
    "lambda_by": "ablation",
    "ablated_share": 0.2,
    "ablation_weight": 0.5,
    "accuracy_weight": 0.5,
    "order": "shuffled",
    "learning_rate": 0.01,
    "adam_betas": (0.9, 0.999),
    "adam_epsilon": 1e-8,
    "loss_weights": "none",
    "batch_size": 16,
    "max_epochs": 5,
}
BEYOND_FLOAT32 = 1e39  # becomes infinite there


def probe_with(**changes) -> NeuronProbe:
    return NeuronProbe(**{**SETTINGS, **changes})


def outcome_of(probe: NeuronProbe, data: ProbeData, chunk_size: int = 8):
    jobs = probe.jobs(data, 1, "neurons")
    return probe.outcome(jobs, trained(jobs, chunk_size))


def two_neurons_tell(n_labels: int = 2, width: int = 20, n_train: int = 300) -> ProbeData:
    """Neurons 3 and 11 tell the label, all others are noise."""
    generator = torch.Generator().manual_seed(n_labels)
    labels = torch.randint(n_labels, (n_train + 100,), generator=generator)
    vectors = torch.randn(len(labels), width, generator=generator)
    angles = 2 * torch.pi * (labels + 0.3) / n_labels
    vectors[:, 3], vectors[:, 11] = 4 * angles.cos(), 4 * angles.sin()
    rows = torch.arange(len(labels))[:, None]
    sizes = (n_train, 60, 40)
    return ProbeData(vectors, *rows.split(sizes), *labels.split(sizes), n_labels)


@pytest.mark.parametrize("penalty", ["squared", "released"])
@pytest.mark.parametrize("n_labels", [2, 3, 6])
def test_what_two_neurons_tell_is_learnt_and_they_weigh_most(penalty, n_labels):
    data = two_neurons_tell(n_labels)
    outcome = outcome_of(probe_with(penalty=penalty, l1=0.01, l2=0.001, max_epochs=30), data)
    np.testing.assert_array_equal(outcome.test_predictions, data.test_labels.numpy())
    assert set(np.argsort(-np.abs(outcome.weights).max(0))[:2]) == {3, 11}


def test_weights_and_biases_make_the_predictions():
    data = random_data(3, width=33, n_labels=5)
    outcome = outcome_of(probe_with(), data)
    inputs = data.vectors[data.test_rows[:, 0]].numpy()
    assert outcome.weights.shape == (5, 33)
    scores = inputs @ outcome.weights.T + outcome.biases
    np.testing.assert_array_equal(outcome.test_predictions, scores.argmax(1))


@pytest.fixture(scope="module")
def accuracies_by_brute_force() -> list[list[float]]:
    """Trains every cell alone on what is hard to tell and zeroes columns in numpy; without a score."""
    data = hard_to_tell()
    inputs, gold = data.vectors[data.dev_rows[:, 0]].numpy(), data.dev_labels.numpy()
    found = []
    for spec in probe_with().specs:
        alone = outcome_of(probe_with(l1=spec.elastic_net.l1, l2=spec.elastic_net.l2), data)
        order, n_kept = ordering(alone.weights, 100), round(0.2 * alone.weights.shape[1])
        accuracies = []
        for kept in (order, order[:n_kept], order[-n_kept:]):
            scores = inputs[:, kept] @ alone.weights[:, kept].T + alone.biases
            accuracies.append((scores.argmax(1) == gold).mean())
        found.append([spec.elastic_net.l1, spec.elastic_net.l2, *accuracies])
    return found


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (1.0, 0.0), (0.1, 0.9)])
@pytest.mark.parametrize("chunk_size", [1, 8])
def test_the_cell_is_the_one_that_brute_force_finds(a, b, chunk_size, accuracies_by_brute_force):
    data = hard_to_tell()
    probe = probe_with(ablation_weight=a, accuracy_weight=b)
    outcome, plain = outcome_of(probe, data, chunk_size), accuracies_by_brute_force[0][2]
    expected = [[*row, a * (row[3] - row[4]) - b * (plain - row[2])] for row in accuracies_by_brute_force]
    np.testing.assert_allclose(outcome.searched, expected, atol=1e-12)
    scores = [round(row[5], 12) for row in expected]
    best = scores.index(max(scores))
    assert outcome.cell == f"l1={expected[best][0]:g} l2={expected[best][1]:g}"
    assert outcome.dev_accuracy == expected[best][2]
    alone = outcome_of(probe_with(l1=expected[best][0], l2=expected[best][1]), data)
    np.testing.assert_array_equal(outcome.weights, alone.weights)
    np.testing.assert_array_equal(outcome.biases, alone.biases)


def test_labels_that_train_lacks_rank_no_neurons():
    data = hard_to_tell()
    more = replace(data, n_labels=5, dev_labels=data.dev_labels.clone())
    more.dev_labels[:3] = torch.tensor([3, 4, 3])
    outcome = outcome_of(probe_with(l1=0.01, l2=0.03), more)
    inputs, gold = more.vectors[more.dev_rows[:, 0]].numpy(), more.dev_labels.numpy()
    order = ordering(outcome.weights[:3], 100)
    right = [
        (inputs[:, kept] @ outcome.weights[:, kept].T + outcome.biases).argmax(1) == gold
        for kept in (order[:8], order[-8:])
    ]
    assert outcome.searched[0, 3:5].tolist() == [one.mean() for one in right]


def hard_to_tell() -> ProbeData:
    """Three labels, which noisy neurons tell more or less well: cells differ in every column."""
    generator = torch.Generator().manual_seed(8)
    labels = torch.randint(3, (500,), generator=generator)
    vectors = torch.randn(500, 40, generator=generator)
    vectors += torch.nn.functional.one_hot(labels, 3).float() @ torch.randn(3, 40, generator=generator) * 0.3
    rows = torch.arange(500)[:, None]
    return ProbeData(vectors, *rows.split([200, 200, 100]), *labels.split([200, 200, 100]), 3)


def test_by_dev_the_best_dev_accuracy_counts_and_of_equals_the_first():
    outcome = outcome_of(probe_with(lambda_by="dev"), hard_to_tell())
    np.testing.assert_array_equal(outcome.searched[:, 5], outcome.searched[:, 2])
    assert outcome.dev_accuracy == outcome.searched[:, 2].max()
    first = outcome.searched[outcome.searched[:, 2].argmax()]
    assert outcome.cell == f"l1={first[0]:g} l2={first[1]:g}"


def test_without_a_plain_cell_the_best_accuracy_stands_for_it_and_the_choice_is_the_same():
    data = hard_to_tell()
    whole = outcome_of(probe_with(), data)
    outcome = outcome_of(probe_with(l1=[0.01, 0.1], l2=[0.03, 0.0]), data)
    _, _, accuracy, top, bottom, score = outcome.searched.T
    np.testing.assert_allclose(score, 0.5 * (top - bottom) - 0.5 * (accuracy.max() - accuracy), atol=1e-12)
    same_cells = whole.searched[[3, 2, 5, 4]]
    np.testing.assert_array_equal(outcome.searched[:, :5], same_cells[:, :5])
    assert score.argmax() == same_cells[:, 5].argmax()


def test_a_cell_that_fails_is_left_out_and_all_failed_is_a_failure():
    data = random_data(1, width=16)
    outcome = outcome_of(probe_with(l1=[BEYOND_FLOAT32, 0.01], l2=0.0), data)
    assert outcome.cell == "l1=0.01 l2=0"
    assert np.isnan(outcome.searched[0, 2:]).all()
    assert np.isfinite(outcome.searched[1]).all()
    assert outcome_of(probe_with(l1=BEYOND_FLOAT32), data).failed == "neurons: the loss is not a number in epoch 1"


def test_a_single_cell_has_no_name():
    assert outcome_of(probe_with(l1=0.1, l2=0.1), random_data(1)).cell is None


class Watching(CellSearch):
    """A search that knows which weights it was given are still held by anybody."""

    given: ClassVar[list[weakref.ref]] = []

    def take(self, place, scores, weights, biases):
        assert weights.base is None  # a view would hold what it is a view of
        self.given.append(weakref.ref(weights))
        super().take(place, scores, weights, biases)
        assert sum(one() is not None for one in self.given) <= 2  # the best so far, and the one just given


def test_the_weights_of_one_cell_are_held_whatever_the_number_of_cells():
    lambdas = [0.0, 0.1, 0.01, 0.001]
    jobs = probe_with(l1=lambdas, l2=lambdas, max_epochs=1).jobs(random_data(1, width=16), 1, "held")
    search = Watching(0.2, lambda scores: scores.whole)
    outcomes = trained([replace(job, cell=SearchedCell(search, place)) for place, job in enumerate(jobs)])
    assert len(search.given) == len(outcomes) == 16
    gc.collect()
    assert [one() is not None for one in search.given].count(True) == 1
    assert all(outcome.weights.size == 0 for outcome in outcomes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"l1": []}, r"probe.l1 must be a value or a list of values, got \[\]."),
        ({"l2": [0.1, -1]}, "probe.l2 must be a number of at least 0, got -1."),
        ({"lambda_by": "ablations"}, 'probe.lambda_by "ablations" is unknown. Did you mean ablation?'),
        ({"ablated_share": 0.6}, "probe.ablated_share must be at most 0.5, got 0.6."),
    ],
)
def test_a_value_out_of_range_is_refused_by_its_key(changes, message):
    with pytest.raises(PolyprobeError, match=message):
        probe_with(**changes)


def test_the_choice_is_a_grid_of_64_cells_over_all_layers():
    probe = built(choice_settings("probe", "neurons"), "probe")
    assert probe.over_all_layers
    assert probe.n_probes == 64
    assert probe.specs[0].elastic_net == ElasticNet(l1=0, l2=0, penalty="squared")
