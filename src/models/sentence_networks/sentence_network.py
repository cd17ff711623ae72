"""What every network that turns a sentence into one vector has, and how the states of its words become that vector."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor, nn

from polyprobe.models.inputs.word_batch import WordBatch
from polyprobe.models.layers.bilstm import BiLSTM
from polyprobe.models.layers.full_precision import widened
from polyprobe.models.layers.initialisation import initialise_lstm_evenly
from polyprobe.models.layers.shared_dropout import DropShare
from polyprobe.section import Count, checked


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


class BiLSTMStates(nn.Module, ABC):
    """Reads sentences in both directions; a subclass says how the states become one vector.

        vector of a word -> bi-LSTM -> dropout -> bi-LSTM -> pooled

    Conneau et al. 2018 give "2 layers of 512 units" and 4M parameters, which identify no layout of 300 wide vectors:
    512 a direction are 9.6M in two layers and 3.3M in one, 256 a direction 2.7M. They give no initialisation either;
    ours is that of the framework, since the article's untrained encoders can hardly have had another.

    Args:
        input_size: width of the vector of a word.
        hidden_size: width of a state of one direction.
        n_layers: bi-LSTM layers.
        dropout: share of the numbers that is dropped between the layers, in training.
    """

    input_rms = None

    @checked("model.encoder")
    def __init__(self, input_size: int, hidden_size: Count, n_layers: Count, dropout: DropShare):
        super().__init__()
        self.state_width = self.width = 2 * hidden_size
        widths = [input_size, *[self.state_width] * (n_layers - 1)]
        self.layers = nn.ModuleList(BiLSTM(width, hidden_size) for width in widths)
        self.dropout = nn.Dropout(dropout)

    def states(self, vectors: Tensor, words: WordBatch) -> Tensor:
        """Returns the states of the highest layer, forward then backward: `[cells, state_width]`.

        Args:
            vectors: `[distinct inputs, input_size]`.
        """
        first, *others = self.layers
        states = first(vectors, words.input_of_cell, words.packing)
        for layer in others:
            states = layer(self.dropout(states), None, words.packing)
        return states

    @abstractmethod
    def pooled(self, states: Tensor, words: WordBatch) -> Tensor:
        """Returns the vector of every sentence: `[sentences, width]`."""

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters: uniform numbers within one over the root of the hidden size."""
        for layer in self.layers:
            initialise_lstm_evenly(layer, generator)


class BiLSTMLast(BiLSTMStates):
    """Joins the forward state at the last word and the backward state at the first."""

    def pooled(self, states: Tensor, words: WordBatch) -> Tensor:
        forward, backward = states.chunk(2, dim=1)
        first, last = first_and_last_cells(words.lengths, states.device)
        return torch.cat([forward.index_select(0, last), backward.index_select(0, first)], dim=1)


class BiLSTMMax(BiLSTMStates):
    """Takes the maximum of each number over the words (Conneau et al. 2017 and 2018).

    InferSent's first release also took it over padding.
    """

    def pooled(self, states: Tensor, words: WordBatch) -> Tensor:
        return max_over_time(states, words.lengths)
