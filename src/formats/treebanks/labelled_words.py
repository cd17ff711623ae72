"""Sentences with a label at every word, independent of the file format."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

NO_LABEL = "_"
"""Label of an item that is not a word: a surface token such as "zum", which is followed by its words "zu" and "dem"."""


@dataclass(frozen=True, slots=True)
class LabelledWords:
    """A sentence and the label of each of its words (part of speech, BIO tag)."""

    words: tuple[str, ...]
    """At least one, none empty."""
    labels: tuple[str, ...]
    """As many; `NO_LABEL` at items that are no words."""
    line: int
    """The line of the file on which the sentence starts, from 1."""

    def __post_init__(self):
        assert len(self.words) == len(self.labels), self


def has_no_words(sentence: LabelledWords) -> bool:
    """Says whether some items of a sentence are no words."""
    return NO_LABEL in sentence.labels


def without_no_words(sentence: LabelledWords) -> LabelledWords:
    """Returns a sentence without the items that are no words; it may have none left."""
    kept = [place for place, label in enumerate(sentence.labels) if label != NO_LABEL]
    words, labels = (tuple(cells[place] for place in kept) for cells in (sentence.words, sentence.labels))
    return replace(sentence, words=words, labels=labels)


def words_of(sentences: Iterable[LabelledWords]) -> Iterator[str]:
    """Yields all running words, without items that are none."""
    return (word for one in sentences for word in without_no_words(one).words)
