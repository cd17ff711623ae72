"""What a decoder reads, and the search for the target that it finds most probable."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from polyprobe.errors import check_at_least
from polyprobe.models.batches.target_units import END_ID
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


@torch.no_grad()
def beam(decoder: StepDecoder, encoded: EncodedSentences, longest: int, beam_size: int) -> list[np.ndarray]:
    """Returns the units of the best target that is found for each sentence, without the end.

    Each step keeps the most probable extensions of a sentence, as many as there are places; one that ends takes its
    place with it. A hypothesis of `longest` units is ended. The best of all that have ended has the highest mean
    log-probability of its units and its end: a plain sum would favour short ones. Width 1 is greedy search.

    Args:
        decoder: in evaluation mode.
        longest: so many units at most, without the end; at least 0.
        beam_size: places of a sentence.
    """
    check_at_least("beam_size", beam_size, 1)
    check_at_least("longest", longest, 0)
    n_sentences, device = len(encoded.vectors), encoded.vectors.device
    places, best = np.full(n_sentences, beam_size), _Best(n_sentences)
    sentences, sums = np.arange(n_sentences), np.zeros(n_sentences)
    units = np.full((n_sentences, 1), END_ID)
    states = decoder.first_states(n_sentences)
    for n_units in range(longest + 1):
        ids = torch.from_numpy(units[:, -1]).to(device)
        scores, states = decoder.step(encoded, torch.from_numpy(sentences).to(device), states, ids)
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
