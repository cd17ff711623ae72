"""Regression to a distribution over grades: targets by hand, gradients by autograd, when it stops."""

import numpy as np
import pytest
import torch

from polyprobe.models.layers.probe_random import ProbeRandom
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.bank.networks import LinearNetwork
from polyprobe.probing.downstream.cross_validation import LabelledRows
from polyprobe.probing.downstream.score_regression import grade_distributions, score_regression
from tests.probing.probe_examples import spec_with

CPU = torch.device("cpu")


def fitted(train: LabelledRows, dev: LabelledRows, features: np.ndarray, spec: ProbeSpec, lowest=0, seed=1111):
    return score_regression(train, dev, features, spec, (lowest, 5), seed, CPU)


def spec_of(**changes) -> ProbeSpec:
    spec = {"hidden_size": None, "dropout": 0.0, "gradient_clamp": None, "batch_size": 16, "max_epochs": 40}
    spec |= {"epochs_per_evaluation": 5, "stopping": "tenacity_never_reset", "patience": 3, "learning_rate": 0.05}
    return spec_with(**spec | changes)


def pairs(n_pairs: int, seed: int = 0) -> LabelledRows:
    """Draws features, and scores from 0 to 5 that follow from them, near enough."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(n_pairs, 12)).astype(np.float32)
    return LabelledRows(features, np.clip(2.5 + features[:, 0] + 0.5 * features[:, 1], 0, 5).round(1))


@pytest.mark.parametrize(
    ("score", "six_grades", "five_grades"),
    [
        (0.0, [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0]),  # the released toolkit's fault: nothing is wanted of any grade
        (0.25, [0.75, 0.25, 0, 0, 0, 0], [0.25, 0, 0, 0, 0]),
        (3.4, [0, 0, 0, 0.6, 0.4, 0], [0, 0, 0.6, 0.4, 0]),
        (5.0, [0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 1]),
    ],
)
def test_a_score_lies_on_its_two_grades(score, six_grades, five_grades):
    scores = np.array([score])
    np.testing.assert_allclose(grade_distributions(scores, 0, 5), [six_grades], atol=1e-6)
    np.testing.assert_allclose(grade_distributions(scores, 1, 5), [five_grades], atol=1e-6)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_training_is_that_of_autograd_and_torchs_adam(reduction):
    known, spec = pairs(50), spec_of(loss_reduction=reduction, max_epochs=3, epochs_per_evaluation=3)
    random = ProbeRandom(1111, "scores")
    layer = torch.nn.Linear(12, 6)
    weights, bias = LinearNetwork().initial(random, 12, 6, 6)
    layer.weight.data, layer.bias.data = weights.T.contiguous(), bias[0]
    adam, loss_of = torch.optim.Adam(layer.parameters(), lr=0.05), torch.nn.MSELoss(reduction=reduction)
    features = torch.from_numpy(known.features)
    targets = torch.from_numpy(grade_distributions(known.gold, 0, 5))
    for _ in range(3):
        for batch in torch.from_numpy(random.order(50)).split(16):
            adam.zero_grad()
            loss_of(torch.softmax(layer(features[batch]), 1), targets[batch]).backward()
            adam.step()
    expected = (torch.softmax(layer(features), 1) @ torch.arange(6.0)).detach().numpy()
    outcome = fitted(known, known, known.features, spec)
    np.testing.assert_allclose(outcome.predictions, expected, atol=1e-4)


def test_scores_are_learnt_within_the_grades():
    train, dev, test = pairs(300), pairs(100, seed=1), pairs(100, seed=2)
    outcome = fitted(train, dev, test.features, spec_of())
    assert np.corrcoef(outcome.predictions, test.gold)[0, 1] > 0.95
    assert 0 <= outcome.predictions.min() <= outcome.predictions.max() <= 5


def plain_checks(known: LabelledRows, dev: LabelledRows, spec: ProbeSpec, seed: int) -> list[float]:
    """Pearson's correlations on dev of a plain training, to its last check."""
    layer, random, checks = torch.nn.Linear(12, 6), ProbeRandom(seed, "scores"), []
    weights, bias = LinearNetwork().initial(random, 12, 6, 6)
    layer.weight.data, layer.bias.data = weights.T.contiguous(), bias[0]
    adam = torch.optim.Adam(layer.parameters(), lr=spec.learning_rate)
    features, targets = torch.from_numpy(known.features), torch.from_numpy(grade_distributions(known.gold, 0, 5))
    best, n_without_gain = -1.0, 0
    for passes in range(1, spec.max_epochs + 1):
        for batch in torch.from_numpy(random.order(len(features))).split(spec.batch_size):
            adam.zero_grad()
            torch.nn.functional.mse_loss(torch.softmax(layer(features[batch]), 1), targets[batch]).backward()
            adam.step()
        if passes % spec.epochs_per_evaluation:
            continue
        predicted = torch.softmax(layer(torch.from_numpy(dev.features)), 1) @ torch.arange(6.0)
        checks.append(float(np.corrcoef(predicted.detach().numpy(), dev.gold)[0, 1]))
        n_without_gain += checks[-1] <= best
        best = max(best, checks[-1])
        if n_without_gain == 4:
            break
    return checks


@pytest.mark.parametrize(
    ("learning_rate", "seed", "n_checks"),
    [(0.2, 1, 12), (0.2, 4, 6), (0.02, 4, 16)],  # not better at the 3rd, 6th, 7th, 12th; from the 3rd on; never
)
def test_the_fourth_check_in_all_without_gain_ends_it(learning_rate, seed, n_checks):
    train, dev = pairs(40, seed=5), pairs(40, seed=1)
    spec = spec_of(learning_rate=learning_rate, max_epochs=16, epochs_per_evaluation=1)
    checks = plain_checks(train, dev, spec, seed)
    outcome = fitted(train, dev, dev.features, spec, seed=seed)
    assert n_checks == len(checks)
    assert outcome.cell == f"passes={n_checks}"
    assert outcome.dev == pytest.approx(max(checks), abs=1e-4)


def test_the_best_weights_predict():
    train, dev = pairs(60), pairs(60, seed=1)
    outcome = fitted(train, dev, dev.features, spec_of())
    assert outcome.dev == np.corrcoef(outcome.predictions, dev.gold)[0, 1]


def test_a_seed_gives_the_same_twice_and_another_seed_something_else():
    train, test = pairs(60), pairs(20, seed=1).features
    first, again, other = (fitted(train, train, test, spec_of(), seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.predictions, again.predictions)
    assert (first.predictions != other.predictions).any()


def test_a_constant_dev_counts_as_worst_and_ends_it():
    train, dev = pairs(30), pairs(30, seed=1)
    dev.gold[:] = 2.0
    outcome = fitted(train, dev, dev.features, spec_of())
    assert (outcome.dev, outcome.cell) == (-1.0, "passes=25")


def test_the_mass_of_a_score_beyond_the_grades_is_lost():
    train = pairs(30)
    train.gold[:4], train.gold[4:6], train.gold[6:] = 1.0, 0.5, 3.0
    assert fitted(train, train, train.features, spec_of(), lowest=1).predictions.min() >= 1
