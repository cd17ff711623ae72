"""Sentences as tensors, packed cells over distinct inputs, each distinct word once; and what reads them: `Reader`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from polyprobe.models.base.task_coder import InputCoder, blocks_of_sentences
from polyprobe.models.inputs.vocabularies import WordVocabulary
from polyprobe.models.layers.packing import Batch, Packing

NO_LOSS = -100
"""Label id, or role id, of a word that is neither in the loss nor in a score."""

UNKNOWN_LABEL = -1
"""Label id of a word whose gold label train lacks: not in the loss, an error in every score."""


@dataclass(frozen=True, slots=True)
class NgramInputs(Batch):
    """Distinct words as rows of a vocabulary."""

    word_ids: Tensor
    """`[distinct words]`, rows of `WordVocabulary.words`."""
    ngram_ids: Tensor
    """`[n-grams]`, rows of `WordVocabulary.ngrams`, distinct word after distinct word."""
    ngram_starts: Tensor
    """`[distinct words]`, where the n-grams of a distinct word begin in `ngram_ids`."""


@dataclass(frozen=True, slots=True)
class WordBatch(Batch):
    """The input of a network over words. A cell is a word of a sentence; cells are ordered sentence after sentence."""

    inputs: Any
    """The distinct inputs for the network's reader: `NgramInputs`, `TrigramBatch` or `VectorInputs`."""
    input_of_cell: Tensor
    """`[cells]`, which distinct input a cell reads."""
    packing: Packing
    """Of the sentences over their words."""
    lengths: tuple[int, ...]
    """Of the sentences, in words."""


@dataclass(frozen=True, slots=True)
class LabelledBatch(Batch):
    """Sentences, or pairs of them, with gold labels."""

    words: WordBatch
    label_ids: Tensor
    """`[cells]` or `[pairs]`; `NO_LOSS` and `UNKNOWN_LABEL` are possible."""
    n_items: float
    """What the loss is divided by."""


class Coder(InputCoder, ABC):
    """Turns sentences into batches for one kind of reader.

    Distinct inputs of a batch are in the order in which the coder met them. If sums of gradients must be the same in
    every run, code all sentences first, in a fixed order.
    """

    @abstractmethod
    def numbers(self, words: Sequence[str]) -> np.ndarray:
        """Codes a sentence: `[words]`, numbers of distinct inputs in the coder's list."""

    @abstractmethod
    def batch(self, sentences: Sequence[np.ndarray]) -> WordBatch:
        """Joins coded sentences, at least one, each of at least one word."""


class LearnedCoder(Coder):
    """Looks the rows of each distinct word up once; meeting sentences first would make it no cheaper."""

    spelled: Callable[[str], str] = staticmethod(str)
    """Words are distinct that differ in what this makes of them."""

    def __init__(self, vocabulary: Any):
        self.vocabulary = vocabulary
        self.forget()

    @abstractmethod
    def rows_of(self, word: str) -> Any:
        """Looks a word up in the vocabulary."""

    @abstractmethod
    def inputs(self, rows: list[Any]) -> Any:
        """Joins the rows of the distinct words of a batch, for a reader."""

    def forget(self) -> None:
        self._number_of: dict[str, int] = {}
        self._rows: list[Any] = []

    def numbers(self, words: Sequence[str]) -> np.ndarray:
        return np.array([self._number(self.spelled(word)) for word in words], dtype=np.int64)

    def batch(self, sentences: Sequence[np.ndarray]) -> WordBatch:
        return word_batch(sentences, lambda distinct: self.inputs([self._rows[number] for number in distinct]))

    def _number(self, word: str) -> int:
        if word not in self._number_of:
            self._rows.append(self.rows_of(word))
            self._number_of[word] = len(self._rows) - 1
        return self._number_of[word]


class WordCoder(LearnedCoder):
    """The coder of learned words, which are distinct as written."""

    vocabulary: WordVocabulary

    def rows_of(self, word: str) -> tuple[int, np.ndarray]:
        return self.vocabulary.word_row(word), np.array(self.vocabulary.ngram_rows(word), dtype=np.int64)

    def inputs(self, rows: list[tuple[int, np.ndarray]]) -> NgramInputs:
        words, ngrams = zip(*rows, strict=True)
        n_ngrams = np.array([len(of_word) for of_word in ngrams], dtype=np.int64)
        starts = torch.from_numpy(np.cumsum(n_ngrams) - n_ngrams)
        return NgramInputs(torch.tensor(words), torch.from_numpy(np.concatenate(ngrams)), starts)

    def counts(self) -> dict[str, int]:
        words, ngrams = self.vocabulary.words, self.vocabulary.ngrams
        return {"words of the vocabulary": len(words), "n-grams of the vocabulary": len(ngrams)}


def word_batch(sentences: Sequence[np.ndarray], inputs_of: Callable[[np.ndarray], Any]) -> WordBatch:
    """Joins coded sentences.

    Args:
        sentences: at least one, each of at least one word: numbers of its words.
        inputs_of: takes the distinct numbers, ascending, and returns the inputs of the reader.
    """
    lengths = tuple(len(numbers) for numbers in sentences)
    distinct, input_of_cell = np.unique(np.concatenate(sentences), return_inverse=True)
    return WordBatch(inputs_of(distinct), torch.from_numpy(input_of_cell), Packing.of(lengths), lengths)


def word_batches(coder: Coder, sentences: Sequence[Sequence[str]]) -> Iterator[WordBatch]:
    """Yields batches of sentences, in their order, of about as many words as `blocks_of_sentences` says."""
    coder.meet(sentences)
    for block in blocks_of_sentences(sentences, list(map(len, sentences))):
        yield coder.batch([coder.numbers(words) for words in block])


def label_ids_of(labels: Sequence[str], id_of: Mapping[str, int]) -> np.ndarray:
    """Codes the labels of a sentence: `[words]`, `UNKNOWN_LABEL` where `id_of` lacks one."""
    return np.array([id_of.get(label, UNKNOWN_LABEL) for label in labels], dtype=np.int64)


def label_loss(scores: Tensor, label_ids: Tensor) -> Tensor:
    """Returns the negative log-likelihood of labels in nats, summed, float32; of unknown ones and `NO_LOSS` none is.

    Args:
        scores: `[items, labels]`, unnormalised.
        label_ids: `[items]`.
    """
    gold = label_ids.masked_fill(label_ids < 0, NO_LOSS)
    return F.cross_entropy(scores.float(), gold, ignore_index=NO_LOSS, reduction="sum")


class Reader(Protocol):
    """A module that maps words to vectors: `LearnedWords`, `TrigramWords` or `FrozenVectors`."""

    coder: Coder
    """Makes the batches that it reads."""
    width: int
    """Of a vector."""
    reads_context: bool
    """Whether the vector of a word depends on its sentence."""

    def __call__(self, batch: WordBatch) -> Tensor:
        """Returns `[distinct inputs, width]`."""

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters."""
