"""The trivial baseline of tagging: the most frequent tag of a word in train."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from src.formats.treebanks.labelled_words import LabelledWords, has_no_words, without_no_words
from src.frequency import most_frequent
from src.metrics.tagging import TagCounts, all_items_accuracy, tag_f1s, word_accuracy
from src.metrics.task_score import TaskScore

UNSEEN = "NOUN"
"""The tag of a word that train lacks."""


@dataclass(frozen=True, slots=True)
class FrequentTag:
    """Tags every word, as written, with its most frequent tag of train.

    Args:
        tag_of: by word, counted over words alone; a word that is absent is `UNSEEN`.
        tag_of_item: the same, counted over all items, those that are no words too.
    """

    name: ClassVar[str] = "frequent_tag"

    tag_of: Mapping[str, str]
    tag_of_item: Mapping[str, str]

    @classmethod
    def counted(cls, train: Sequence[LabelledWords]) -> "FrequentTag":
        """Counts tags; of equally frequent ones the first in the alphabet wins."""
        return cls(_frequent_tags(map(without_no_words, train)), _frequent_tags(train))

    def tags(self, words: Sequence[str]) -> list[str]:
        """Returns a tag for each word."""
        return _looked_up(self.tag_of, words)

    def scores(self, sentences: Sequence[LabelledWords]) -> list[TaskScore]:
        """Returns the accuracy over words, that over all items where some are no words, and the F1 of each tag.

        The score over words is that of a baseline that saw words alone, the score over all items of one that saw all.
        """
        counts = _counts(self.tag_of, map(without_no_words, sentences))
        of_all = []
        if any(map(has_no_words, sentences)):
            of_all = [all_items_accuracy(_counts(self.tag_of_item, sentences))]
        return [word_accuracy(counts), *of_all, *tag_f1s(counts)]


def _frequent_tags(sentences: Iterable[LabelledWords]) -> dict[str, str]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word, tag in zip(sentence.words, sentence.labels, strict=True):
            counts[word][tag] += 1
    return {word: most_frequent(tags) for word, tags in counts.items()}


def _looked_up(tag_of: Mapping[str, str], words: Sequence[str]) -> list[str]:
    return [tag_of.get(word, UNSEEN) for word in words]


def _counts(tag_of: Mapping[str, str], sentences: Iterable[LabelledWords]) -> TagCounts:
    counts = TagCounts()
    for sentence in sentences:
        counts.add(sentence.labels, _looked_up(tag_of, sentence.words))
    return counts
