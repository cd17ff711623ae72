"""What every network that turns a sentence into one vector has, and how the states of its words become that vector."""

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from src.models.inputs.word_batch import WordBatch
from src.models.layers.full_precision import widened


class SentenceNetwork(Protocol):
    """A module that reads the words of sentences and pools their states: `BiLSTMLast`, `BiLSTMMax`, `GatedConvNet`.

    What it computes for a sentence does not depend on the other sentences of a batch, to rounding.
    """

    width: int
    """Of the vector of a sentence."""
    state_width: int
    """Of the state of a word."""
    input_rms: float | None
    """Root mean square that it expects of the numbers of its inputs; None: it learns from any."""

    def states(self, vectors: Tensor, words: WordBatch) -> Tensor:
        """Returns the state of every word: `[cells, state_width]`.

        Args:
            vectors: `[distinct inputs, input width]`.
        """

    def pooled(self, states: Tensor, words: WordBatch) -> Tensor:
        """Returns the vector of every sentence: `[sentences, width]`.

        Args:
            states: `[cells, state_width]`.
        """

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters."""


def input_scale(network: SentenceNetwork, vector_rms: float | None) -> float:
    """Returns what frozen vectors are multiplied by before a network reads them.

    Args:
        network: that reads them.
        vector_rms: root mean square of their numbers; None where it was not measured: they stay as they are.
    """
    return network.input_rms / vector_rms if network.input_rms and vector_rms else 1.0


def max_over_time(states: Tensor, lengths: Sequence[int]) -> Tensor:
    """Returns the largest of each number over the words of a sentence: `[sentences, width]`.

    Args:
        states: `[cells, width]`, sentence after sentence.
        lengths: of the sentences, in words, each at least 1.
    """
    return torch.segment_reduce(widened(states), "max", lengths=_tensor(lengths, states), axis=0, unsafe=True)


def mean_over_time(states: Tensor, lengths: Sequence[int]) -> Tensor:
    """Returns the mean of each number over the words of a sentence: `[sentences, width]`; arguments as above."""
    sizes = _tensor(lengths, states)
    sums = torch.segment_reduce(widened(states), "sum", lengths=sizes, axis=0, unsafe=True)
    return sums / sizes[:, None]


def first_and_last_cells(lengths: Sequence[int], device: torch.device) -> tuple[Tensor, Tensor]:
    """Returns where the first and the last word of each sentence are among the cells: `[sentences]` each."""
    sizes = torch.tensor(lengths, device=device)
    ends = sizes.cumsum(0)
    return ends - sizes, ends - 1


def _tensor(lengths: Sequence[int], like: Tensor) -> Tensor:
    return torch.tensor(lengths, device=like.device)
