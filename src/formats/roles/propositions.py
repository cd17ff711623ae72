"""Sentences with their propositions, independent of the file format."""

from collections.abc import Sequence
from dataclasses import dataclass

from polyprobe.formats.treebanks.conllu import ConlluSentence, Row


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
    """The words of a sentence with coarse parts of speech and propositions."""

    identifier: str
    """The corpus's own name of the sentence, else its number in the file, from 1."""
    line: int
    """The line of the file with its first row."""
    words: tuple[str, ...]
    """Forms, in the spelling of the corpus."""
    upos: tuple[str, ...]
    """A part of speech for each word (`_` where the file has none; the corpus's own set in CoNLL-2009)."""
    propositions: tuple[Proposition, ...]
    """In the order of their predicates."""


def labelled(sentence: ConlluSentence, words: Sequence[Row], propositions: tuple[Proposition, ...]) -> LabelledSentence:
    """Returns the words of a treebank with the propositions of a sentence."""
    forms, upos = tuple(word.form for word in words), tuple(word.upos for word in words)
    return LabelledSentence(sentence.identifier, sentence.first_row_line, forms, upos, propositions)
