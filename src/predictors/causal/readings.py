"""Sentences as a causal model reads them, and their answers from the log-probabilities of their pieces."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from src.predictors.base.predictor import Answers
from src.predictors.causal.packed_prefixes import Ids


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """A sentence as the model reads it.

    Attributes:
        ids: with start and end token, if any.
        counts, words, is_unknown: of each piece but the first of `ids`: see `Answers`.
        refusal: "" where there is none.
        last_words: as `words`, see `Answers`; None where each piece belongs to one word.
    """

    ids: Ids
    counts: np.ndarray
    words: np.ndarray
    is_unknown: np.ndarray
    refusal: str
    last_words: np.ndarray | None = None

    def scores(self, found: dict[Ids, np.ndarray]) -> np.ndarray:
        """Returns the log-probabilities of the pieces that count, corrected if those of word beginnings are given."""
        if self.refusal:
            return np.zeros(0, np.float32)
        scores, *beginnings = found[self.ids]
        if beginnings:
            is_new = np.diff(self.words, prepend=0) > 0  # the first word begins as the sentence does
            borders = np.where(is_new, beginnings[0], 0)
            scores = scores - borders + np.append(borders[1:], 0)
        return scores[self.counts].astype(np.float32)


def refused(reason: str) -> Reading:
    """Returns the reading of a sentence that has no answer."""
    return Reading((), np.zeros(0, bool), np.zeros(0, np.int64), np.zeros(0, bool), reason)


def answers(readings: Sequence[Reading], found: dict[Ids, np.ndarray]) -> Answers:
    """Joins the answers of several sentences.

    Args:
        readings: of each.
        found: `CausalModel.log_probabilities` of all pieces but the first of each `Reading.ids`.
    """
    nothing = np.zeros(0, np.float32)
    has_characters = any(one.last_words is not None for one in readings)
    lasts = [(one.words if one.last_words is None else one.last_words)[one.counts] for one in readings]
    return Answers(
        np.concatenate([nothing, *(one.scores(found) for one in readings)]),
        np.concatenate([nothing, *(one.words[one.counts] for one in readings)]).astype(np.int32),
        np.concatenate([nothing, *(one.is_unknown[one.counts] for one in readings)]).astype(bool),
        np.cumsum([one.counts.sum() for one in readings], dtype=np.int64),
        tuple(one.refusal for one in readings),
        np.concatenate([nothing, *lasts]).astype(np.int32) if has_characters else None,
    )
