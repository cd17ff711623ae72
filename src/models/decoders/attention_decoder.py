"""The decoder of BiLSTM-Att in Table 3 of Conneau et al. 2018: it attends to the words of the sentence."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from src.models.decoders.decoder import EncodedSentences
from src.models.decoders.unit_decoder import UnitDecoder
from src.models.layers.full_precision import full_precision, widened


class AttentionDecoder(UnitDecoder):
    """Generates units from the vector of a sentence and from the states of its words.

        state d of the LSTM -> softmax over the words of d W e -> mean of their states e
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
        self.key = nn.Linear(state_size, hidden_size, bias=False)
        self.joined = nn.Linear(state_size + hidden_size, hidden_size)

    def predicting(self, states: Tensor, encoded: EncodedSentences, sentence_ids: Tensor) -> Tensor:
        weights, words = self._weights_and_words(states, encoded, sentence_ids)
        attended = (weights @ words).transpose(0, 1)
        return torch.tanh(self.joined(torch.cat([attended.to(states.dtype), states], dim=2)))

    def attention(self, states: Tensor, encoded: EncodedSentences, sentence_ids: Tensor) -> Tensor:
        """Returns the weights of the words of a sentence: `[hypotheses, steps, words]`, 0 beyond its last word.

        Args:
            states: `[steps, hypotheses, hidden_size]`, of the highest layer.
            encoded: all sentences.
            sentence_ids: `[hypotheses]`, the sentence that each belongs to.
        """
        return self._weights_and_words(states, encoded, sentence_ids)[0]

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters; those of attention as the output's."""
        super().initialise(generator)
        for linear in (self.key, self.joined):
            nn.init.xavier_uniform_(linear.weight, generator=generator)
        nn.init.zeros_(self.joined.bias)

    def _weights_and_words(
        self, states: Tensor, encoded: EncodedSentences, sentence_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Returns the weights and the states of words, `[hypotheses, words, state_size]`, zeros beyond the last."""
        keys = pad_sequence(self.key(encoded.states).split(encoded.lengths), batch_first=True)
        words = pad_sequence(encoded.states.split(encoded.lengths), batch_first=True)
        lengths = torch.tensor(encoded.lengths, device=keys.device)
        is_real = torch.arange(keys.shape[1], device=keys.device) < lengths[:, None]
        with full_precision(states.device):
            own_keys = widened(keys.index_select(0, sentence_ids)).transpose(1, 2)
            scores = widened(states).transpose(0, 1) @ own_keys
            scores = scores.masked_fill(~is_real.index_select(0, sentence_ids)[:, None], -torch.inf)
            return scores.softmax(2), widened(words.index_select(0, sentence_ids))
