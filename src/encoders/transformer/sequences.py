"""Sequences for a transformer: special tokens around pieces, long sentences in windows, the row of each piece.

They are batched with those alike in length, no more positions than a budget, and pooled into their rows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from polyprobe.encoders.transformer.pieces import SentencePieces
from polyprobe.items import Item, Sentence, sentence_of, span_of, text_of

NO_ROW = -1


@dataclass(frozen=True, eq=False, slots=True)
class PieceSequence:
    """A sequence of pieces for the model, special tokens included; all `[pieces]`, int64."""

    ids: np.ndarray
    word_rows: np.ndarray
    """The row of the word vector that the piece adds to; `NO_ROW` for none."""
    sentence_rows: np.ndarray
    """The same for vectors of sentences."""


@dataclass(frozen=True, eq=False, slots=True)
class PieceBatch:
    """Sequences padded on the right to the longest; all `[batch, pieces]`."""

    ids: Tensor
    """Int64."""
    is_real: Tensor | None
    """True at pieces, False at padding; None where there is no padding."""
    word_rows: Tensor
    sentence_rows: Tensor
    """Both int64, see `PieceSequence`."""


def batches(sequences: Sequence[PieceSequence], token_budget: int, padding_id: int) -> Iterator[PieceBatch]:
    """Yields all sequences, the longest first, in batches of at most `token_budget` positions, padding included.

    A sequence that is longer than the budget is a batch of its own.
    """
    for numbers in within_budget([len(sequence.ids) for sequence in sequences], token_budget):
        yield _padded([sequences[number] for number in numbers], padding_id)


def within_budget(lengths: Sequence[int], token_budget: int) -> Iterator[list[int]]:
    """Yields the numbers of the sequences of each batch, by falling length."""
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda number: -lengths[number]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > token_budget:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _padded(sequences: Sequence[PieceSequence], padding_id: int) -> PieceBatch:
    lengths = np.array([len(sequence.ids) for sequence in sequences])
    is_real = np.arange(lengths.max()) < lengths[:, None]
    ids = _filled(is_real, [sequence.ids for sequence in sequences], padding_id)
    word_rows = _filled(is_real, [sequence.word_rows for sequence in sequences], NO_ROW)
    sentence_rows = _filled(is_real, [sequence.sentence_rows for sequence in sequences], NO_ROW)
    return PieceBatch(ids, None if is_real.all() else torch.from_numpy(is_real), word_rows, sentence_rows)


def _filled(is_real: np.ndarray, values: Sequence[np.ndarray], padding: int) -> Tensor:
    matrix = np.full(is_real.shape, padding, np.int64)
    matrix[is_real] = np.concatenate(values)
    return torch.from_numpy(matrix)


class PooledRows:
    """Means or maxima of pieces that come in any number of batches: one row a word or sentence, in every layer."""

    def __init__(self, n_rows: int, widths: Sequence[int], maximum: bool, device: torch.device):
        self._maximum = maximum
        start = -torch.inf if maximum else 0.0
        self._layers = [torch.full((n_rows, width), start, device=device) for width in widths]
        self._counts = torch.zeros(n_rows, 1, device=device)
        self._positions = self._rows = torch.zeros(0, dtype=torch.long, device=device)

    def begin(self, rows: Tensor) -> None:
        """Begins a batch, of which each layer is then added.

        Args:
            rows: `[batch, pieces]`, int64; `NO_ROW` for a piece that does not count.
        """
        device, rows = self._counts.device, rows.flatten()
        positions = torch.nonzero(rows != NO_ROW).squeeze(1)
        self._positions, self._rows = positions.to(device), rows[positions].to(device)
        self._counts.index_add_(0, self._rows, torch.ones(len(positions), 1, device=device))

    def add(self, number: int, layer: Tensor) -> None:
        """Adds the pieces of the batch to their rows, in float32.

        Args:
            number: of the layer, among those that have a width.
            layer: `[batch, pieces, width]`.
        """
        if not len(self._positions):
            return
        pieces, pooled = layer.flatten(0, 1)[self._positions].float(), self._layers[number]
        if self._maximum:
            pooled.scatter_reduce_(0, self._rows[:, None].expand_as(pieces), pieces, "amax")
        else:
            pooled.index_add_(0, self._rows, pieces)

    def vectors(self) -> list[np.ndarray]:
        """Returns `[rows, width]`, float32, for each layer."""
        assert bool((self._counts > 0).all()), "a row without pieces"
        counts = torch.ones_like(self._counts) if self._maximum else self._counts
        return [(layer / counts).cpu().numpy() for layer in self._layers]


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
    """Distinct, as they go through the model: words; or what stands between the blanks of a text."""
    are_texts: tuple[bool, ...]
    """Which of them are read as running text."""
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


def targets(items: Sequence[Item], cased: Callable[[str], str], as_texts: bool = False) -> Targets:
    """Collects the targets of items; a form is the first word of its sentence of one word.

    Args:
        as_texts: whether items that are sentences are read as running text.
    """
    by_words: dict[tuple[tuple[str, ...], bool], int] = {}
    texts = [as_texts and isinstance(item, Sentence) for item in items]
    original = [
        (tuple(text_of(item).split(" ")) if is_text else sentence_of(item), is_text)
        for item, is_text in zip(items, texts, strict=True)
    ]
    number_of = {
        read: by_words.setdefault((tuple(map(cased, read[0])), read[1]), len(by_words))
        for read in dict.fromkeys(original)
    }
    sentence_of_item = np.array([number_of[read] for read in original])
    word_of_item = np.array([NO_ROW if isinstance(item, Sentence) else span_of(item)[0] for item in items])
    sentence_rows = np.full(len(by_words), NO_ROW)
    wanted = np.unique(sentence_of_item[word_of_item == NO_ROW])
    sentence_rows[wanted] = np.arange(len(wanted))
    sentences, are_texts = zip(*by_words, strict=True)
    word_rows = _word_rows(sentences, zip(sentence_of_item.tolist(), word_of_item.tolist(), strict=True))
    return Targets(sentences, are_texts, sentence_of_item, word_of_item, word_rows, sentence_rows)


def _word_rows(sentences: Iterable[Sequence[str]], places: Iterable[tuple[int, int]]) -> tuple[np.ndarray, ...]:
    rows = tuple(np.full(len(words), NO_ROW) for words in sentences)
    wanted = (place for place in dict.fromkeys(places) if place[1] != NO_ROW)
    for row, (sentence, word) in enumerate(wanted):
        rows[sentence][word] = row
    return rows
