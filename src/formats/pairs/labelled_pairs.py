"""Pairs of sentences as words, with their label, independent of the file format."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from src.formats.pairs import pair_objects, pair_tables
from src.formats.pairs.pair_tables import PairFormat
from src.formats.reading.malformed import OnMalformed
from src.formats.reading.tokenised import WORDS_AND_SIGNS, Tokeniser, tokeniser, words_and_signs


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


def with_label(pairs: Iterable[LabelledPair]) -> list[LabelledPair]:
    """Returns the pairs that have a label."""
    return [pair for pair in pairs if pair.label is not None]


def table_pairs(
    path: Path,
    on_malformed: OnMalformed,
    tokenised_by: str = WORDS_AND_SIGNS,
    language: str = "",
    **layout: Annotated[Any, PairFormat],
) -> Iterator[LabelledPair]:
    """Reads the pairs of a table.

    Args:
        path: the file.
        on_malformed: called with every malformed line.
        tokenised_by, language: see `tokeniser`; where a corpus says nothing, words and signs.
        layout: the fields of `PairFormat`.

    Raises:
        MalformedLine: as `pair_tables.read`.
    """
    cut = tokeniser(tokenised_by, language)
    return (labelled(pair, pair.label, cut) for pair in pair_tables.read_table(path, on_malformed, **layout))


def object_pairs(
    path: Path, on_malformed: OnMalformed, labels: Mapping[Any, str | None] | None = None
) -> Iterator[LabelledPair]:
    """Reads the pairs of a file of JSON objects; arguments and errors as for `pair_objects.read`.

    Labels: None: the three of SNLI mean themselves.
    """
    pairs = pair_objects.read(path, on_malformed, pair_tables.meanings_of(labels))
    return (labelled(pair, pair.label, words_and_signs) for pair in pairs)


def labelled(pair: pair_tables.SentencePair | pair_objects.JsonPair, label: str | None, cut: Tokeniser) -> LabelledPair:
    """Returns a pair as words, with a label."""
    return LabelledPair(cut(pair.premise), cut(pair.hypothesis), label, pair.line)
