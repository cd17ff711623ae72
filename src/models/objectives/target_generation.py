"""Objectives that write something from the vector of a sentence, unit by unit (Conneau et al. 2018, section 3)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from polyprobe.errors import BadValue, check_at_least
from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.metrics import bleu, trees
from polyprobe.metrics.generation import N_COUNTS, CountSums, exact_score, unit_counts, unit_scores
from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.batches.target_batch import TargetBatch, TargetCoder
from polyprobe.models.batches.target_units import TargetUnits
from polyprobe.models.decoders.unit_decoder import EncodedSentences, LSTMDecoder
from polyprobe.models.inputs.word_batch import Coder
from polyprobe.models.sentence_networks.sentence_network import SentenceNetwork

Answer = tuple[str, ...]
Answers = Callable[[Sequence[TargetedSentence]], list[Answer]]
MOST_PLACES, MOST_UNITS = 1_000, 10_000
"""Of a beam and of an answer, at most: a checkpoint from elsewhere must not ask for a search without end."""


class Generation(nn.Module):
    """Writes the target of a sentence with a decoder; subclasses score it by more than its units. See `Objective`.

    Args:
        target: plain values that the units are rebuilt from, `TargetUnits.settings`.
        head: builds the decoder from the widths of the network and the number of units.
        beam_size: partial targets side by side where the finished run answers; after each epoch the most probable unit
            is taken at every step.
        longest: units of an answer, at most.
    """

    further_counts: Mapping[str, int] = MappingProxyType({})
    """Of `CountSums`, beside those of units."""

    def __init__(
        self,
        target: Mapping[str, Any],
        head: Callable[..., LSTMDecoder],
        network: SentenceNetwork,
        words: Coder,
        beam_size: int,
        longest: int,
    ):
        super().__init__()
        for name, value, most in (("beam_size", beam_size, MOST_PLACES), ("longest", longest, MOST_UNITS)):
            check_at_least(f"model.objective.{name}", value, 1)
            if value > most:
                raise BadValue(f"model.objective.{name}", value, f"at most {most:,}")
        self.units = TargetUnits(**target)
        self.coder = TargetCoder(words, self.units)
        self.decoder = head(sentence_size=network.width, state_size=network.state_width, n_units=len(self.units))
        self.beam_size, self.longest = beam_size, longest

    def new_metric(self) -> CountSums:
        return CountSums(units=N_COUNTS, **self.further_counts)

    def loss(self, encoded: EncodedSentences, batch: TargetBatch) -> Tensor:
        """Negative log-likelihood in nats, per unit of the targets, their ends included."""
        return self.decoder.loss(encoded, batch.previous_ids, batch.next_ids, batch.n_items)

    def measured(self, metric: CountSums) -> dict[str, float]:
        return {score.metric: score.value for score in self.scores_of_sums(metric.compute())}

    def scores_of_sums(self, sums: Mapping[str, np.ndarray]) -> list[TaskScore]:
        """Returns the scores that sums alone tell."""
        return unit_scores(sums["units"])

    def answered(self, encoded: EncodedSentences) -> list[Answer]:
        return self._words(self.decoder.beam(encoded, self.longest, self.beam_size))

    def initialise(self, generator: torch.Generator) -> None:
        self.decoder.initialise(generator)

    def count(self, metric: CountSums, encoded: EncodedSentences, batch: TargetBatch) -> None:
        """Counts the units of targets, each predicted from the gold units before it."""
        found = self.decoder.surprisals(encoded, batch.previous_ids, batch.next_ids)
        n_words = sum(len(target) + 1 for target in batch.targets if target is not None)
        metric.update(units=unit_counts(*found, n_words))

    def scored(self, sentences: Sequence[TargetedSentence], answers: Answers, metric: CountSums) -> list[TaskScore]:
        return self.scores_of_sums(metric.counted_here())  # one process scores a finished run

    def greedy_and_gold(self, encoded: EncodedSentences, batch: TargetBatch) -> tuple[list[Answer], list[Answer]]:
        """Returns what is written, the most probable unit at every step, and what should be, of counted sentences."""
        answers = self._words(self.decoder.greedy(encoded, self.longest))
        pairs = [(one, gold) for one, gold in zip(answers, batch.targets, strict=True) if gold is not None]
        return [one for one, _ in pairs], [gold for _, gold in pairs]

    def _words(self, found: Sequence[Any]) -> list[Answer]:
        return [self.units.words(ids) for ids in found]


class NextSentence(Generation):
    """Scores the next sentence by its perplexity alone (objective=skipthought): there are many, one is in the text."""


class TextGeneration(Generation):
    """Scores text, a translation or the sentence itself, by BLEU and by its perplexity (objective=nmt, autoencoder)."""

    further_counts = MappingProxyType({"bleu": bleu.N_COUNTS, "sentences": 1})

    def count(self, metric: CountSums, encoded: EncodedSentences, batch: TargetBatch) -> None:
        super().count(metric, encoded, batch)
        counts = bleu.bleu_counts(*self.greedy_and_gold(encoded, batch))
        metric.update(bleu=counts.sum(0), sentences=[len(counts)])

    def scores_of_sums(self, sums: Mapping[str, np.ndarray]) -> list[TaskScore]:
        score = TaskScore("bleu", bleu.bleu(sums["bleu"]), int(sums["sentences"][0]), bleu.SCORER)
        return [score, *super().scores_of_sums(sums)]

    def scored(self, sentences: Sequence[TargetedSentence], answers: Answers, metric: CountSums) -> list[TaskScore]:
        """Returns the scores after every epoch, then BLEU and the share of exact answers as found with the beam."""
        gold, found = [one.target for one in sentences], answers(sentences)
        of_beam = [replace(score, metric="bleu_beam") for score in bleu.bleu_scores(gold, found)]
        return [*self.scores_of_sums(metric.counted_here()), *of_beam, exact_score(gold, found)]


class TreeGeneration(Generation):
    """Scores trees by their symbols, each after the gold symbols before it, as wholes, and by their brackets.

    That is objective=seq2tree.
    """

    further_counts = MappingProxyType({"trees": trees.N_COUNTS})

    def count(self, metric: CountSums, encoded: EncodedSentences, batch: TargetBatch) -> None:
        super().count(metric, encoded, batch)
        answers, gold = self.greedy_and_gold(encoded, batch)
        metric.update(trees=trees.tree_counts(gold, answers).sum(0))

    def scores_of_sums(self, sums: Mapping[str, np.ndarray]) -> list[TaskScore]:
        return [*self._of_units(sums), *trees.scores_of_sums(sums["trees"])]

    def scored(self, sentences: Sequence[TargetedSentence], answers: Answers, metric: CountSums) -> list[TaskScore]:
        """Returns the scores of symbols, and those of the trees that are found with the beam."""
        of_units = self._of_units(metric.counted_here())
        return [*of_units, *trees.tree_scores([one.target for one in sentences], answers(sentences))]

    def _of_units(self, sums: Mapping[str, np.ndarray]) -> list[TaskScore]:
        """Returns the accuracy of symbols first: the best epoch is known by it."""
        perplexity, _, accuracy = super().scores_of_sums(sums)  # a symbol is a unit and a word
        return [accuracy, perplexity]
