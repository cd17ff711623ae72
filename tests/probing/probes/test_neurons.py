"""The probe over neurons: its grid of elastic nets, what chooses among the cells, and what is held of them."""

import numpy as np
import pytest
import torch

from src.probing.bank.jobs import ProbeData
from src.probing.probes.neurons import NeuronProbe
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
