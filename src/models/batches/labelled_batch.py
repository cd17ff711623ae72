"""Sentences with a label at every word as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from src.formats.entities.span_tags import bioul, bioul_tags, spans_of
from src.formats.treebanks.labelled_words import LabelledWords
from src.models.base.task_coder import TaskCoder
from src.models.inputs.word_batch import NO_LOSS, Coder, WordBatch, label_ids_of


@dataclass(frozen=True, slots=True)
class CodedSentence:
    """A sentence as integers: the coder's numbers of its words and its label ids, `[words]` each."""

    numbers: np.ndarray
    label_ids: np.ndarray


@dataclass(frozen=True, slots=True)
class LabelledBatch:
    """Sentences with gold labels.

    Attributes:
        words: the sentences.
        label_ids: `[cells]`; `NO_LOSS` and `UNKNOWN_LABEL` are possible.
        n_items: what the loss is divided by.
    """

    words: WordBatch
    label_ids: Tensor
    n_items: float

    def to(self, device: torch.device) -> "LabelledBatch":
        """Moves everything that a network reads."""
        return replace(self, words=self.words.to(device), label_ids=self.label_ids.to(device))


class LabelCoder(TaskCoder):
    """Turns labelled sentences into batches.

    Args:
        words: codes the words.
        labels: the k-th has id k.
    """

    words: Coder

    def __init__(self, words: Coder, labels: Sequence[str]):
        super().__init__(words)
        self._id_of = {label: number for number, label in enumerate(labels)}

    def coded(self, sentence: LabelledWords) -> CodedSentence:
        return CodedSentence(self.words.numbers(sentence.words), label_ids_of(self._written(sentence), self._id_of))

    def bare(self, sentence: LabelledWords) -> CodedSentence:
        return CodedSentence(self.words.numbers(sentence.words), np.full(len(sentence.words), NO_LOSS))

    def batch(self, coded: Sequence[CodedSentence], n_items: float) -> LabelledBatch:
        label_ids = torch.from_numpy(np.concatenate([one.label_ids for one in coded]))
        return LabelledBatch(self.words.batch([one.numbers for one in coded]), label_ids, n_items)

    def uncounted(self, one: CodedSentence) -> CodedSentence:
        return replace(one, label_ids=np.full_like(one.label_ids, NO_LOSS))

    def length(self, one: CodedSentence) -> int:
        return len(one.numbers)

    def _written(self, sentence: LabelledWords) -> Sequence[str]:
        return sentence.labels


class EntityCoder(LabelCoder):
    """Turns sentences with entities into batches, whatever the scheme of their tags.

    Args:
        words: codes the words.
        types: those that a model knows; the ids of their BIOUL tags come first.
        unseen: further types that are to be told from no entity: their tags have the ids behind.
    """

    def __init__(self, words: Coder, types: Sequence[str], unseen: Sequence[str] = ()):
        super().__init__(words, bioul_tags([*types, *unseen]))

    def _written(self, sentence: LabelledWords) -> Sequence[str]:
        return bioul(spans_of(sentence.labels), len(sentence.words))
