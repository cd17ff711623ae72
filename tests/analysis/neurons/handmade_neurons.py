"""A probed test with planted neurons: which of them know the label is known beforehand."""

import numpy as np
import torch

from polyprobe.analysis.neurons.probed_test import NeuronSpace, ProbedTest
from polyprobe.items import Form
from polyprobe.probing.suites.tests import ProbingTest
from polyprobe.splits import SPLITS
from tests.probing.small_tests import examples

LAYERS, WIDTHS = ("0", "1", "2"), (4, 4, 4)
PLANTED = (6, 9)  # "1:2" and "2:1": each alone tells the label
SIZES = {"train": 80, "dev": 40, "test": 40}


def planted(seeds=(1,), **changes) -> ProbedTest:
    """Makes a test of two labels, a third of the items "b", that two of twelve neurons tell apart.

    A planted neuron is 3 for "b" and -3 for "a", the others are noise of standard deviation 1. The probe weighs each
    planted neuron 2, each other one 0.01, for "b", and the negative of that for "a"; its bias of 1 favours "a".
    """
    n_items = sum(SIZES.values())
    label_ids = np.arange(n_items) % 3 == 0
    vectors = np.random.default_rng(0).normal(size=(n_items, 12))
    vectors[:, PLANTED] = np.where(label_ids, 3, -3)[:, None]
    ends = np.cumsum(list(SIZES.values()))
    rows = {split: torch.arange(end - SIZES[split], end) for split, end in zip(SPLITS, ends, strict=True)}
    ids = {split: torch.from_numpy(label_ids[rows[split]].astype(np.int64)) for split in SPLITS}
    of_splits = {
        split: examples([(Form(f"word{row}"),) for row in rows[split].tolist()], ids[split].tolist())
        for split in SPLITS
    }
    for_b = np.where(np.isin(np.arange(12), PLANTED), 2, 0.01)
    weights = np.tile(np.stack([-for_b, for_b]).astype(np.float32), (len(seeds), 1, 1))
    known = {
        "test": ProbingTest(name="Planted", version="0" * 16, labels=("a", "b"), **of_splits),
        "epoch": None,
        "space": NeuronSpace(LAYERS, WIDTHS),
        "seeds": tuple(seeds),
        "weights": weights,
        "biases": np.tile(np.array([1, 0], np.float32), (len(seeds), 1)),
        "control_weights": None,
        "control_biases": None,
        "vectors": torch.from_numpy(vectors.astype(np.float32)),
        "rows": rows,
        "label_ids": ids,
    }
    return ProbedTest(**{**known, **changes})
