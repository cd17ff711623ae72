"""One score of a downstream model of any task, as its rows in results.jsonl hold it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyprobe.metrics.bootstrap import ratio_interval

INTERVAL_SEED = 1


@dataclass(frozen=True, slots=True)
class TaskScore:
    """A number with its name."""

    metric: str
    """Its name: "role_f1", "semantic_f1", "accuracy" …"""
    value: float
    """A fraction, 0 to 1; a perplexity is 1 or more."""
    n: int
    """Number of items behind it (gold arguments, words)."""
    scorer: str
    """The program that counts in the same way."""
    part: str = ""
    """The label that it is about; "" for all labels together."""
    precision: float | None = None
    recall: float | None = None
    """Both: fractions, if the metric has them."""
    interval_low: float | None = None
    interval_high: float | None = None
    """95 % bootstrap interval over sentences (or pairs of them)."""


def share(part: int, whole: int) -> float:
    """Returns a share, 0 where there is nothing to share."""
    return part / whole if whole else 0.0


def oov_rate(train: Iterable[str], words: Iterable[str]) -> TaskScore:
    """Returns the share of running words that train lacks, both lower-cased by `str.lower` (LINSPECTOR, Table 8)."""
    known = {word.lower() for word in train}
    is_unknown = [word.lower() not in known for word in words]
    return TaskScore("oov", sum(is_unknown) / max(1, len(is_unknown)), len(is_unknown), "LINSPECTOR")


def with_intervals(scores: Sequence[TaskScore], ratios: Mapping[str, Sequence[tuple[int, int]]]) -> list[TaskScore]:
    """Adds intervals to scores of the whole.

    Args:
        scores: any; those of parts and of metrics that `ratios` lacks are unchanged.
        ratios: by metric, the part of each sentence in the numerator and in the denominator of the score.
    """
    return [_with_interval(score, ratios) for score in scores]


def _with_interval(score: TaskScore, ratios: Mapping[str, Sequence[tuple[int, int]]]) -> TaskScore:
    parts = np.array(ratios.get(score.metric, ()))
    if score.part or not parts.size:
        return score
    numerator, denominator = parts.sum(axis=0)
    assert np.isclose(numerator / max(denominator, 1), score.value), f"{score.metric} is not the ratio of its parts"
    low, high = ratio_interval(parts, INTERVAL_SEED)
    return replace(score, interval_low=low, interval_high=high)
