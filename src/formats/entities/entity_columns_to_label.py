"""Entities into columns, for conlleval: gold and predicted tags are the last two columns.

    gold tags, last        Van  X  B-LOC      Van  X  B-LOC  B-LOC
    gold tags, not last    Van  B-LOC  O      Van  B-LOC  O  B-LOC  B-LOC
    no gold tags           Van  X             Van  X  B-LOC

Tags are written in the scheme of the file: with I- alone, and B- only between neighbours of one type, where most of its
spans start so; else a span starts with B-. With gold tags, all lines between sentences (markup, comments,
`-DOCSTART-`, tabs alone) become empty ones: conlleval takes them for tokens.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from src.formats.entities import entity_columns
from src.formats.entities.entity_columns import TAG, TOKEN, ColumnFormat, EntitySentence
from src.formats.entities.span_tags import Span, iob1, iob2, n_without_b, spans_of
from src.formats.file_to_label import FileToLabel
from src.formats.reading.line_ends import written_back
from src.formats.reading.lines import numbered_bytes
from src.formats.reading.malformed import OnMalformed
from src.formats.treebanks.labelled_words import LabelledWords

Scheme = Callable[[Iterable[Span], int], list[str]]
"""Writes spans of a sentence of so many words as tags."""


def entity_column_sentences(
    path: Path, on_malformed: OnMalformed, separator: str = "tab", columns: Sequence[str] = (TOKEN, TAG)
) -> FileToLabel:
    """Reads the words; an answer is the spans of a sentence. Raises as `entity_columns.read`."""
    layout = ColumnFormat(separator, columns)
    layout = replace(layout, has_tags=_has_tags(path, layout))
    sentences = list(entity_columns.read_as(path, on_malformed, layout))
    examples = [LabelledWords(one.words, one.tags, one.line) for one in sentences if one.rows]
    write = partial(_write, sentences, _scheme_of(examples))
    return FileToLabel(examples, written_back(write, path, entity_columns.line_numbers(sentences)))


def _has_tags(path: Path, layout: ColumnFormat) -> bool:
    """Whether any line has as many cells as there are columns."""
    return any(len(layout.cells(_text(content))) == len(layout.columns) for _, content in numbered_bytes(path))


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace").rstrip("\r\n")


def _scheme_of(examples: Iterable[LabelledWords]) -> Scheme:
    n_spans, n_inside = 0, 0
    for one in examples:
        n_spans += len(spans_of(one.labels))
        n_inside += n_without_b(one.labels)
    return iob1 if 2 * n_inside > n_spans else iob2


def _write(sentences: Sequence[EntitySentence], scheme: Scheme, answers: Sequence[Sequence[Span]], path: Path) -> None:
    spans = iter(answers)
    tags = (scheme(next(spans), len(one.rows)) if one.rows else () for one in sentences)
    entity_columns.write(map(_with_tags, sentences, tags), path)


def _with_tags(sentence: EntitySentence, tags: Sequence[str]) -> EntitySentence:
    layout = sentence.format
    if not layout.has_tags:
        return replace(sentence.with_tags(tags), format=replace(layout, has_tags=True))
    gold = () if layout.columns[-1] == TAG else ("gold",)
    rows = ((*row, *(row[layout.tag] for _ in gold), tag) for row, tag in zip(sentence.rows, tags, strict=True))
    return replace(
        sentence,
        before=("",) * len(sentence.before),
        rows=tuple(rows),
        after=("",) * len(sentence.after),
        format=replace(layout, columns=(*layout.columns, *gold, "predicted")),
    )
