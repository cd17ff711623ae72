"""What both decoders are: LSTM layers over units, and a linear layer over the vocabulary."""

from abc import ABC, abstractmethod

import numpy as np
import torch
from torch import Tensor, nn

from src.models.decoders.decoder import EncodedSentences
from src.models.decoders.search import beam
from src.models.decoders.target_rows import TargetRows
from src.models.decoders.unit_lstm import UnitLSTM
from src.models.layers.linear_cross_entropy import summed_cross_entropy, surprisals_and_best
from src.models.layers.text_lstm import PrefixStates


class UnitDecoder(nn.Module, ABC):
    """Generates units; a subclass says what is predicted from besides the states of the LSTM.

        previous unit, sentence -> LSTM layers -> (attention) -> dropout -> linear -> every unit

    Args:
        sentence_size: width of the vector of a sentence.
        n_units: of the target vocabulary.
        unit_size: width of the vector of a unit.
        hidden_size: width of a state.
        n_layers: LSTM layers.
        dropout: share of the numbers that is dropped in training.

    Raises:
        BadValue: a setting is out of range.
    """

    def __init__(
        self, sentence_size: int, n_units: int, unit_size: int, hidden_size: int, n_layers: int, dropout: float
    ):
        super().__init__()
        self.lstm = UnitLSTM(sentence_size, n_units, unit_size, hidden_size, n_layers, dropout)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden_size, n_units)

    @abstractmethod
    def predicting(self, states: Tensor, encoded: EncodedSentences, sentence_ids: Tensor) -> Tensor:
        """Returns what units are predicted from: `[rows, hidden_size]`.

        Args:
            states: `[rows, hidden_size]`, of the highest layer.
            encoded: all sentences.
            sentence_ids: `[rows]`, the sentence that each belongs to.
        """

    def loss(self, encoded: EncodedSentences, previous_ids: Tensor, next_ids: Tensor, divisor: float) -> Tensor:
        """Returns the surprisals in nats, summed and divided; see `Decoder`."""
        rows = TargetRows.of(next_ids)
        states, ids = self.dropout(self._read(encoded, previous_ids, rows)), rows.read(next_ids)
        is_real = ids >= 0
        return summed_cross_entropy(states[is_real], self.output.weight, self.output.bias, ids[is_real], divisor)

    @torch.no_grad()
    def surprisals(self, encoded: EncodedSentences, previous_ids: Tensor, next_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the surprisal of each unit in nats, and whether it is the most probable one; see `Decoder`."""
        rows = TargetRows.of(next_ids)
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
        """Takes the most probable unit at every step; see `Decoder`."""
        return beam(self, encoded, longest, beam_size=1)

    def beam(self, encoded: EncodedSentences, longest: int, beam_size: int) -> list[np.ndarray]:
        """Returns the best target that is found for each sentence; see `search.beam`."""
        return beam(self, encoded, longest, beam_size)

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters; the output's weights are Xavier's uniform numbers, its biases 0."""
        self.lstm.initialise(generator)
        nn.init.xavier_uniform_(self.output.weight, generator=generator)
        nn.init.zeros_(self.output.bias)

    def _read(self, encoded: EncodedSentences, previous_ids: Tensor, rows: TargetRows) -> Tensor:
        """Returns what units are predicted from: `[rows, hidden_size]`."""
        return self.predicting(self.lstm(encoded.vectors, previous_ids, rows), encoded, rows.sentences)
