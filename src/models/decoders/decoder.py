"""What every decoder has, which generates the units of a target from an encoded sentence."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from src.models.layers.text_lstm import PrefixStates


@dataclass(frozen=True, slots=True)
class EncodedSentences:
    """What a decoder reads."""

    vectors: Tensor
    """`[sentences, width]`."""
    states: Tensor
    """`[cells, state width]`, of the words, sentence after sentence."""
    lengths: tuple[int, ...]
    """Of the sentences, in words."""


class StepDecoder(Protocol):
    """A decoder that goes on unit by unit, in evaluation mode."""

    def first_states(self, n_hypotheses: int) -> PrefixStates:
        """Returns the states before the unit `END_ID`, which begins every target."""

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


class Decoder(StepDecoder, Protocol):
    """A module that generates targets from encoded sentences: `LSTMDecoder`, `AttentionDecoder`."""

    def loss(self, encoded: EncodedSentences, previous_ids: Tensor, next_ids: Tensor, divisor: float) -> Tensor:
        """Returns the surprisals of targets in nats, summed and divided.

        Args:
            previous_ids: `[steps, sentences]`, the units that are read; time runs down.
            next_ids: `[steps, sentences]`, the units to predict, below 0 where there is none.
        """

    def surprisals(self, encoded: EncodedSentences, previous_ids: Tensor, next_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the surprisal of each unit in nats, float32, and whether no other unit is more probable than it.

        Both are `[units]`, sentence after sentence; a unit is predicted from the gold units before it.
        """

    def greedy(self, encoded: EncodedSentences, longest: int) -> list[np.ndarray]:
        """Takes the most probable unit at every step.

        Returns:
            The units of each sentence, without the end.
        """

    def beam(self, encoded: EncodedSentences, longest: int, beam_size: int) -> list[np.ndarray]:
        """Searches for the most probable targets, see `src.models.decoders.search.beam`."""

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters."""
