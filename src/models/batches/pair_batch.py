"""Pairs of sentences as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from polyprobe.formats.pairs.labelled_pairs import LabelledPair
from polyprobe.models.base.task_coder import TaskCoder
from polyprobe.models.inputs.word_batch import NO_LOSS, UNKNOWN_LABEL, Coder, LabelledBatch


@dataclass(frozen=True, slots=True)
class CodedPair:
    """A pair as integers: the coder's numbers of the words of both sides, and the label id."""

    premise: np.ndarray
    hypothesis: np.ndarray
    label_id: int


class PairCoder(TaskCoder):
    """Turns pairs into batches: all premises, then all hypotheses, in the same order, and a label for each pair.

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
        label_id = NO_LOSS if pair.label is None else self._id_of.get(pair.label, UNKNOWN_LABEL)
        return replace(self.bare(pair), label_id=label_id)

    def bare(self, pair: LabelledPair) -> CodedPair:
        return CodedPair(self.words.numbers(pair.premise), self.words.numbers(pair.hypothesis), NO_LOSS)

    def batch(self, pairs: Sequence[CodedPair], n_items: float) -> LabelledBatch:
        words = self.words.batch([pair.premise for pair in pairs] + [pair.hypothesis for pair in pairs])
        return LabelledBatch(words, torch.tensor([pair.label_id for pair in pairs]), n_items)

    def uncounted(self, one: CodedPair) -> CodedPair:
        return replace(one, label_id=NO_LOSS)

    def length(self, one: CodedPair) -> int:
        return len(one.premise) + len(one.hypothesis)

    def weight(self, one: CodedPair) -> int:
        return 1
