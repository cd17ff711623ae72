"""Batches of a language model: words with the words that follow them, as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from src.formats.texts.text_sentences import TextSentence
from src.models.base.task_coder import TaskCoder
from src.models.batches.text_vocabulary import END_ID, TextVocabulary
from src.models.inputs.word_batch import NO_LOSS


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Columns of text; time runs down.

        word_ids    <eos>  Mary         next_ids    the    sleeps
                    the    sleeps                   dog    <eos>
                    dog    (padding)                <eos>  NO_LOSS

    Attributes:
        word_ids: `[steps, columns]`, what is read.
        next_ids: `[steps, columns]`, the words to predict; `NO_LOSS` for none.
        n_items: what the loss is divided by.
        begins: whether every column begins here; else it continues from the batch before.
    """

    word_ids: Tensor
    next_ids: Tensor
    n_items: float
    begins: bool

    def to(self, device: torch.device) -> "TextBatch":
        """Moves the tensors."""
        return replace(self, word_ids=self.word_ids.to(device), next_ids=self.next_ids.to(device))


def sentence_batch(coded: Sequence[np.ndarray], n_items: float) -> TextBatch:
    """Returns a batch with one column for each coded sentence (`TextVocabulary.coded`), padded at its end."""
    shape = max(map(len, coded)) - 1, len(coded)
    word_ids, next_ids = np.full(shape, END_ID, dtype=np.int64), np.full(shape, NO_LOSS, dtype=np.int64)
    for column, ids in enumerate(coded):
        word_ids[: len(ids) - 1, column] = ids[:-1]
        next_ids[: len(ids) - 1, column] = ids[1:]
    return TextBatch(torch.from_numpy(word_ids), torch.from_numpy(next_ids), n_items, begins=True)


@dataclass(frozen=True, slots=True)
class CodedText:
    """A sentence as integers, `[1 + words + 1]`, and whether it is counted."""

    ids: np.ndarray
    is_counted: bool = True


class TextCoder(TaskCoder):
    """Turns sentences into batches in which each has a column of its own.

    Args:
        vocabulary: of the model, which has its own vectors of words: there is nothing to prepare and no other
            vocabulary whose words could be missing.
    """

    def __init__(self, vocabulary: TextVocabulary):
        self.vocabulary = vocabulary

    def coded(self, sentence: TextSentence) -> CodedText:
        return CodedText(self.vocabulary.coded(sentence.words))

    def bare(self, sentence: TextSentence) -> CodedText:
        return self.coded(sentence)  # its words are what is predicted

    def batch(self, coded: Sequence[CodedText], n_items: float) -> TextBatch:
        batch = sentence_batch([one.ids for one in coded], n_items)
        for column, one in enumerate(coded):
            if not one.is_counted:
                batch.next_ids[:, column] = NO_LOSS
        return batch

    def uncounted(self, one: CodedText) -> CodedText:
        return replace(one, is_counted=False)

    def length(self, one: CodedText) -> int:
        return len(one.ids)

    def weight(self, one: CodedText) -> int:
        return len(one.ids) - 1

    def size(self, one: CodedText) -> int:
        return self.weight(one)

    def meet(self, sentences: Sequence[Sequence[str]]) -> None:
        pass

    def known(self, words: Sequence[str]) -> None:
        return None

    def counts(self) -> dict[str, int]:
        return {}
