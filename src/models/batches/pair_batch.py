"""Pairs of sentences as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from polyprobe.formats.pairs.labelled_pairs import LabelledPair
from polyprobe.models.base.task_coder import TaskCoder
from polyprobe.models.inputs.word_batch import NO_LOSS, UNKNOWN_LABEL, Coder, WordBatch
from polyprobe.models.layers.packing import Batch

CodedPair = tuple[np.ndarray, np.ndarray, int]
"""A pair as integers: the coder's numbers of the words of both sides, and the label id."""


@dataclass(frozen=True, slots=True)
class PairBatch(Batch):
    """Pairs with gold labels."""

    words: WordBatch
    """All premises, then all hypotheses, in the same order."""
    label_ids: Tensor
    """`[pairs]`; `NO_LOSS` and `UNKNOWN_LABEL` are possible."""
    n_items: float
    """What the loss is divided by."""


class PairCoder(TaskCoder):
    """Turns pairs into batches.

    Args:
        labels: the k-th has id k; another label is `UNKNOWN_LABEL`.
    """

    words: Coder

    def __init__(self, words: Coder, labels: Sequence[str]):
        super().__init__(words)
        self._id_of = {label: number for number, label in enumerate(labels)}

    @staticmethod
    def texts(pair: LabelledPair) -> tuple[Sequence[str], ...]:
        return pair.premise, pair.hypothesis

    def coded(self, pair: LabelledPair) -> CodedPair:
        *words, _ = self.bare(pair)
        return *words, NO_LOSS if pair.label is None else self._id_of.get(pair.label, UNKNOWN_LABEL)

    def bare(self, pair: LabelledPair) -> CodedPair:
        return self.words.numbers(pair.premise), self.words.numbers(pair.hypothesis), NO_LOSS

    def batch(self, pairs: Sequence[CodedPair], n_items: float) -> PairBatch:
        premises, hypotheses, label_ids = zip(*pairs, strict=True)
        return PairBatch(self.words.batch(premises + hypotheses), torch.tensor(label_ids), n_items)

    def uncounted(self, one: CodedPair) -> CodedPair:
        return *one[:2], NO_LOSS

    def length(self, one: CodedPair) -> int:
        return len(one[0]) + len(one[1])

    def weight(self, one: CodedPair) -> int:
        return 1
