"""Sentences with dependency trees from CoNLL-U, each checked to be a tree with one root."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.treebanks.conllu import ConlluSentence, read_stripped


@dataclass(frozen=True, slots=True)
class DependencySentence:
    """A sentence and its tree."""

    identifier: str
    """`sent_id`, else its number in the file."""
    line: int
    """The line of the file on which the sentence starts, from 1."""
    words: tuple[str, ...]
    """At least one; multiword tokens and empty nodes are left out."""
    upos: tuple[str, ...]
    """The universal part of speech of each word."""
    heads: tuple[int, ...]
    """Of each word, 1-based, 0 at the root; a tree with exactly one root."""
    relations: tuple[str, ...]
    """DEPREL of each word, with its subtype."""


def dependency_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[DependencySentence]:
    """Reads the trees of a CoNLL-U file.

    Raises:
        MalformedLine: where `on_malformed` raises, at anything that is not CoNLL-U, at a word without HEAD or DEPREL,
            at a sentence without a word, without a root or with several, and at a cycle.
    """
    for sentence in read_stripped(path, on_malformed):
        with Omission(on_malformed):
            heads, words = checked_heads(path, sentence), sentence.words
            forms, upos, relations = (tuple(getattr(one, name) for one in words) for name in ("form", "upos", "deprel"))
            yield DependencySentence(sentence.identifier, sentence.line, forms, upos, heads, relations)


def word_on_cycle(heads: Sequence[int]) -> int | None:
    """Returns a word (1-based) that is among its own ancestors; None in a tree or forest."""
    met_from = [0] * (len(heads) + 1)  # the word from which the climb to the root first came through here
    for start in range(1, len(heads) + 1):
        word = start
        while word and not met_from[word]:
            met_from[word] = start
            word = heads[word - 1]
        if word and met_from[word] == start:
            return word
    return None


def checked_heads(path: Path, sentence: ConlluSentence) -> tuple[int, ...]:
    """Returns the head of each word (1-based, 0 at the root) of a sentence whose words make up one tree.

    Raises:
        MalformedLine: at a word without HEAD or DEPREL, at a sentence without a word, without a root or with several,
            and at a cycle.
    """
    words = sentence.words
    lines = [line for line, row in enumerate(sentence.rows, start=sentence.first_row_line) if row.is_word]
    if not words:
        raise MalformedLine(path, sentence.line, "the sentence has no word", "at least one row with an integer ID")
    for line, word in zip(lines, words, strict=True):
        if "_" in (word.head, word.deprel):
            found = f'HEAD is "{word.head}" and DEPREL is "{word.deprel}"'
            raise MalformedLine(path, line, found, "a head and a relation at every word")
    heads = tuple(int(word.head) for word in words)
    if on_cycle := word_on_cycle(heads):
        found = f"the heads of word {on_cycle} lead back to it (a cycle)"
        raise MalformedLine(path, lines[on_cycle - 1], found, "a tree")
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    if len(roots) > 1:
        found = f"words {' and '.join(map(str, roots))} are roots"
        raise MalformedLine(path, lines[roots[1] - 1], found, "one word with HEAD 0")
    return heads
