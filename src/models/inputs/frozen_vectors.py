"""Frozen vectors as the inputs of a network: an encoder computes them, and a checkpoint does not contain them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from polyprobe.formats.reading.case import lower_cased
from polyprobe.models.inputs.word_batch import Coder, WordBatch, word_batch
from polyprobe.models.layers.packing import Batch

NO_OFFSET = 0
"""Row of every word that has no learned offset."""


class Source(Protocol):
    """Where frozen vectors come from.

    Inputs are numbered from 0 in the order in which they are met: distinct words, or words of distinct sentences where
    a vector depends on the sentence.
    """

    fingerprint: str
    """Of all that can change a vector."""
    words: Sequence[str]
    """The word of each number."""

    def meet(self, sentences: Sequence[Sequence[str]]) -> None:
        """Numbers the inputs of sentences and fetches their vectors, all at once."""

    def numbers(self, words: Sequence[str]) -> np.ndarray:
        """Returns the numbers of a sentence's inputs: `[words]`."""

    def vectors(self, numbers: np.ndarray) -> np.ndarray:
        """Returns the vectors of inputs: `[numbers, width]`, float32."""

    def known(self, words: Sequence[str]) -> np.ndarray | None:
        """Says which words the vocabulary has: bool `[words]`; None where there is none."""


@dataclass(frozen=True, slots=True)
class VectorInputs(Batch):
    """Distinct inputs of a batch."""

    vectors: Tensor
    """`[distinct inputs, width]`, frozen."""
    offset_ids: Tensor
    """`[distinct inputs]`, rows of the learned offsets."""


class VectorCoder(Coder):
    """The coder of frozen vectors. It needs a source before anything is coded; the source numbers words, for good.

    Args:
        tuned: words with a learned offset, lower-cased by `case`; the k-th has row k + 1.
        case: the rule by which words are lower-cased before they are looked up there, see `case_rule`.
        width: of a vector.

    Attributes:
        source: where the vectors come from; None until one is attached.
    """

    def __init__(self, tuned: Sequence[str], case: str, width: int):
        self.case, self.width = case, width
        self.source: Source | None = None
        self._offset_row = {word: row for row, word in enumerate(tuned, start=NO_OFFSET + 1)}

    def meet(self, sentences: Sequence[Sequence[str]]) -> None:
        """Encodes all sentences at once: far cheaper than one sentence after the other."""
        self._source().meet(sentences)

    def numbers(self, words: Sequence[str]) -> np.ndarray:
        return self._source().numbers(words)

    def batch(self, sentences: Sequence[np.ndarray]) -> WordBatch:
        return word_batch(sentences, self._inputs)

    def known(self, words: Sequence[str]) -> np.ndarray | None:
        return self._source().known(words)

    def counts(self) -> dict[str, int]:
        return {
            "pretrained embeddings (frozen)": len(self._source().words),
            "dimensions of a pretrained embedding": self.width,
            "words with a learned offset": len(self._offset_row),
        }

    def _source(self) -> Source:
        assert self.source is not None, "a model that reads frozen vectors is opened by open_model"
        return self.source

    def _inputs(self, distinct: np.ndarray) -> VectorInputs:
        source = self._source()
        vectors = torch.from_numpy(source.vectors(distinct))
        if not self._offset_row:
            return VectorInputs(vectors, torch.full((len(distinct),), NO_OFFSET))
        words = (lower_cased(source.words[number], self.case) for number in distinct)
        return VectorInputs(vectors, torch.tensor([self._offset_row.get(word, NO_OFFSET) for word in words]))


class FrozenVectors(nn.Module):
    """Looks up the frozen vector of each distinct input, plus a learned offset for words of train where requested.

        frozen vector  +  offset of the word, zero at the start and for words that train lacks

    Args:
        width: of a vector.
        reads_context: whether a vector depends on the sentence.
        fingerprint: of the source; another source is refused.
        tuned: words with a learned offset, lower-cased by `case`; empty where all is frozen.
        case: see `VectorCoder`.

    Attributes:
        coder: makes its batches, once a source is attached.
    """

    def __init__(self, width: int, reads_context: bool, fingerprint: str, tuned: list[str], case: str):
        super().__init__()
        self.width, self.reads_context, self.fingerprint = width, reads_context, fingerprint
        self.coder = VectorCoder(tuned, case, width)
        self.offsets = nn.Embedding(len(tuned) + 1, width, padding_idx=NO_OFFSET) if tuned else None

    def attach(self, source: Source) -> None:
        """Sets the source of the vectors, which must be that of training."""
        assert source.fingerprint == self.fingerprint, "the source of other vectors"
        self.coder.source = source

    def forward(self, batch: WordBatch) -> Tensor:
        """Returns `[distinct inputs, width]`."""
        inputs = batch.inputs
        return inputs.vectors if self.offsets is None else inputs.vectors + self.offsets(inputs.offset_ids)

    def initialise(self, generator: torch.Generator) -> None:
        """Sets the offsets to zero: nothing is drawn."""
        if self.offsets is not None:
            nn.init.zeros_(self.offsets.weight)
