"""Sentences with a label at every word, independent of the file format."""

from dataclasses import dataclass

NO_LABEL = "_"
"""Label of an item that is not a word: a surface token such as "zum", which is followed by its words "zu" and "dem"."""


@dataclass(frozen=True, slots=True)
class LabelledWords:
    """A sentence and the label of each of its words (part of speech, BIO tag).

    Attributes:
        words: at least one, none empty.
        labels: as many; `NO_LABEL` at items that are no words.
        line: the line of the file on which the sentence starts, from 1.
    """

    words: tuple[str, ...]
    labels: tuple[str, ...]
    line: int

    def __post_init__(self):
        assert len(self.words) == len(self.labels), self
