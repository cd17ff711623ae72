"""Sequences for a transformer: special tokens around pieces, long sentences in windows, the row of each piece."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from src.encoders.transformer.batches import NO_ROW, PieceSequence
from src.encoders.transformer.pieces import SentencePieces

WORD_POOLING = ("first", "last", "mean", "max")


@dataclass(frozen=True, eq=False, slots=True)
class SequenceLayout:
    """The form of the sequences of a model, and which of their pieces count.

    Attributes:
        prefix, suffix: ids of the special tokens before and after the pieces of every sequence.
        capacity: pieces of words that a sequence may have; None without a limit.
        word_pooling, sentence_pooling: see `TransformerOptions`.
    """

    prefix: np.ndarray
    suffix: np.ndarray
    capacity: int | None
    word_pooling: str
    sentence_pooling: str

    def splits(self, pieces: SentencePieces) -> bool:
        """Says whether the sentence needs more than one sequence."""
        return self.capacity is not None and len(pieces.ids) > self.capacity

    def sequences(self, pieces: SentencePieces, word_rows: np.ndarray, sentence_row: int) -> Iterator[PieceSequence]:
        """Yields those sequences of a sentence that hold a piece that counts.

        Args:
            pieces: of the sentence.
            word_rows: `[words]`, where the pieces of each word add up; `NO_ROW` for nowhere.
            sentence_row: the same for the sentence's own vector.
        """
        rows = np.where(_counted(pieces.words, self.word_pooling), word_rows[pieces.words], NO_ROW)
        starts = window_starts(pieces.words, self.capacity or len(pieces.ids))
        for start, end in zip(starts, [*starts[1:], len(pieces.ids)], strict=True):
            ids = np.concatenate([self.prefix, pieces.ids[start:end], self.suffix])
            sentence_rows = self._sentence_rows(end - start, sentence_row, start == 0, end == len(pieces.ids))
            sequence = PieceSequence(ids, self._surrounded(rows[start:end], NO_ROW), sentence_rows)
            if sequence.word_rows.max() > NO_ROW or sequence.sentence_rows.max() > NO_ROW:
                yield sequence

    def _sentence_rows(self, n_pieces: int, row: int, is_first: bool, is_last: bool) -> np.ndarray:
        inner = NO_ROW if self.sentence_pooling in ("cls", "last") else row
        outer = row if self.sentence_pooling == "mean_with_special_tokens" else NO_ROW
        rows = self._surrounded(np.full(n_pieces, inner), outer)
        if self.sentence_pooling == "cls" and is_first:
            rows[0] = row
        if self.sentence_pooling == "last" and is_last:
            rows[-1] = row  # of a special token, where the tokenizer ends with one
        return rows

    def _surrounded(self, rows: np.ndarray, outer: int) -> np.ndarray:
        """Adds the rows of the special tokens."""
        return np.pad(rows, (len(self.prefix), len(self.suffix)), constant_values=outer)


def window_starts(words: np.ndarray, capacity: int) -> list[int]:
    """Splits pieces into windows of at most `capacity`, from left to right, each as full as borders of words allow.

    A word that is longer than a window begins one and is cut where that is full.

    Args:
        words: `[pieces]`, the word of each piece, ascending.
        capacity: at least 1.

    Returns:
        Where each window begins; the first at 0.
    """
    starts = [0]
    while len(words) - starts[-1] > capacity:
        end = starts[-1] + capacity
        border = int(np.searchsorted(words, words[end]))  # where the word at `end` begins
        starts.append(border if border > starts[-1] else end)
    return starts


def _counted(words: np.ndarray, word_pooling: str) -> np.ndarray:
    """Says which pieces of `words`, `[pieces]`, count for the vector of their word."""
    changes = words[1:] != words[:-1]
    if word_pooling == "first":
        return np.concatenate([[True], changes])
    if word_pooling == "last":
        return np.concatenate([changes, [True]])
    return np.full(len(words), True)
