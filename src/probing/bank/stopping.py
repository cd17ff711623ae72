"""When a probe has trained enough, by its scores on dev."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from polyprobe.models.layers.probe_spec import ProbeSpec

# RuSentEval's released code rounds the dev loss to so many decimals before it compares.
LOSS_DECIMALS = 3


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A score on dev."""

    epoch: int
    """After so many epochs."""
    accuracy: float
    """0 to 1."""
    loss: float | None
    """Mean of the batches' mean cross-entropy in nats; None where nothing asks for it."""


def is_over(spec: ProbeSpec, evaluations: Sequence[Evaluation]) -> bool:
    """Says whether the rule of a spec (see `ProbeSpec.stopping`) ends the training after these evaluations."""
    match spec.stopping:
        case "patience":
            return len(evaluations) - 1 - best_of(evaluations) >= spec.patience
        case "patience_of_dev_loss":
            return len(evaluations) - 1 - lowest_of(evaluations) >= spec.patience
        case "tenacity_never_reset":
            return _count_without_gain(evaluations) > spec.patience
        case "first_rise_of_dev_loss":
            *before, last = (round(evaluation.loss, LOSS_DECIMALS) for evaluation in evaluations)
            return bool(before) and not last < min(before)
        case "none":
            return False
        case _:
            raise AssertionError(spec.stopping)


def best_of(evaluations: Sequence[Evaluation]) -> int:
    """Returns the place of the first of the evaluations with the highest accuracy."""
    return max(range(len(evaluations)), key=lambda place: evaluations[place].accuracy)


def lowest_of(evaluations: Sequence[Evaluation]) -> int:
    """Returns the place of the first of the evaluations with the lowest dev loss."""
    return min(range(len(evaluations)), key=lambda place: evaluations[place].loss)


def _count_without_gain(evaluations: Sequence[Evaluation]) -> int:
    """Counts the evaluations that are not strictly better than all before them; the first always is."""
    best = list(accumulate((evaluation.accuracy for evaluation in evaluations), max))
    return sum(evaluation.accuracy <= before for evaluation, before in zip(evaluations[1:], best, strict=False))
