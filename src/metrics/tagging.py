"""Accuracy of tagging over words, and precision, recall and F1 of each tag.

Surface tokens with the label `_` ("zum" before its words "zu" and "dem") are not words: they count in
`accuracy_all_items` alone, the score that LINSPECTOR published.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torchmetrics import Metric

from polyprobe.formats.treebanks.labelled_words import NO_LABEL
from polyprobe.metrics.tallies import LabelCounts
from polyprobe.metrics.task_score import TaskScore, share

WORDS_SCORER = "CoNLL-2018"
"""Its UPOS score, given the gold words."""

ALL_ITEMS_SCORER = "AllenNLP"
"""Its categorical accuracy over everything but padding."""


class TagCounts(LabelCounts[str]):
    """How often each tag was right, predicted and gold; in `system` only at words, in the others at all items."""

    def add(self, gold: Sequence[str], predicted: Sequence[str]) -> None:
        """Adds the tags of one sentence."""
        pairs = list(zip(gold, predicted, strict=True))
        self.gold.update(gold)
        self.correct.update(tag for tag, guess in pairs if tag == guess)
        self.system.update(guess for tag, guess in pairs if tag != NO_LABEL)

    @property
    def n_words(self) -> int:
        """Items that are words."""
        return self.gold.total() - self.gold[NO_LABEL]


def word_accuracy(counts: TagCounts) -> TaskScore:
    """Returns the share of words with the right tag."""
    correct = counts.correct.total() - counts.correct[NO_LABEL]
    return TaskScore("accuracy", share(correct, counts.n_words), counts.n_words, WORDS_SCORER)


def all_items_accuracy(counts: TagCounts) -> TaskScore:
    """Returns the share of items with the right tag, `_` included."""
    n = counts.gold.total()
    return TaskScore("accuracy_all_items", share(counts.correct.total(), n), n, ALL_ITEMS_SCORER)


def right_words(gold: Sequence[str], predicted: Sequence[str]) -> tuple[int, int]:
    """Returns how many words of a sentence have the right tag, and how many words it has."""
    pairs = [(tag, guess) for tag, guess in zip(gold, predicted, strict=True) if tag != NO_LABEL]
    return sum(tag == guess for tag, guess in pairs), len(pairs)


def tag_f1s(counts: TagCounts) -> list[TaskScore]:
    """Returns the F1 of each tag that occurs in gold, over words, in alphabetical order."""
    tallies = {tag: counts.of(tag) for tag in sorted(counts.gold) if tag != NO_LABEL}
    return [tally.score("f1", "polyprobe", tag) for tag, tally in tallies.items()]


class WordAccuracy(Metric):
    """Counts right words over batches and processes.

    Args:
        ids_left_out: label ids of gold items that are not counted.
    """

    full_state_update = False
    higher_is_better = True
    correct: Tensor
    n: Tensor

    def __init__(self, ids_left_out: Sequence[int]):
        super().__init__()
        self.ids_left_out = tuple(ids_left_out)
        self.add_state("correct", torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")
        self.add_state("n", torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, gold: Tensor, predicted: Tensor) -> None:
        """Adds items: label ids `[items]`."""
        is_counted = torch.ones_like(gold, dtype=torch.bool)
        for label_id in self.ids_left_out:
            is_counted &= gold != label_id
        self.correct += ((gold == predicted) & is_counted).sum()
        self.n += is_counted.sum()

    def compute(self) -> Tensor:
        """Returns the share of right items, 0 where none was counted."""
        return self.correct / self.n.clamp(min=1)
