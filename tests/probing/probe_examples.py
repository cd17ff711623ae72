"""Small probes and tests for the bank's tests."""

import logging

import torch

from src.probing.bank.bank import bank_trainer, train_bank
from src.probing.bank.jobs import ProbeData
from src.probing.bank.probe_spec import ProbeSpec

logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)

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
    return train_bank(jobs, chunk_size, bank_trainer("cpu"), lambda done, due: None)


def random_data(seed: int, width: int = 10, n_train: int = 40, n_labels: int = 3, parts: int = 1) -> ProbeData:
    """A test without anything to learn: random vectors, rows and labels."""
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(30, width, generator=generator)
    rows = [torch.randint(30, (n, parts), generator=generator) for n in (n_train, 21, 11)]
    labels = [torch.randint(n_labels, (len(part),), generator=generator) for part in rows]
    return ProbeData(vectors, *rows, *labels, n_labels)
