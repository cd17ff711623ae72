"""How often grammatical sentences score highest: margins, ties, accuracy, an interval over lemmas.

A minimal set is correct if its grammatical sentence scores strictly higher than every variant. An exact tie is counted
separately; the caller states its value (`TIES`). Sentences that a model cannot distinguish tie by every rule.
"""

from dataclasses import dataclass

import numpy as np

from polyprobe.metrics.bootstrap import ratio_interval
from polyprobe.runs.array_records import SetScores

RULES = ("sum", "per_token", "per_character", "focus")
TIES = ("wrong", "half", "correct", "released")
_POINTS_OF_A_TIE = {"wrong": 0.0, "half": 0.5, "correct": 1.0, "released": 1.0}


@dataclass(frozen=True, slots=True)
class SetOutcomes:
    """How the sets of a construction come out for one model."""

    correct: int
    """Sets whose grammatical sentence scores higher than every variant."""
    wrong: int
    """Sets with a variant that scores higher."""
    ties: int
    """Sets whose best variant scores exactly as the grammatical sentence."""
    skipped: int
    """Sets that are not scored."""
    accuracy: float
    """0 to 1, over scored sets; NaN where there are none."""
    margin: float
    median_margin: float
    """Mean and median margin over scored sets, in bits."""


def margins(scores: SetScores, rule: str) -> np.ndarray:
    """Returns the margin of each grammatical sentence over its best variant.

    A variant with the sum and the number of tokens of its grammatical sentence is the same to the model, as where both
    have <unk> for the words that differ. It ties by every rule: else their lengths in characters would decide.

    Args:
        rule: "sum" of the log-probabilities, that sum "per_token" or "per_character", or that of the "focus".

    Returns:
        bits, 0 for a tie and for nothing else: float64 `[models, sets]`; NaN where a set is left out, has no variant,
        or has a sentence without such a score.
    """
    if not len(scores.numbers):
        return np.empty((len(scores.models), 0))
    values = _sentence_scores(scores, rule)
    starts = np.searchsorted(scores.set_of_sentence, np.arange(len(scores.numbers)))
    grammatical = values[:, starts]
    values = np.where(_looks_grammatical(scores, starts), grammatical[:, scores.set_of_sentence], values)
    values[:, starts] = -np.inf
    best = np.maximum.reduceat(values, starts, axis=1)
    with np.errstate(invalid="ignore"):
        margin = np.where(grammatical == best, 0.0, (grammatical - best) / np.log(2))
    has_variant = np.diff([*starts, len(scores.sentences)]) > 1
    margin[:, ~has_variant | (np.asarray(scores.left_out) != "")] = np.nan
    return margin


def points(margins: np.ndarray, ties: str) -> np.ndarray:
    """Returns 1 for each correct set, 0 for a wrong one, and the value of `ties` for a tie.

    Args:
        margins: of any shape.
        ties: "wrong" (0), "half" (0.5), "correct" or "released" (1).

    Returns:
        float64, of the shape of `margins`; NaN where the margin is NaN.
    """
    scored = np.where(margins > 0, 1.0, 0.0)
    scored[margins == 0] = _POINTS_OF_A_TIE[ties]
    scored[np.isnan(margins)] = np.nan
    return scored


def set_outcomes(margins: np.ndarray, ties: str) -> SetOutcomes:
    """Counts the outcomes of a construction's sets for one model.

    Args:
        margins: in bits: float64 `[sets]`.
        ties: the value of a tie, see `points`. "released" also adds one correct set that does not exist, as the
            released scorer of CLAMS does: (correct + ties + 1) / (sets + 1).
    """
    scored = margins[~np.isnan(margins)]
    is_released = ties == "released"
    total = points(scored, ties).sum() + is_released
    return SetOutcomes(
        correct=int(np.count_nonzero(scored > 0)),
        wrong=int(np.count_nonzero(scored < 0)),
        ties=int(np.count_nonzero(scored == 0)),
        skipped=len(margins) - len(scored),
        accuracy=float(total / (len(scored) + is_released)) if len(scored) else np.nan,
        margin=float(np.mean(scored)) if len(scored) else np.nan,
        median_margin=float(np.median(scored)) if len(scored) else np.nan,
    )


def clustered_interval(values: np.ndarray, clusters: np.ndarray, seed: int) -> tuple[float, float]:
    """Returns the 95 % percentile interval of the mean over sets, from 10,000 resamples of lemmas.

    Sets that share a lemma are not independent observations: lemmas are drawn, each with all its sets. Constructions
    of CLAMS have four to seven lemmas; with so few the interval is rather too narrow.

    Args:
        values: a number per set, such as those of `points`, with several seeds their mean; NaN sets are left out:
            float64 `[sets]`.
        clusters: the lemma of each set: str `[sets]`.
        seed: the same values and seed give the same interval.

    Returns:
        The lower and the upper end; NaN where the scored sets have fewer than two lemmas.
    """
    is_scored = ~np.isnan(values)
    lemmas, lemma_of_set = np.unique(np.asarray(clusters)[is_scored], return_inverse=True)
    if len(lemmas) < 2:
        return np.nan, np.nan
    totals = np.bincount(lemma_of_set, weights=values[is_scored])
    return ratio_interval(np.stack([totals, np.bincount(lemma_of_set)], axis=1), seed)


def _looks_grammatical(scores: SetScores, starts: np.ndarray) -> np.ndarray:
    """Says which sentences a model cannot distinguish from the first of their set: bool `[models, sentences]`."""
    sums, first = np.asarray(scores.sums, dtype=np.float64), starts[scores.set_of_sentence]
    is_alike = np.isfinite(sums) & (sums == sums[:, first])  # all impossible sentences have the same sum
    return is_alike & (scores.n_tokens == scores.n_tokens[first])


def _sentence_scores(scores: SetScores, rule: str) -> np.ndarray:
    """Returns the scores that a rule compares, in nats: a new float64 `[models, sentences]`."""
    if rule == "focus":
        return np.array(scores.focuses, dtype=np.float64)
    sums = np.asarray(scores.sums, dtype=np.float64)
    lengths = {
        "sum": np.ones(len(scores.sentences)),
        "per_token": scores.n_tokens,
        "per_character": scores.n_characters,
    }
    return sums / np.where(lengths[rule] > 0, lengths[rule], np.nan)
