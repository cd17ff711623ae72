"""Sentences with their propositions, whatever file format they came from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Argument:
    """A word (0-based index) that fills a role of a predicate."""

    word: int
    role: str


@dataclass(frozen=True, slots=True)
class Proposition:
    """One predicate (0-based index of its word, its sense) with its arguments, in the order of the words."""

    predicate: int
    sense: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """The words of a sentence with coarse parts of speech and propositions.

    Attributes:
        identifier: the corpus's own name of the sentence, else its number in the file, from 1.
        line: the line of the file on which its first row stands.
        words: forms, in the spelling of the corpus.
        upos: a part of speech for each word (`_` where the file has none; the corpus's own set in CoNLL-2009).
        propositions: in the order of their predicates.
    """

    identifier: str
    line: int
    words: tuple[str, ...]
    upos: tuple[str, ...]
    propositions: tuple[Proposition, ...]
