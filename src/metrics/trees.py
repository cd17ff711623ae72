"""Scores of generated trees, written as symbols: whole trees, and their brackets in the manner of evalb.

A bracket is right where gold has one with its label over the same parts of speech, counted from the left. Unlike evalb
we score a tree with more or fewer words than gold has: its brackets are where they are. An ill-formed tree has no
brackets: one whose brackets do not match, or of which none spans all. The F1 is that of all brackets of all trees
together.
"""

from collections.abc import Sequence

import numpy as np

from polyprobe.formats.treebanks.linearised_trees import brackets
from polyprobe.metrics.tallies import Tally
from polyprobe.metrics.task_score import TaskScore, share, with_intervals

SCORER = "polyprobe"
N_COUNTS = 6
"""Trees, those that are right, those that are ill-formed; right brackets, generated ones, those of gold."""


def tree_counts(gold: Sequence[Sequence[str]], generated: Sequence[Sequence[str]]) -> np.ndarray:
    """Counts trees and brackets.

    Args:
        gold: the symbols of well-formed trees.
        generated: as many sequences of symbols.

    Returns:
        int64 `[trees, 6]`.
    """
    rows = [_counts(*pair) for pair in zip(gold, generated, strict=True)]
    return np.array(rows, dtype=np.int64).reshape(len(gold), N_COUNTS)


def _counts(gold: Sequence[str], generated: Sequence[str]) -> tuple[int, ...]:
    of_gold, found = brackets(gold), brackets(generated)
    assert of_gold is not None, "a gold tree is ill-formed"
    is_right = tuple(gold) == tuple(generated)
    if found is None:
        return 1, is_right, True, 0, 0, of_gold.total()
    return 1, is_right, False, (of_gold & found).total(), found.total(), of_gold.total()


def scores_of_sums(sums: np.ndarray) -> list[TaskScore]:
    """Returns the share of whole trees that are right, the F1 of brackets and the share of ill-formed trees.

    Args:
        sums: of `tree_counts` over trees.
    """
    n, n_right, n_ill_formed, correct, system, gold = (int(count) for count in sums)
    return [
        TaskScore("tree_accuracy", share(n_right, n), n, SCORER),
        Tally(correct, system, gold).score("bracket_f1", SCORER),
        TaskScore("ill_formed", share(n_ill_formed, n), n, SCORER),
    ]


def tree_scores(gold: Sequence[Sequence[str]], generated: Sequence[Sequence[str]]) -> list[TaskScore]:
    """Returns the scores of trees, with their intervals; see `tree_counts` and `scores_of_sums`."""
    counts = tree_counts(gold, generated)
    n, n_right, n_ill_formed, correct, system, gold = counts.T
    parts = {"tree_accuracy": (n_right, n), "bracket_f1": (2 * correct, system + gold), "ill_formed": (n_ill_formed, n)}
    ratios = {metric: np.stack(pair, axis=1) for metric, pair in parts.items()}
    return with_intervals(scores_of_sums(counts.sum(0)), ratios)
