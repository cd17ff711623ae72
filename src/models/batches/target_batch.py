"""Batches of sentences with what is to be written from their vectors, as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.models.base.task_coder import TaskCoder
from polyprobe.models.batches.target_units import END_ID, TargetUnits
from polyprobe.models.inputs.word_batch import NO_LOSS, Coder, WordBatch
from polyprobe.models.layers.packing import Batch


@dataclass(frozen=True, slots=True)
class TargetBatch(Batch):
    """Sentences in rows, their targets in columns; time runs down.

    previous_ids   <end>  <end>        next_ids   la     elle
                   la     elle                    mai-   dort
                   mai-   dort                    son    <end>
                   son    (padding)               <end>  NO_LOSS
    """

    words: WordBatch
    previous_ids: Tensor
    """`[steps, sentences]`, units that the decoder reads."""
    next_ids: Tensor
    """`[steps, sentences]`, units to predict; `NO_LOSS` for none."""
    targets: tuple[tuple[str, ...] | None, ...]
    """Of the sentences that are counted in scores, whole words or symbols; None for the others."""
    n_items: float
    """What the loss is divided by."""


@dataclass(frozen=True, slots=True)
class CodedTarget:
    """A sentence as integers: the coder's numbers of its words, the units of its target; its target if counted."""

    numbers: np.ndarray
    unit_ids: np.ndarray
    target: tuple[str, ...] | None


class TargetCoder(TaskCoder):
    """Turns sentences with targets into batches; the loss is a mean over units, the ends of targets included."""

    words: Coder

    def __init__(self, words: Coder, units: TargetUnits):
        super().__init__(words)
        self.units = units

    def coded(self, sentence: TargetedSentence) -> CodedTarget:
        return CodedTarget(self.words.numbers(sentence.words), self.units.ids(sentence.target), sentence.target)

    def bare(self, sentence: TargetedSentence) -> CodedTarget:
        return CodedTarget(self.words.numbers(sentence.words), np.zeros(0, dtype=np.int64), None)

    def batch(self, coded: Sequence[CodedTarget], n_items: float) -> TargetBatch:
        shape = max(map(self.weight, coded)), len(coded)
        previous_ids, next_ids = np.full(shape, END_ID, dtype=np.int64), np.full(shape, NO_LOSS, dtype=np.int64)
        for column, one in enumerate(coded):
            n_units = len(one.unit_ids)
            previous_ids[1 : n_units + 1, column] = one.unit_ids
            if one.target is not None:
                next_ids[:n_units, column], next_ids[n_units, column] = one.unit_ids, END_ID
        words = self.words.batch([one.numbers for one in coded])
        targets = tuple(one.target for one in coded)
        return TargetBatch(words, torch.from_numpy(previous_ids), torch.from_numpy(next_ids), targets, n_items)

    def uncounted(self, one: CodedTarget) -> CodedTarget:
        return replace(one, target=None)

    def length(self, one: CodedTarget) -> int:
        return len(one.numbers) + len(one.unit_ids)

    def weight(self, one: CodedTarget) -> int:
        return len(one.unit_ids) + 1

    def n_cells(self, one: CodedTarget) -> int:
        return self.length(one)
