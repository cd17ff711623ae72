"""Sentences as a causal model reads them, packed: each distinct prefix is one position of one row.

    sequences        a b c d     a b c e     a b f g
    row              a  b  c  f              no position where nothing follows: d, e and g are only predicted
    sees             a  ab abc abf           each position its prefix, and itself
    position         0  1  2  2

A row of sorted sequences is what a model with a mask of attention by pairs needs to run each prefix once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from polyprobe.predictors.base.predictor import Answers

Ids = tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Pack:
    """The distinct prefixes of sorted sequences; the last piece of a sequence is predicted, not run."""

    ids: np.ndarray
    """The piece at which each prefix ends: int64 `[prefixes]`, those that extend a prefix after it."""
    paths: np.ndarray
    """Numbers of the prefixes that each one extends, its own last, then -1: int64 `[prefixes, longest]`."""
    depths: np.ndarray
    """Length of each prefix, minus 1: int64 `[prefixes]`."""
    contexts: np.ndarray
    """The prefix that each piece follows: all pieces of all sequences but the first of each, one sequence after the
    other: int64 `[predicted]`."""
    predicted: np.ndarray
    """These pieces: int64 `[predicted]`."""

    def sees(self) -> np.ndarray:
        """Returns which prefixes each one sees: bool `[prefixes, prefixes]`."""
        rows, depths = np.nonzero(self.paths >= 0)
        seen = np.zeros((len(self.ids), len(self.ids)), bool)
        seen[rows, self.paths[rows, depths]] = True
        return seen

    def ends(self) -> np.ndarray:
        """Returns the prefixes that no other prefix extends, ascending."""
        is_inner = np.zeros(len(self.ids), bool)
        parents = self.paths[np.arange(len(self.ids)), self.depths - 1]
        is_inner[parents[self.depths > 0]] = True
        return np.flatnonzero(~is_inner)


def pack(sequences: Sequence[Ids]) -> Pack:
    """Packs sorted sequences of at least two pieces each."""
    ids, paths, contexts = [], [], []
    path: list[int] = []
    previous: Ids = ()
    for sequence in sequences:
        inputs = sequence[:-1]
        path = path[: shared(previous, inputs)]
        while len(path) < len(inputs):
            ids.append(inputs[len(path)])
            path.append(len(ids) - 1)
            paths.append(tuple(path))
        contexts += path
        previous = inputs
    depths = np.array([len(way) - 1 for way in paths], np.int64)
    predicted = np.array([piece for sequence in sequences for piece in sequence[1:]], np.int64)
    return Pack(np.array(ids, np.int64), _padded(paths), depths, np.array(contexts, np.int64), predicted)


def ranges(sequences: Sequence[Ids], capacity: int) -> list[slice]:
    """Cuts sorted sequences into ranges of at most `capacity` distinct prefixes each.

    The prefixes that the sequences on both sides of a border share are in both ranges: at most the length of one
    sequence. A sequence that is longer than `capacity` is a range by itself.
    """
    borders, n_prefixes = [0], 0
    for number, n_new in enumerate(new_prefixes(sequences)):
        if number and n_prefixes + n_new > capacity:
            borders.append(number)
            n_new, n_prefixes = len(sequences[number]) - 1, 0
        n_prefixes += n_new
    return [slice(start, end) for start, end in pairwise([*borders, len(sequences)]) if start < end]


def new_prefixes(sequences: Sequence[Ids]) -> Iterator[int]:
    """Yields how many prefixes each of sorted sequences has that the one before it lacks."""
    for before, sequence in pairwise([(), *sequences]):
        yield len(sequence) - 1 - shared(before[:-1], sequence[:-1])


def shared(first: Ids, second: Ids) -> int:
    """Counts the pieces at the beginning that two sequences have in common."""
    shorter = min(len(first), len(second))
    return next((place for place in range(shorter) if first[place] != second[place]), shorter)


def _padded(paths: Sequence[Ids]) -> np.ndarray:
    longest = max(map(len, paths), default=0)
    return np.array([[*path, *[-1] * (longest - len(path))] for path in paths], np.int64).reshape(len(paths), longest)


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """A sentence as the model reads it."""

    ids: Ids
    """With start and end token, if any."""
    counts: np.ndarray
    words: np.ndarray
    is_unknown: np.ndarray
    """These three are of each piece but the first of `ids`: see `Answers`."""
    refusal: str
    """Why it has no answer; "" where there is none."""
    last_words: np.ndarray | None = None
    """As `words`, see `Answers`; None where each piece belongs to one word."""

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
