"""Sentences as rows of word ids: each distinct row once, sorted, in blocks that share almost nothing; their options."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import numpy as np
from annotated_types import MinLen

from polyprobe.errors import BadValue
from polyprobe.section import Expected, Section


@dataclass(frozen=True, eq=False)
class IdRows:
    """Rows of different lengths, one after the other."""

    ids: np.ndarray
    """Int32 `[tokens]`."""
    ends: np.ndarray
    """Where each row ends: int64 `[rows]`."""

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def starts(self) -> np.ndarray:
        """Where each row begins: int64 `[rows]`."""
        return np.concatenate([[0], self.ends[:-1]]).astype(np.int64)[: len(self.ends)]

    @cached_property
    def lengths(self) -> np.ndarray:
        """Tokens of each row: int64 `[rows]`."""
        return self.ends - self.starts

    @cached_property
    def places(self) -> np.ndarray:
        """The place of each token in its row, from 0: int64 `[tokens]`."""
        return np.arange(len(self.ids)) - np.repeat(self.starts, self.lengths)

    @cached_property
    def digest(self) -> str:
        """32 hexadecimal digits that identify the rows."""
        return hashlib.sha256(self.ends.tobytes() + self.ids.tobytes()).hexdigest()[:32]

    @cached_property
    def shared(self) -> np.ndarray:
        """How many ids a row begins with as the row before it does; -1 for the first row: int64 `[rows]`."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        starts_before, lengths_before = np.roll(self.starts, 1), np.roll(self.lengths, 1)
        is_there = self.places < np.repeat(lengths_before, self.lengths)
        before = np.where(is_there, np.repeat(starts_before, self.lengths) + self.places, 0)
        differs = ~is_there | (self.ids[before] != self.ids)
        first_to_differ = np.where(differs, self.places, np.repeat(self.lengths, self.lengths))
        shared = np.minimum.reduceat(first_to_differ, self.starts)
        shared[0] = -1
        return shared

    def part(self, rows: slice) -> "IdRows":
        """Returns neighbouring rows."""
        start, ends = self.starts[rows.start], self.ends[rows]
        return IdRows(self.ids[start : ends[-1]], ends - start)

    def blocks(self, n_rows: int) -> Iterator["IdRows"]:
        """Cuts the rows into blocks of `n_rows / 2` to `n_rows`, each time where neighbours share the fewest ids."""
        start = 0
        while len(self) - start > n_rows:
            first = start + (n_rows + 1) // 2
            shared = self.shared[first : start + n_rows + 1]
            end = first + int(np.flatnonzero(shared == shared.min())[-1])
            yield self.part(slice(start, end))
            start = end
        if len(self) > start:
            yield self.part(slice(start, len(self)))


def distinct_rows(rows: IdRows) -> tuple[IdRows, np.ndarray]:
    """Sorts rows by their ids, from left to right, and leaves out repetitions.

    Returns:
        The distinct rows, a row after its own beginnings; and which of them each row is: int64 `[rows]`.
    """
    text = rows.ids.astype(">i4").tobytes()  # most significant byte first: sorted as bytes is sorted as numbers
    keys = [text[start:end] for start, end in zip((4 * rows.starts).tolist(), (4 * rows.ends).tolist(), strict=True)]
    ordered = sorted(set(keys))
    number_of = {key: number for number, key in enumerate(ordered)}
    ids = np.frombuffer(b"".join(ordered), ">i4").astype(np.int32)
    ends = np.cumsum(np.fromiter(map(len, ordered), np.int64, len(ordered))) // 4
    return IdRows(ids, ends), np.fromiter(map(number_of.__getitem__, keys), np.int64, len(keys))


class WordOptions(Section, key="predictor"):
    """How sentences become words with probabilities."""

    start: bool
    """true: <eos> precedes the first word, as in training; false: nothing does, and first must be false."""
    first: bool
    """Whether the first word is scored."""
    end: bool
    """Whether the end of the sentence is scored; it is not in the released scorer."""
    unknown: Literal["scored", "left_out"]
    """OOV words: scored: as <unk>; left_out: read as <unk>, but not scored."""
    split_off: Annotated[
        list[Annotated[str, MinLen(1)]], Expected("a list of endings such as [.,?], or []", of_parts=True)
    ]
    """Endings that are separate words in the model's training text (BLiMP: himself.), such as [.,?]; []: none.

    They are split off a word after a letter or digit ("isn't." is read as is, n't and .), and their log-probabilities
    are the word's. BLiMP's sentences end with such words, those of CLAMS have none."""

    def __post_init__(self):
        super().__post_init__()
        if self.first and not self.start:
            raise BadValue("predictor.first", True, "false where predictor.start is false: nothing comes before it")

    def __str__(self) -> str:
        start = "<eos>" if self.start else "nothing"
        unknown = "counts as" if self.unknown == "scored" else "does not count, but is read as"
        split_off = f"; split off words: {' '.join(self.split_off)}" if self.split_off else ""
        return (
            f"{start} is read before the first word; the first word {_counts(self.first)}; the end "
            f"of the sentence {_counts(self.end)}; an OOV word {unknown} <unk>{split_off}"
        )

    def parts(self, word: str) -> list[str]:
        """Returns a word without its endings, then these."""
        for ending in self.split_off:
            if word.endswith(ending) and word[: -len(ending)][-1:].isalnum():
                return [*self.parts(word.removesuffix(ending)), ending]
        return [word]


def _counts(does: bool) -> str:
    return "counts" if does else "does not count"
