"""The decoders: LSTM layers over units and a linear layer over the vocabulary, with attention or without; their search.

Without it is the decoder of Conneau et al. 2018, which sees the vector of the sentence at every step; with it that of
BiLSTM-Att in their Table 3.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from polyprobe.errors import check_at_least
from polyprobe.models.batches.target_units import END_ID
from polyprobe.models.decoders.unit_lstm import TargetRows, UnitLSTM
from polyprobe.models.layers.full_precision import full_precision, widened
from polyprobe.models.layers.linear_cross_entropy import summed_cross_entropy, surprisals_and_best
from polyprobe.models.layers.text_lstm import PrefixStates


@dataclass(frozen=True, slots=True)
class EncodedSentences:
    """What a decoder reads."""

    vectors: Tensor
    """`[sentences, width]`."""
    states: Tensor
    """`[cells, state width]`, of the words, sentence after sentence."""
    lengths: tuple[int, ...]
    """Of the sentences, in words."""


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

    @torch.no_grad()
    def step(
        self, encoded: EncodedSentences, sentence_ids: Tensor, states: PrefixStates, unit_ids: Tensor
    ) -> tuple[Tensor, PrefixStates]:
        """Reads one unit in every hypothesis.

        Args:
            sentence_ids: `[hypotheses]`, the sentence that a hypothesis belongs to.
            unit_ids: `[hypotheses]`.

        Returns:
            The log-probabilities in nats of the unit that follows, `[hypotheses, units]`, float32; the states after.
        """
        after = self.lstm.step(encoded.vectors.index_select(0, sentence_ids), states, unit_ids)
        tops = self.predicting(after.top, encoded, sentence_ids)
        return self.output(tops).float().log_softmax(1), after

    def greedy(self, encoded: EncodedSentences, longest: int) -> list[np.ndarray]:
        """Takes the most probable unit at every step, `longest` of a sentence at most, without the end."""
        return self.beam(encoded, longest, beam_size=1)

    @torch.no_grad()
    def beam(self, encoded: EncodedSentences, longest: int, beam_size: int) -> list[np.ndarray]:
        """Returns the units of the best target that is found for each sentence, without the end; in evaluation mode.

        Each step keeps the most probable extensions of a sentence, as many as there are places; one that ends takes its
        place with it. A hypothesis of `longest` units is ended. The best of all that have ended has the highest mean
        log-probability of its units and its end: a plain sum would favour short ones. Width 1 is greedy search.

        Args:
            longest: so many units at most, without the end; at least 0.
            beam_size: places of a sentence.
        """
        check_at_least("beam_size", beam_size, 1)
        check_at_least("longest", longest, 0)
        n_sentences, device = len(encoded.vectors), encoded.vectors.device
        places, best = np.full(n_sentences, beam_size), _Best(n_sentences)
        sentences, sums = np.arange(n_sentences), np.zeros(n_sentences)
        units = np.full((n_sentences, 1), END_ID)
        states = self.lstm.first_states(n_sentences)
        for n_units in range(longest + 1):
            ids = torch.from_numpy(units[:, -1]).to(device)
            scores, states = self.step(encoded, torch.from_numpy(sentences).to(device), states, ids)
            if n_units == longest:
                sums = sums + scores[:, END_ID].double().cpu().numpy()
                best.offer_all(sentences, units[:, 1:], sums)
                break
            kept = _extended(scores, sentences, sums, beam_size, places)
            is_ended = kept[2] == END_ID
            ended, hypotheses, _, sums = (values[is_ended] for values in kept)
            best.offer_all(ended, units[hypotheses, 1:], sums)
            places = places - np.bincount(ended, minlength=n_sentences)
            sentences, hypotheses, unit_ids, sums = (values[~is_ended] for values in kept)
            if not len(sentences):
                break
            units = np.concatenate([units[hypotheses], unit_ids[:, None]], axis=1)
            states = states.of(torch.from_numpy(hypotheses).to(device))
        return best.units

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
        hidden_size, others: see `LSTMDecoder`.
    """

    def __init__(self, state_size: int, hidden_size: int, **others: Annotated[Any, LSTMDecoder]):
        super().__init__(state_size=state_size, hidden_size=hidden_size, **others)
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


class _Best:
    """The best finished hypothesis of each sentence, by mean log-probability of its units and its end."""

    def __init__(self, n_sentences: int):
        self.units = [np.empty(0, dtype=np.int64)] * n_sentences
        self._scores = np.full(n_sentences, -np.inf)

    def offer_all(self, sentences: np.ndarray, units: np.ndarray, sums: np.ndarray) -> None:
        """Takes finished hypotheses; the first of equally good ones stays.

        Args:
            sentences: `[hypotheses]`.
            units: `[hypotheses, units]`, without the end.
            sums: `[hypotheses]`, log-probability of all units and of the end, in nats.
        """
        for sentence, row, score in zip(sentences, units, sums / (units.shape[1] + 1), strict=True):
            if score > self._scores[sentence]:
                self._scores[sentence], self.units[sentence] = score, row


def _extended(
    scores: Tensor, sentences: np.ndarray, sums: np.ndarray, beam_size: int, places: np.ndarray
) -> list[np.ndarray]:
    """Extends the hypotheses by a unit each: the most probable ones of each sentence, as many as it has places.

    Args:
        scores: `[hypotheses, units]`, log-probabilities of the next unit.
        sentences: `[hypotheses]`, rising.
        sums: `[hypotheses]`, log-probabilities so far.
        beam_size: more of one hypothesis can never be kept.
        places: `[sentences]`.

    Returns:
        Of each extension: its sentence, rising; the row of the hypothesis; the unit; the new sum.
    """
    found = scores.topk(min(beam_size, scores.shape[1]), dim=1)
    log_probabilities, unit_ids = found.values.double().cpu().numpy(), found.indices.cpu().numpy()
    hypotheses = np.repeat(np.arange(len(sentences)), unit_ids.shape[1])
    totals = (sums[:, None] + log_probabilities).ravel()
    order = np.lexsort((-totals, sentences[hypotheses]))
    ranked = sentences[hypotheses][order]
    counts = np.bincount(ranked, minlength=len(places))
    rank = np.arange(len(order)) - (np.cumsum(counts) - counts)[ranked]
    kept = order[rank < places[ranked]]
    return [values[kept] for values in (sentences[hypotheses], hypotheses, unit_ids.ravel(), totals)]


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
