"""LSTM layers over words, with a prediction of the next word at every step."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from polyprobe.errors import BadValue, check_above_zero
from polyprobe.models.layers.full_precision import lstm_precision
from polyprobe.models.layers.initialisation import initialise_lstm_evenly
from polyprobe.models.layers.linear_cross_entropy import log_probabilities, summed_cross_entropy
from polyprobe.models.layers.shared_dropout import DropShare
from polyprobe.section import Count, checked

State = tuple[Tensor, Tensor]
"""State and cell of one layer, `[1, columns, hidden_size]` each."""


@dataclass(frozen=True, slots=True)
class PrefixStates:
    """The states of a network after several prefixes."""

    hidden: Tensor
    cells: Tensor
    """Both `[layers, prefixes, hidden_size]`."""

    @property
    def top(self) -> Tensor:
        """The state from which the next word is predicted: `[prefixes, hidden_size]`."""
        return self.hidden[-1]

    def of(self, prefixes: Tensor) -> "PrefixStates":
        """Returns the states of some prefixes, by number, in any order and as often as requested."""
        return PrefixStates(self.hidden[:, prefixes], self.cells[:, prefixes])


class TextLSTM(nn.Module):
    """Reads words and predicts the word after each.

        word -> vector -> dropout -> LSTM layers, dropout between them -> dropout -> linear -> every word

    Args:
        n_words: of the vocabulary.
        word_size: width of a vector.
        hidden_size: width of a state.
        tied: whether the vectors of words are also the weights of the output; needs equal widths.
    """

    @checked("model")
    def __init__(
        self, n_words: int, word_size: Count, hidden_size: Count, n_layers: Count, dropout: DropShare, tied: bool
    ):
        super().__init__()
        if tied and word_size != hidden_size:
            raise BadValue("model.word_size", word_size, f"model.hidden_size={hidden_size} where model.tied is true")
        self.embedding = nn.Embedding(n_words, word_size)
        self.layers = nn.ModuleList(
            nn.LSTM(width, hidden_size) for width in [word_size, *[hidden_size] * (n_layers - 1)]
        )
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden_size, n_words)
        if tied:
            self.output.weight = self.embedding.weight

    @property
    def widths(self) -> tuple[int, ...]:
        """The widths of the vectors and of the states of each layer."""
        return self.embedding.embedding_dim, *(layer.hidden_size for layer in self.layers)

    def forward(self, word_ids: Tensor, begin: Sequence[State]) -> tuple[list[Tensor], list[State]]:
        """Reads columns of text; time runs down.

        Args:
            word_ids: `[steps, columns]`.
            begin: for each layer the state before.

        Returns:
            `[steps, columns, width]` for the vectors and for each layer, before dropout; and the states after.
        """
        outputs, ends = [self.embedding(word_ids)], []
        for layer, state in zip(self.layers, begin, strict=True):
            with lstm_precision(word_ids.device):
                output, end = layer(self.dropout(outputs[-1]), state)
            outputs.append(output)
            ends.append(end)
        return outputs, ends

    def loss(self, states: Tensor, word_ids: Tensor, divisor: float) -> Tensor:
        """Returns the surprisals of words in nats, summed and divided; all steps of a batch in one product.

        Args:
            states: `[words, hidden_size]`, of the top layer.
            word_ids: `[words]`, the words that follow.
        """
        return summed_cross_entropy(self.dropout(states), self.output.weight, self.output.bias, word_ids, divisor)

    def zero_states(self, n_columns: int) -> list[State]:
        """Returns the state of each layer before any text."""
        zeros = [self.embedding.weight.new_zeros(1, n_columns, layer.hidden_size) for layer in self.layers]
        return [(state, state) for state in zeros]

    def first_states(self, n_prefixes: int) -> PrefixStates:
        """Returns the states before any word. A sentence begins with the word `END_ID`, as `next_states` reads it."""
        return _joined(self.zero_states(n_prefixes))

    @torch.no_grad()
    def next_states(self, states: PrefixStates, word_ids: Tensor) -> PrefixStates:
        """Extends every prefix by one word: `[prefixes]`. For a network in evaluation mode."""
        begin = [(hidden[None], cells[None]) for hidden, cells in zip(states.hidden, states.cells, strict=True)]
        _, ends = self(word_ids[None], begin)
        return _joined(ends)

    def log_probabilities(self, states: Tensor, prefix_of_word: Tensor, word_ids: Tensor) -> Tensor:
        """Returns the log-probability in nats of words after prefixes, float32: `[words]`.

        Args:
            states: `[prefixes, hidden_size]`, `PrefixStates.top`; each is normalised once, however many words follow.
            prefix_of_word: `[words]`, rising: the number of the prefix that a word is to follow.
            word_ids: `[words]`; `END_ID` is the end of the sentence, `UNKNOWN_ID` any unknown word.
        """
        return log_probabilities(states, self.output.weight, self.output.bias, prefix_of_word, word_ids)

    @torch.no_grad()
    def initialise(self, first_range: float, generator: torch.Generator) -> None:
        """Draws all parameters: uniform numbers; those of an LSTM within one over the root of its hidden size.

        Args:
            first_range: the largest number of vectors and output weights.
        """
        check_above_zero("model.first_range", first_range)
        for layer in self.layers:
            initialise_lstm_evenly(layer, generator)
        for weight in (self.embedding.weight, self.output.weight):
            nn.init.uniform_(weight, -first_range, first_range, generator=generator)
        nn.init.zeros_(self.output.bias)


def _joined(states: Sequence[State]) -> PrefixStates:
    hidden, cells = zip(*states, strict=True)
    return PrefixStates(torch.cat(hidden), torch.cat(cells))
