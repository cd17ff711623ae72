"""Sentences with a label at every word, whatever file format they came from."""

from dataclasses import dataclass

NO_LABEL = "_"
"""Label of what is no word of its own: a surface token such as "zum", whose words "zu" and "dem" follow it."""


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
