"""Sentences of a plain text, each with its length class."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.texts.text_corpus import numbered_sentences


@dataclass(frozen=True, slots=True)
class SizedSentence:
    """A sentence and how long it is: "short", "medium" or "long"."""

    words: tuple[str, ...]
    label: str
    line: int


def sized_sentences(path: Path, on_malformed: OnMalformed, short: int, medium: int) -> Iterator[SizedSentence]:
    """Reads one sentence per line.

    Args:
        path: the file.
        on_malformed: called with every bad line, which is then left out.
        short, medium: the most words of a short sentence and of a medium one.
    """
    for line, words in numbered_sentences(path, on_malformed):
        label = "short" if len(words) <= short else "medium" if len(words) <= medium else "long"
        yield SizedSentence(words, label, line)
