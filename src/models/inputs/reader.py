"""Readers: where a network over words takes its vectors from."""

from typing import Protocol

import torch
from torch import Tensor

from src.models.inputs.word_batch import Coder, WordBatch


class Reader(Protocol):
    """A module that maps words to vectors: `LearnedWords`, `TrigramWords` or `FrozenVectors`.

    Attributes:
        coder: makes the batches that it reads.
        width: of a vector.
        reads_context: whether the vector of a word depends on its sentence.
    """

    coder: Coder
    width: int
    reads_context: bool

    def __call__(self, batch: WordBatch) -> Tensor:
        """Returns `[distinct inputs, width]`."""

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters."""


def word_layers(reader: Reader) -> tuple[str, ...]:
    """Names the layers that read a word without its sentence, of a model whose lowest layer, "words", is the reader."""
    return () if reader.reads_context else ("words",)
