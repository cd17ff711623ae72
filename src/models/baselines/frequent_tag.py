"""The trivial baseline of tagging: the most frequent tag of a word in train."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from src.formats.treebanks.labelled_words import LabelledWords
from src.frequency import most_frequent

UNSEEN = "NOUN"
"""The tag of a word that train lacks."""


@dataclass(frozen=True, slots=True)
class FrequentTag:
    """Tags every word, as written, with its most frequent tag of train.

    Args:
        tag_of: by word; a word that is absent is `UNSEEN`.
    """

    tag_of: Mapping[str, str]

    @classmethod
    def counted(cls, sentences: Iterable[LabelledWords]) -> "FrequentTag":
        """Counts tags; of equally frequent ones the first in the alphabet wins."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for word, tag in zip(sentence.words, sentence.labels, strict=True):
                counts[word][tag] += 1
        return cls({word: most_frequent(tags) for word, tags in counts.items()})

    def tags(self, words: Sequence[str]) -> list[str]:
        """Returns a tag for each word."""
        return [self.tag_of.get(word, UNSEEN) for word in words]
