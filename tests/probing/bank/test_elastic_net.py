"""Linear probes with an elastic net: against autograd, against scikit-learn, and alone as in company."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from polyprobe.errors import PolyprobeError
from polyprobe.models.layers.probe_spec import ElasticNet, ProbeSpec
from polyprobe.models.layers.score_columns import Columns, ElasticNetSlope
from polyprobe.probing.bank.cell_search import CellScores, CellSearch, SearchedCell
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob
from tests.probing.plain_probe import PlainProbe, plain_training
from tests.probing.probe_examples import random_data, spec_with, trained

LINEAR = {"hidden_size": None, "dropout": 0.0, "gradient_clamp": None, "stopping": "none"}
LINEAR |= {"kept_weights": "last_as_it_is", "max_epochs": 3, "epochs_per_evaluation": 3, "learning_rate": 0.001}
PENALTIES = ["squared", "released"]
BEYOND_FLOAT32 = 1e39  # becomes infinite there


def netted(l1: float, l2: float, penalty: str, **changes) -> ProbeSpec:
    return spec_with(**{**LINEAR, **changes}, elastic_net=ElasticNet(l1=l1, l2=l2, penalty=penalty))


def watched(job: ProbeJob) -> ProbeJob:
    """The same probe, with a search of its own that takes its weights."""
    return replace(job, cell=SearchedCell(CellSearch(0.2, lambda scores: scores.whole), 0))


def weights_of(job: ProbeJob) -> tuple[np.ndarray, np.ndarray]:
    return job.cell.search.weights, job.cell.search.biases


@pytest.fixture(params=[1, 2])
def n_threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize(("order", "n_labels"), [("shuffled", 2), ("file", 6), ("shuffled", 17)])
def test_weights_are_those_of_autograd_on_the_written_loss(penalty, order, n_labels):
    data = random_data(4, width=33, n_train=533, n_labels=n_labels)
    if order == "file":
        by_label = data.train_labels.argsort(stable=True)
        data = replace(data, train_rows=data.train_rows[by_label], train_labels=data.train_labels[by_label])
    cells = [(0.0, 0.0), (0.1, 0.0), (0.0, 0.1), (0.003, 0.02)]
    jobs = [watched(ProbeJob(data, netted(*cell, penalty, order=order), 7, "plain")) for cell in cells]
    for job, outcome in zip(jobs, trained(jobs), strict=True):
        plain = PlainProbe(job)
        losses = [plain.epoch() for _ in range(3)]
        np.testing.assert_allclose(outcome.train_losses, losses, rtol=1e-5)
        weights, biases = weights_of(job)
        np.testing.assert_allclose(weights, plain.module[0].weight.detach().numpy(), atol=1e-5)
        np.testing.assert_allclose(biases, plain.module[0].bias.detach().numpy(), atol=1e-5)


def test_the_last_epoch_has_its_own_dev_accuracy():
    job = ProbeJob(random_data(1), netted(0.0, 0.0, "squared", max_epochs=6, epochs_per_evaluation=1), 1, "last")
    (outcome,), plain = trained([job]), plain_training(job)
    assert outcome.dev_accuracy == plain.accuracies[-1] != max(plain.accuracies)


def test_the_slope_is_the_one_worked_out_by_hand():
    # Two probes of two labels side by side, columns (label 0: a, b; label 1: a, b), and a column of none.
    weights = torch.tensor([[[3.0, 0.0, 0.0, -1.0, 9.0], [0.0, 2.0, -4.0, 2.0, 9.0]]])
    l1, l2 = torch.tensor([[[0.5, 0.0, 0.5, 0.0, 0.0]]]), torch.tensor([[[10.0, 6.0, 10.0, 6.0, 0.0]]])
    found = torch.empty_like(weights)
    ElasticNetSlope(l1, l2, "squared", Columns(2, 2, 5)).write_slope(weights, found)
    assert found.tolist() == [[[60.5, 0.0, 0.0, -12.0, 0.0], [0.0, 24.0, -80.5, 24.0, 0.0]]]
    ElasticNetSlope(l1, l2, "released", Columns(2, 2, 5)).write_slope(weights, found)  # norms 5 and 3
    assert found.tolist() == [[[6.5, 0.0, 0.0, -2.0, 0.0], [0.0, 4.0, -8.5, 4.0, 0.0]]]


def test_a_probe_without_weights_has_no_slope():
    zeros = torch.zeros(1, 4, 16)
    found = torch.full_like(zeros, 7.0)
    ones = torch.ones(1, 1, 16)
    ElasticNetSlope(ones, ones, "released", Columns(2, 8, 16)).write_slope(zeros, found)
    assert torch.equal(found, zeros)


@pytest.mark.parametrize(("l1", "l2"), [(0.02, 0.01), (0.05, 0.0), (0.0, 0.02)])
def test_the_optimum_is_that_of_scikit_learn(l1, l2):
    data = linear_data(n_labels=3)
    spec = netted(l1, l2, "squared", learning_rate=0.004, batch_size=160, max_epochs=1500, epochs_per_evaluation=1500)
    job = watched(ProbeJob(data, spec, 1, "optimum"))
    trained([job])
    inputs, labels = data.vectors[data.train_rows[:, 0]].numpy(), data.train_labels.numpy()
    # C sum(losses) + r sum|w| + (1 - r) / 2 sum w² is ours, up to a factor, where r = l1 / (l1 + 2 l2).
    strength = l1 + 2 * l2
    judge = LogisticRegression(
        solver="saga", l1_ratio=l1 / strength, C=1 / (len(labels) * strength), tol=1e-5, max_iter=5000, random_state=1
    ).fit(inputs, labels)
    best = loss_of(judge.coef_, judge.intercept_, inputs, labels, l1, l2)
    assert loss_of(*weights_of(job), inputs, labels, l1, l2) == pytest.approx(best, rel=1e-3)


def linear_data(n_labels: int) -> ProbeData:
    generator = torch.Generator().manual_seed(2)
    vectors = torch.randn(200, 12, generator=generator)
    noise = torch.randn(200, n_labels, generator=generator)
    labels = (vectors @ torch.randn(12, n_labels, generator=generator) + 2 * noise).argmax(1)
    rows = torch.arange(200)[:, None]
    return ProbeData(vectors, *rows.split([160, 20, 20]), *labels.split([160, 20, 20]), n_labels)


def loss_of(weights, biases, inputs, labels, l1: float, l2: float) -> float:
    """The loss that is minimised, in double precision."""
    scores = inputs.astype(np.float64) @ weights.T.astype(np.float64) + biases
    cross_entropy = np.log(np.exp(scores).sum(1)) - scores[np.arange(len(labels)), labels]
    return cross_entropy.mean() + l1 * np.abs(weights).sum() + l2 * np.square(weights).sum()


@pytest.mark.parametrize(
    ("n_labels", "width", "penalty", "number"),
    [
        (2, 2688, "squared", torch.float32),
        (3, 200, "released", torch.float16),
        (6, 1100, "released", torch.float32),
        (17, 33, "released", torch.float32),
        (17, 90, "squared", torch.float16),
        (2, 7, "squared", torch.float32),
    ],
)
def test_a_cell_is_the_same_in_any_company_to_the_last_bit(n_labels, width, penalty, number, n_threads):
    tests = [random_data(seed, width=width, n_train=41, n_labels=n_labels) for seed in (1, 2)]
    tests = [replace(data, vectors=data.vectors.to(number)) for data in tests]
    cells = list(product([0.0, 0.1, 1e-4], [0.0, 0.03, 1e-3]))
    jobs = [watched(ProbeJob(data, netted(*cell, penalty), 1, "cells")) for data in tests for cell in cells]
    together = trained(jobs, chunk_size=3)
    for place in (0, 5, 8, 12):
        alone = watched(jobs[place])
        (outcome,) = trained([alone])
        for ours, theirs in zip(weights_of(jobs[place]), weights_of(alone), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert outcome.train_losses == together[place].train_losses
        np.testing.assert_array_equal(outcome.test_losses, together[place].test_losses)
        assert jobs[place].cell.search.scores == alone.cell.search.scores


def test_float16_vectors_train_as_their_values_in_float32():
    data = random_data(1, width=33)
    half = replace(data, vectors=data.vectors.half())
    spec = netted(0.01, 0.01, "squared")
    one, other = trained(
        [ProbeJob(part, spec, 1, "half") for part in (half, replace(half, vectors=half.vectors.float()))]
    )
    assert one.train_losses == other.train_losses
    np.testing.assert_array_equal(one.test_losses, other.test_losses)


def test_a_cell_that_fails_harms_none_at_its_side():
    data = random_data(1, n_labels=2)
    jobs = [watched(ProbeJob(data, netted(l1, 0.01, "released"), 1, "cells")) for l1 in (0.1, BEYOND_FLOAT32, 0.0)]
    first, failed, last = trained(jobs)
    assert failed.failed == "cells: the loss is not a number in epoch 1"
    assert jobs[1].cell.search.best is None
    for place, outcome in ((0, first), (2, last)):
        (alone,) = trained([watched(jobs[place])])
        np.testing.assert_array_equal(outcome.test_losses, alone.test_losses)


def test_a_search_prefers_the_first_of_equals_whatever_ends_first():
    for places in ([2, 0, 1], [0, 1, 2], [1, 2, 0]):
        search = CellSearch(0.2, lambda scores: scores.whole)
        for place in places:
            search.take(place, CellScores(10, 5 if place == 0 else 7, 3, 2), np.full((2, 3), place), np.zeros(2))
        assert search.best == 1
        assert (search.weights == 1).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((0.0, float("nan"), "squared"), "probe.l2 must be a number of at least 0, got nan."),
        ((0.0, 0.0, "square"), 'probe.penalty "square" is unknown. Did you mean squared?'),
    ],
)
def test_a_strength_that_is_none_is_refused_by_its_key(given, message):
    with pytest.raises(PolyprobeError, match=message):
        ElasticNet(**dict(zip(("l1", "l2", "penalty"), given, strict=True)))
