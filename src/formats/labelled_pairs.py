"""Pairs of sentences as words, with their label, whatever file format they came from."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.formats import json_pairs, sentence_pairs
from src.formats.errors import BadValue
from src.formats.malformed import OnMalformed

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
    """Cuts running text to words and single signs: "It's so." has the words "It's", "so" and "."."""
    return tuple(_WORD.findall(sentence)) or (sentence.strip(),)


def table_pairs(path: Path, on_malformed: OnMalformed, share: Sequence[float], **layout: Any) -> Iterator[LabelledPair]:
    """Reads the pairs of a table.

    Args:
        path: the file.
        on_malformed: called with every bad place.
        share: which part of the pairs is read, in the order of the file: [0, 0.85] is the first 85 %, rounded down.
        layout: the fields of `PairFormat`.

    Raises:
        MalformedLine: as `sentence_pairs.read`.
        BadValue: the share is no part of a file.
    """
    return _shared(sentence_pairs.read_table(path, on_malformed, **layout), share)


def object_pairs(
    path: Path, on_malformed: OnMalformed, share: Sequence[float], labels: dict[str, str | None]
) -> Iterator[LabelledPair]:
    """Reads the pairs of a file of JSON objects; arguments and errors as for `table_pairs`."""
    return _shared(json_pairs.read(path, on_malformed, labels), share)


def _shared(
    pairs: Iterable[sentence_pairs.SentencePair | json_pairs.JsonPair], share: Sequence[float]
) -> Iterator[LabelledPair]:
    if len(share) != 2 or not 0 <= share[0] < share[1] <= 1:
        raise BadValue("share", share, "two numbers from 0 to 1, the smaller first, such as [0, 0.85]")
    pairs = list(pairs)
    start, end = (int(part * len(pairs)) for part in share)
    for pair in pairs[start:end]:
        yield LabelledPair(words_of(pair.premise), words_of(pair.hypothesis), pair.label, pair.line)
