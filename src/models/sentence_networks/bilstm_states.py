"""BiLSTM-last and BiLSTM-max of Conneau et al. 2018: bi-LSTM layers over words, whose states become one vector."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from src.models.inputs.word_batch import WordBatch
from src.models.layers.bilstm import BiLSTM
from src.models.layers.initialisation import initialise_lstm_evenly
from src.models.layers.shared_dropout import DropShare
from src.models.sentence_networks.sentence_network import first_and_last_cells, max_over_time
from src.section import Count, checked


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
        each = torch.arange(len(states), device=states.device)
        for layer in others:
            states = layer(self.dropout(states), each, words.packing)
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
