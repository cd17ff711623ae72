"""A probed test of three items and four neurons in two layers, small enough to be read."""

import numpy as np
import torch

from polyprobe.analysis.neurons.probed_test import NeuronSpace, ProbedTest
from polyprobe.items import Item, TokenInContext
from polyprobe.probing.suites.tests import Examples, ProbingTest
from polyprobe.splits import SPLITS

WORDS = ("Talo", "paloi", "eilen")
# A line per item; of the test split the items are read in the order 2, 0, 1, 2.
VECTORS = torch.tensor([[1.0, 0.5, 7.0, 2.0], [-3.0, 0.5, 8.0, 2.0], [4.0, 0.5, 9.0, 2.0]])
ROWS = (2, 0, 1, 2)
LABELS = (1, 0, 0, 1)


def small_probed(weights: np.ndarray, control_weights: np.ndarray | None = None) -> ProbedTest:
    """Makes a test of the labels "Nom" and "Part"; all splits are the same.

    Args:
        weights, control_weights: `[seeds, 2, 4]`.
    """
    items: tuple[tuple[Item, ...], ...] = tuple((TokenInContext(WORDS, row),) for row in ROWS)
    examples = Examples(items, LABELS, lines=(1, 2, 4, 5))
    n_seeds = len(weights)
    return ProbedTest(
        test=ProbingTest("Case", "0" * 16, ("Nom", "Part"), **dict.fromkeys(SPLITS, examples)),
        epoch=None,
        space=NeuronSpace(("layer_0", "layer_1"), (2, 2)),
        seeds=tuple(range(n_seeds)),
        weights=np.asarray(weights, np.float32),
        biases=np.zeros((n_seeds, 2), np.float32),
        control_weights=None if control_weights is None else np.asarray(control_weights, np.float32),
        control_biases=None if control_weights is None else np.zeros((len(control_weights), 2), np.float32),
        vectors=VECTORS,
        rows=dict.fromkeys(SPLITS, torch.tensor(ROWS)),
        label_ids=dict.fromkeys(SPLITS, torch.tensor(LABELS)),
    )
