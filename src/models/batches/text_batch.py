"""Batches of a language model: words with the words that follow them, as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from src.models.batches.text_vocabulary import END_ID
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
