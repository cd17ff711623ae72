"""Small probes and tests for the bank's tests."""

import numpy as np
import torch
from scipy.sparse import csr_matrix

from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.bank.bank import train_bank
from polyprobe.probing.bank.inputs import SparseRows
from polyprobe.probing.bank.jobs import ProbeData

SPEC = {
    "hidden_size": 24,
    "activation": "relu",
    "dropout": 0.5,
    "dropout_place": "after_activation",
    "learning_rate": 0.01,
    "adam_betas": (0.9, 0.999),
    "adam_epsilon": 1e-8,
    "weight_decay": 0.0,
    "gradient_clamp": 5.0,
    "loss_reduction": "mean",
    "loss_weights": "none",
    "batch_size": 16,
    "max_epochs": 4,
    "epochs_per_evaluation": 1,
    "stopping": "patience",
    "patience": 2,
    "dev_batch_size": 8,
    "kept_weights": "best_dev",
}


def spec_with(**changes) -> ProbeSpec:
    return ProbeSpec(**{**SPEC, **changes})


def trained(jobs, chunk_size=8):
    return train_bank(jobs, chunk_size, torch.device("cpu"), lambda done, due: None)


def random_data(seed: int, width: int = 10, n_train: int = 40, n_labels: int = 3, parts: int = 1) -> ProbeData:
    """A test without anything to learn: random vectors, rows and labels."""
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(30, width, generator=generator)
    rows = [torch.randint(30, (n, parts), generator=generator) for n in (n_train, 21, 11)]
    labels = [torch.randint(n_labels, (len(part),), generator=generator) for part in rows]
    return ProbeData(vectors, *rows, *labels, n_labels)


def sparse_data(seed: int, width: int = 40, n_train: int = 41, n_labels: int = 3) -> tuple[ProbeData, ProbeData]:
    """A test without anything to learn over rows of few entries, and the same test over the dense matrix."""
    random = np.random.default_rng(seed)
    n_rows = n_train + 32
    matrix = np.where(random.random((n_rows, width)) < 0.15, random.random((n_rows, width)), 0.0).astype(np.float32)
    rows = torch.arange(n_rows)[:, None].split([n_train, 21, 11])
    labels = torch.from_numpy(random.integers(n_labels, size=n_rows)).split([n_train, 21, 11])
    kinds = SparseRows.of(csr_matrix(matrix)), torch.from_numpy(matrix)
    return tuple(ProbeData(vectors, *rows, *labels, n_labels) for vectors in kinds)


def assert_same(outcome, other):
    assert outcome.train_losses == other.train_losses
    assert (outcome.epochs, outcome.best_epoch, outcome.failed) == (other.epochs, other.best_epoch, other.failed)
    assert outcome.dev_accuracy == other.dev_accuracy or outcome.failed
    np.testing.assert_array_equal(outcome.dev_predictions, other.dev_predictions)
    np.testing.assert_array_equal(outcome.test_predictions, other.test_predictions)
    np.testing.assert_array_equal(outcome.test_losses, other.test_losses)
