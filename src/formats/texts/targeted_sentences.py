"""Sentences with what is to be generated from them: the data of every objective that trains a sentence encoder so."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TargetedSentence:
    """A sentence and its target.

    Attributes:
        words: of the sentence that is encoded.
        target: what is generated from it: words, or symbols of a tree, before they are cut into subword units. Empty
            where it is not known: in a file that a model is to label.
        line: of the file, from 1.
    """

    words: tuple[str, ...]
    target: tuple[str, ...]
    line: int
