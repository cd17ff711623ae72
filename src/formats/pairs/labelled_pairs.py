"""Pairs of sentences as words, with their label, independent of the file format."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.formats.pairs import pair_objects, pair_tables
from src.formats.reading.malformed import OnMalformed

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A premise and a hypothesis, each of at least one word.

    Attributes:
        premise, hypothesis: words as written.
        label: "entailment" …; None: annotators found none, or it is not published.
        line: the line of the file, from 1.
    """

    premise: tuple[str, ...]
    hypothesis: tuple[str, ...]
    label: str | None
    line: int


def words_of(sentence: str) -> tuple[str, ...]:
    """Splits running text into words and single signs: "It's so." has the words "It's", "so" and "."."""
    return tuple(_WORD.findall(sentence)) or (sentence.strip(),)


def with_label(pairs: Iterable[LabelledPair]) -> list[LabelledPair]:
    """Returns the pairs that have a label."""
    return [pair for pair in pairs if pair.label is not None]


def table_pairs(path: Path, on_malformed: OnMalformed, **layout: Any) -> Iterator[LabelledPair]:
    """Reads the pairs of a table.

    Args:
        path: the file.
        on_malformed: called with every malformed line.
        layout: the fields of `PairFormat`.

    Raises:
        MalformedLine: as `pair_tables.read`.
    """
    return map(_labelled, pair_tables.read_table(path, on_malformed, **layout))


def object_pairs(path: Path, on_malformed: OnMalformed, labels: dict[str, str | None]) -> Iterator[LabelledPair]:
    """Reads the pairs of a file of JSON objects; arguments and errors as for `pair_objects.read`."""
    return map(_labelled, pair_objects.read(path, on_malformed, labels))


def _labelled(pair: pair_tables.SentencePair | pair_objects.JsonPair) -> LabelledPair:
    return LabelledPair(words_of(pair.premise), words_of(pair.hypothesis), pair.label, pair.line)
