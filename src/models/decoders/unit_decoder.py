"""The decoders: LSTM layers over units and a linear layer over the vocabulary, with attention or without.

Without it is the decoder of Conneau et al. 2018, which sees the vector of the sentence at every step; with it that of
BiLSTM-Att in their Table 3.
"""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from polyprobe.models.decoders.decoder import EncodedSentences, beam
from polyprobe.models.decoders.unit_lstm import TargetRows, UnitLSTM
from polyprobe.models.layers.full_precision import full_precision, widened
from polyprobe.models.layers.linear_cross_entropy import summed_cross_entropy, surprisals_and_best
from polyprobe.models.layers.text_lstm import PrefixStates


class LSTMDecoder(nn.Module):
    """Generates units from the vector of a sentence alone; a subclass reads more.

        previous unit, sentence -> LSTM layers -> (attention) -> dropout -> linear -> every unit

    The article gives 2 layers of 512 and that the vector is read at every step. It gives neither the first states, here
    zeros, nor the width of a unit's vector, here a key.

    Args:
        sentence_size: width of the vector of a sentence.
        state_size: width of the state of a word, which this decoder does not read.
        unit_size: width of the vector of a unit.
        hidden_size: width of a state.
        dropout: share of the numbers that is dropped in training.
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
        super().__init__()
        self.lstm = UnitLSTM(sentence_size, n_units, unit_size, hidden_size, n_layers, dropout)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden_size, n_units)

    def predicting(self, states: Tensor, encoded: EncodedSentences, sentence_ids: Tensor) -> Tensor:
        """Returns what units are predicted from: `[rows, hidden_size]`.

        Args:
            states: `[rows, hidden_size]`, of the highest layer.
            sentence_ids: `[rows]`, the sentence that each belongs to.
        """
        return states

    def loss(self, encoded: EncodedSentences, previous_ids: Tensor, next_ids: Tensor, divisor: float) -> Tensor:
        """Returns the surprisals of targets in nats, summed and divided.

        Args:
            previous_ids: `[steps, sentences]`, the units that are read; time runs down.
            next_ids: `[steps, sentences]`, the units to predict, below 0 where there is none.
        """
        rows = TargetRows(next_ids)
        states, ids = self.dropout(self._read(encoded, previous_ids, rows)), rows.read(next_ids)
        is_real = ids >= 0
        return summed_cross_entropy(states[is_real], self.output.weight, self.output.bias, ids[is_real], divisor)

    @torch.no_grad()
    def surprisals(self, encoded: EncodedSentences, previous_ids: Tensor, next_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the surprisal of each unit in nats, float32, and whether no other unit is more probable than it.

        Both are `[units]`, sentence after sentence; a unit is predicted from the gold units before it.
        """
        rows = TargetRows(next_ids)
        states, ids = self._read(encoded, previous_ids, rows), rows.read(next_ids)
        by_sentence = rows.sentences.argsort(stable=True)
        chosen = by_sentence[ids[by_sentence] >= 0]
        surprisals, best = surprisals_and_best(states[chosen], self.output.weight, self.output.bias, ids[chosen])
        return surprisals, best == ids[chosen]

    def first_states(self, n_hypotheses: int) -> PrefixStates:
        """Returns the states before the unit `END_ID`: zeros."""
        return self.lstm.first_states(n_hypotheses)

    @torch.no_grad()
    def step(
        self, encoded: EncodedSentences, sentence_ids: Tensor, states: PrefixStates, unit_ids: Tensor
    ) -> tuple[Tensor, PrefixStates]:
        """Reads one unit in every hypothesis; see `StepDecoder`."""
        after = self.lstm.step(encoded.vectors.index_select(0, sentence_ids), states, unit_ids)
        tops = self.predicting(after.top, encoded, sentence_ids)
        return self.output(tops).float().log_softmax(1), after

    def greedy(self, encoded: EncodedSentences, longest: int) -> list[np.ndarray]:
        """Takes the most probable unit at every step, `longest` of a sentence at most, without the end."""
        return beam(self, encoded, longest, beam_size=1)

    def beam(self, encoded: EncodedSentences, longest: int, beam_size: int) -> list[np.ndarray]:
        """Returns the best target that is found for each sentence; see `beam`."""
        return beam(self, encoded, longest, beam_size)

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters; the output's weights are Xavier's uniform numbers, its biases 0."""
        self.lstm.initialise(generator)
        nn.init.xavier_uniform_(self.output.weight, generator=generator)
        nn.init.zeros_(self.output.bias)

    def _read(self, encoded: EncodedSentences, previous_ids: Tensor, rows: TargetRows) -> Tensor:
        """Returns what units are predicted from: `[rows, hidden_size]`."""
        return self.predicting(self.lstm(encoded.vectors, previous_ids, rows), encoded, rows.sentences)


class AttentionDecoder(LSTMDecoder):
    """Generates units from the vector of a sentence and from the states of its words.

        state d of the LSTM -> softmax over the words of (W d) e -> mean of their states e
        -> tanh(linear(mean, d)) -> dropout -> linear -> every unit

    The article only says that there is attention. We assume Luong et al. 2015, "general", without feeding the result
    into the next step; and that the vector of the sentence is read at every step, as without attention.

    Args:
        state_size: width of the state of a word.
        sentence_size, n_units, unit_size, hidden_size, n_layers, dropout: see `LSTMDecoder`.
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
        super().__init__(sentence_size, state_size, n_units, unit_size, hidden_size, n_layers, dropout)
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
