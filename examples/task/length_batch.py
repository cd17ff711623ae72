"""Sentences with length classes as tensors, and the trivial baseline of the task."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from length_score import length_scores
from length_text import SizedSentence
from torch import Tensor

from polyprobe.metrics.task_score import TaskScore
from polyprobe.models.base.task_coder import TaskCoder
from polyprobe.models.inputs.word_batch import NO_LOSS, UNKNOWN_LABEL, Coder, WordBatch


@dataclass(frozen=True, slots=True)
class CodedSentence:
    """A sentence as integers: the numbers of its words, `[words]`, and its label id."""

    numbers: np.ndarray
    label_id: int


@dataclass(frozen=True, slots=True)
class LengthBatch:
    """Sentences with gold labels, `[sentences]`; the loss is divided by `n_items`."""

    words: WordBatch
    label_ids: Tensor
    n_items: float

    def to(self, device: torch.device) -> "LengthBatch":
        """Moves everything that a network reads."""
        return replace(self, words=self.words.to(device), label_ids=self.label_ids.to(device))


class LengthCoder(TaskCoder):
    """Codes sentences; the k-th label has id k."""

    words: Coder

    def __init__(self, words: Coder, labels: Sequence[str]):
        super().__init__(words)
        self._id_of = {label: number for number, label in enumerate(labels)}

    def coded(self, sentence: SizedSentence) -> CodedSentence:
        return replace(self.bare(sentence), label_id=self._id_of.get(sentence.label, UNKNOWN_LABEL))

    def bare(self, sentence: SizedSentence) -> CodedSentence:
        return CodedSentence(self.words.numbers(sentence.words), NO_LOSS)

    def batch(self, coded: Sequence[CodedSentence], n_items: float) -> LengthBatch:
        words = self.words.batch([one.numbers for one in coded])
        return LengthBatch(words, torch.tensor([one.label_id for one in coded]), n_items)

    def uncounted(self, one: CodedSentence) -> CodedSentence:
        return replace(one, label_id=NO_LOSS)

    def length(self, one: CodedSentence) -> int:
        return len(one.numbers)

    def weight(self, one: CodedSentence) -> int:
        return 1


class FrequentLength:
    """Says the most frequent class of train of every sentence; see `Baseline`."""

    name = "frequent_length"

    def __init__(self, label: str):
        self.label = label

    @classmethod
    def counted(cls, train: Sequence[SizedSentence]) -> "FrequentLength":
        """Counts classes; of equally frequent ones the first in the alphabet wins."""
        counts = Counter(one.label for one in train)
        return cls(min(counts, key=lambda label: (-counts[label], label)))

    def scores(self, sentences: Sequence[SizedSentence]) -> list[TaskScore]:
        """Returns the scores of the task."""
        return length_scores([one.label for one in sentences], [self.label] * len(sentences))
