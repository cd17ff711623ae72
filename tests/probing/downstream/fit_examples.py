"""Small settings and examples for the tests of downstream fits."""

import numpy as np
import torch

from polyprobe.probing.bank.bank import train_bank
from polyprobe.probing.downstream.cross_validation import FitSettings, LabelledRows
from polyprobe.probing.probes.grid import GridProbe
from tests.probing.probe_examples import SPEC

L2_GRID = [1e-5, 1e-4, 1e-3, 1e-2]
PROTOCOL = {**SPEC, "hidden_size": None, "dropout": 0.0, "gradient_clamp": None, "stopping": "tenacity_never_reset"}
PROTOCOL |= {"max_epochs": 6, "epochs_per_evaluation": 2, "patience": 1, "weight_decay": L2_GRID}


def fit_settings(dev_decimals=None, probe=None, **changes) -> FitSettings:
    given = {"folds": 4, "inner_folds": 3, "dev_share": 0.05, "folds_seed": 1111, "seed": 1111, "chance": "of_each_fit"}
    grid = GridProbe(**{**PROTOCOL, **(probe or {})}, dev_decimals=dev_decimals)
    return FitSettings(probe=grid, **{**given, **changes})


def train(jobs):
    return train_bank(jobs, 8, torch.device("cpu"), lambda done, due: None)


def examples(n_examples: int, n_labels: int, seed: int = 0, width: int = 20, noise: float = 1.5) -> LabelledRows:
    """Draws labels, and vectors around a centre for each label."""
    random = np.random.default_rng(seed)
    label_ids = random.permutation(np.arange(n_examples) % n_labels)
    centres = random.normal(size=(n_labels, width))
    features = centres[label_ids] + noise * random.normal(size=(n_examples, width))
    return LabelledRows(features.astype(np.float32), label_ids)
