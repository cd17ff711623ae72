"""The decoder of BiLSTM-Att in Table 3 of Conneau et al. 2018: it attends to the words of the sentence."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from src.models.decoders.decoder import EncodedSentences
from src.models.decoders.unit_decoder import UnitDecoder
from src.models.layers.full_precision import full_precision, widened


class AttentionDecoder(UnitDecoder):
    """Generates units from the vector of a sentence and from the states of its words.

        state d of the LSTM -> softmax over the words of (W d) e -> mean of their states e
        -> tanh(linear(mean, d)) -> dropout -> linear -> every unit

    The article only says that there is attention. We assume Luong et al. 2015, "general", without feeding the result
    into the next step; and that the vector of the sentence is read at every step, as without attention.

    Args:
        sentence_size: width of the vector of a sentence.
        state_size: width of the state of a word.
        n_units, unit_size, hidden_size, n_layers, dropout: see `UnitDecoder`.
    """

    def __init__(
        self,
        sentence_size: int,
        state_size: int,
        n_units: int,
        unit_size: int,
        hidden_size: int,
        n_layers: int,
        dropout: float,
    ):
        super().__init__(sentence_size, n_units, unit_size, hidden_size, n_layers, dropout)
        self.query = nn.Linear(hidden_size, state_size, bias=False)
        self.joined = nn.Linear(state_size + hidden_size, hidden_size)

    def predicting(self, states: Tensor, encoded: EncodedSentences, sentence_ids: Tensor) -> Tensor:
        weights, words, ranks = self._weights(states, encoded, sentence_ids)
        with full_precision(states.device):
            attended = (weights @ words)[sentence_ids, ranks]
        return torch.tanh(self.joined(torch.cat([attended, widened(states)], dim=1)))

    def attention(self, states: Tensor, encoded: EncodedSentences, sentence_ids: Tensor) -> Tensor:
        """Returns the weights of the words of the own sentence: `[rows, words]`, 0 beyond its last word.

        Args:
            states: `[rows, hidden_size]`, of the highest layer.
            encoded: all sentences.
            sentence_ids: `[rows]`, the sentence that each belongs to.
        """
        weights, _, ranks = self._weights(states, encoded, sentence_ids)
        return weights[sentence_ids, ranks]

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters; those of attention as the output's."""
        super().initialise(generator)
        for linear in (self.query, self.joined):
            nn.init.xavier_uniform_(linear.weight, generator=generator)
        nn.init.zeros_(self.joined.bias)

    def _weights(
        self, states: Tensor, encoded: EncodedSentences, sentence_ids: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Compares the rows of every sentence with its words, in float32.

        Returns:
            Weights `[sentences, rows of a sentence, words]`; states of words `[sentences, words, state_size]`, zeros
            beyond the last; and `[rows]`, which row of its sentence each is.
        """
        queries = self.query(states)
        ranks = ranks_within(sentence_ids, len(encoded.lengths))
        with full_precision(states.device):
            words = pad_sequence(widened(encoded.states).split(encoded.lengths), batch_first=True)
            grouped = words.new_zeros(len(words), int(ranks.max()) + 1, words.shape[2])
            scores = grouped.index_put((sentence_ids, ranks), widened(queries)) @ words.transpose(1, 2)
            lengths = torch.tensor(encoded.lengths, device=words.device)
            is_real = torch.arange(words.shape[1], device=words.device) < lengths[:, None]
            return scores.masked_fill(~is_real[:, None], -torch.inf).softmax(2), words, ranks


def ranks_within(group_ids: Tensor, n_groups: int) -> Tensor:
    """Returns how many earlier items each item's group has: `[items]`.

    Args:
        group_ids: `[items]`, from 0 to `n_groups`.
    """
    counts = group_ids.bincount(minlength=n_groups)
    by_group = group_ids.argsort(stable=True)
    ranks = torch.empty_like(group_ids)
    ranks[by_group] = (
        torch.arange(len(group_ids), device=group_ids.device) - (counts.cumsum(0) - counts)[group_ids[by_group]]
    )
    return ranks
