"""Sentences as rows of integers: each distinct row once, sorted, in blocks that share almost nothing."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class IdRows:
    """Rows of different lengths, one after the other.

    Attributes:
        ids: int32 `[tokens]`.
        ends: where each row ends: int64 `[rows]`.
    """

    ids: np.ndarray
    ends: np.ndarray

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
    return IdRows(ids, _ends(ordered)), np.fromiter(map(number_of.__getitem__, keys), np.int64, len(keys))


def _ends(keys: Sequence[bytes]) -> np.ndarray:
    return np.cumsum(np.fromiter(map(len, keys), np.int64, len(keys))) // 4
