"""Sequences for a transformer: special tokens around pieces, long sentences in windows, the row of each piece."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from src.encoders.transformer.batches import NO_ROW, PieceSequence
from src.encoders.transformer.pieces import SentencePieces
from src.items import Item, Sentence, sentence_of, span_of

WORD_POOLING = ("first", "last", "mean", "max")


@dataclass(frozen=True, eq=False, slots=True)
class SequenceLayout:
    """The form of the sequences of a model, and which of their pieces count."""

    prefix: np.ndarray
    suffix: np.ndarray
    """Ids, as `prefix`, of the special tokens before and after the pieces of every sequence."""
    capacity: int | None
    """Pieces of words that a sequence may have; None without a limit."""
    word_pooling: str
    sentence_pooling: str
    """Both: see `TransformerOptions`."""

    def splits(self, pieces: SentencePieces) -> bool:
        """Says whether the sentence needs more than one sequence."""
        return self.capacity is not None and len(pieces.ids) > self.capacity

    def sequences(self, pieces: SentencePieces, word_rows: np.ndarray, sentence_row: int) -> Iterator[PieceSequence]:
        """Yields those sequences of a sentence that hold a piece that counts.

        Args:
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


@dataclass(frozen=True, eq=False)
class Targets:
    """The vectors that a block of items needs, each once."""

    sentences: tuple[tuple[str, ...], ...]
    """Distinct, as they go through the model."""
    sentence_of_item: np.ndarray
    """`[items]`, numbers of sentences."""
    word_of_item: np.ndarray
    """`[items]`, the word in its sentence; `NO_ROW` where the item is the whole sentence."""
    word_rows: tuple[np.ndarray, ...]
    """For each sentence `[words]`, the row of each word's vector; `NO_ROW` for words that are not needed."""
    sentence_rows: np.ndarray
    """`[sentences]`, the same for their own vectors."""

    @property
    def n_words(self) -> int:
        return 1 + max(rows.max() for rows in self.word_rows)

    @property
    def n_sentences(self) -> int:
        return 1 + self.sentence_rows.max()

    def of_items(self, words: Sequence[np.ndarray], sentences: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Returns the items' vectors from those of the rows; `[rows, width]` to `[items, width]` for each layer."""
        is_sentence = self.word_of_item == NO_ROW
        places = zip(self.sentence_of_item[~is_sentence], self.word_of_item[~is_sentence], strict=True)
        rows_of_words = [self.word_rows[sentence][word] for sentence, word in places]
        rows_of_sentences = self.sentence_rows[self.sentence_of_item[is_sentence]]
        vectors = tuple(np.empty((len(is_sentence), layer.shape[1]), np.float32) for layer in words)
        for layer, word_layer, sentence_layer in zip(vectors, words, sentences, strict=True):
            layer[~is_sentence] = word_layer[rows_of_words]
            layer[is_sentence] = sentence_layer[rows_of_sentences]
        return vectors


def targets(items: Sequence[Item], cased: Callable[[str], str]) -> Targets:
    """Collects the targets of items; a form is the first word of its sentence of one word.

    Args:
        items: a block, not empty.
    """
    by_words: dict[tuple[str, ...], int] = {}
    original = list(map(sentence_of, items))
    number_of = {
        words: by_words.setdefault(tuple(map(cased, words)), len(by_words)) for words in dict.fromkeys(original)
    }
    sentence_of_item = np.array([number_of[words] for words in original])
    word_of_item = np.array([NO_ROW if isinstance(item, Sentence) else span_of(item)[0] for item in items])
    sentence_rows = np.full(len(by_words), NO_ROW)
    wanted = np.unique(sentence_of_item[word_of_item == NO_ROW])
    sentence_rows[wanted] = np.arange(len(wanted))
    word_rows = _word_rows(by_words, zip(sentence_of_item.tolist(), word_of_item.tolist(), strict=True))
    return Targets(tuple(by_words), sentence_of_item, word_of_item, word_rows, sentence_rows)


def _word_rows(sentences: Iterable[Sequence[str]], places: Iterable[tuple[int, int]]) -> tuple[np.ndarray, ...]:
    rows = tuple(np.full(len(words), NO_ROW) for words in sentences)
    wanted = (place for place in dict.fromkeys(places) if place[1] != NO_ROW)
    for row, (sentence, word) in enumerate(wanted):
        rows[sentence][word] = row
    return rows
