"""Sentences with their propositions, independent of the file format."""

from dataclasses import dataclass

from polyprobe.formats.reading.lines import UnwritableText

_NOT_A_NAME = ("", "_", "-")


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


def check_writable(sentence: LabelledSentence) -> None:
    """Refuses what would not be read back the same from a format with one row a word.

    Raises:
        UnwritableText: at two predicates on one word, at predicates out of order, and at a sense or role that is
            empty, `_` or `-`, or has a `|`.
    """
    predicates = [proposition.predicate for proposition in sentence.propositions]
    if predicates != sorted(set(predicates)):
        found = f"the predicates are on the words {predicates}"
        raise UnwritableText(f"Sentence {sentence.identifier}: {found}. A row has room for one, in order.")
    roles = [argument.role for proposition in sentence.propositions for argument in proposition.arguments]
    names = [*(proposition.sense for proposition in sentence.propositions), *roles]
    unwritable = next((name for name in names if name in _NOT_A_NAME or "|" in name), None)
    if unwritable is not None:
        raise UnwritableText(f'Sentence {sentence.identifier}: "{unwritable}" cannot be a sense or role.')
