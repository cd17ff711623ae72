"""Pairs of sentences as tensors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from src.formats.pairs.labelled_pairs import LabelledPair
from src.models.inputs.word_batch import NO_LOSS, UNKNOWN_LABEL, Coder, WordBatch


@dataclass(frozen=True, slots=True)
class CodedPair:
    """A pair as integers: the coder's numbers of the words of both sides, and the label id."""

    premise: np.ndarray
    hypothesis: np.ndarray
    label_id: int

    @property
    def length(self) -> int:
        """Words of both sides."""
        return len(self.premise) + len(self.hypothesis)

    def without_label(self) -> "CodedPair":
        """Returns the same pair, left out of the loss and of every score."""
        return replace(self, label_id=NO_LOSS)


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Pairs with gold labels.

    Attributes:
        words: all premises, then all hypotheses, in the same order.
        label_ids: `[pairs]`; `NO_LOSS` and `UNKNOWN_LABEL` are possible.
        n_items: what the loss is divided by.
    """

    words: WordBatch
    label_ids: Tensor
    n_items: float

    def to(self, device: torch.device) -> "PairBatch":
        """Moves everything that a network reads."""
        return replace(self, words=self.words.to(device), label_ids=self.label_ids.to(device))


def coded_pair(coder: Coder, pair: LabelledPair, id_of: Mapping[str, int]) -> CodedPair:
    """Codes a pair; a label that `id_of` lacks is `UNKNOWN_LABEL`."""
    label_id = id_of.get(pair.label, UNKNOWN_LABEL) if pair.label is not None else NO_LOSS
    return CodedPair(coder.numbers(pair.premise), coder.numbers(pair.hypothesis), label_id)


def pair_batch(coder: Coder, pairs: Sequence[CodedPair]) -> PairBatch:
    """Joins coded pairs, at least one."""
    words = coder.batch([pair.premise for pair in pairs] + [pair.hypothesis for pair in pairs])
    return PairBatch(words, torch.tensor([pair.label_id for pair in pairs]), float(len(pairs)))
