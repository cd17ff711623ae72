"""Premise, hypothesis and label in the columns of a table, a pair a row. The caller says which column is which.

    language	gold_label	sentence1	sentence2	…       with a header; a quotation mark is a character (XNLI)
    und er hat gesagt	Er sagte kein Wort.	neutral     without a header (XNLI's German part in SuperGLEBer)
    ID,Premise,Hypothesis,Label,…                       quoted as CSV (INFERES)

Cells hold no line feeds, in none of the corpora: a row is a line.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from polyprobe.display.shown import plural
from polyprobe.errors import BadValue, MalformedLine, near_names
from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.section import Expected, Section

ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT = "entailment", "neutral", "contradiction", "not_entailment"
CONTRADICTORY = (
    "contradictory"  # XNLI's translated train has it for contradiction; LINSPECTOR's program takes it for another
)
LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT, CONTRADICTORY)
NO_LABEL = "-"
Label = Literal["entailment", "neutral", "contradiction", "not_entailment", "contradictory"]
ColumnName = Annotated[str, Expected("the name of a column")]
_COLUMNS = "a list of names of columns; null: the first line has them"
SEPARATORS = {"tab": "\t", "comma": ","}
# A cell in quotation marks, those inside it doubled; or one that does not start with any. At the end of a line or cell.
_CELL = {sep: re.compile(rf'(?:"((?:[^"]+|"")*)"|([^"{sep}][^{sep}]*|))(?={sep}|$)') for sep in SEPARATORS.values()}


class PairFormat(Section):
    """One dialect of the format.

    Raises:
        UnknownChoice: a value or a label is none of the known ones.
        BadValue: `columns` lacks a column that is named, or a field has another type.
    """

    separator: Literal["tab", "comma"] = "tab"
    """Between two cells."""
    quotes: Literal["none", "csv"] | None = None
    """With "csv" a cell may be in quotation marks, those inside it doubled; or "none". None: "csv" with commas,
    "none" with tabs.
    """
    line_end: Literal["lf", "crlf"] = "lf"
    """How the lines of the published file end: either is read, whatever this says."""
    columns: Annotated[Sequence[str], Expected(_COLUMNS, of_parts=True)] | None = None
    """Their names; None: the first line has them."""
    premise: ColumnName = "premise"
    """The name of its column."""
    hypothesis: ColumnName = "hypothesis"
    """The name of its column."""
    label: ColumnName | None = "label"
    """The name of its column; None: labels are ignored."""
    labels: Annotated[Mapping[Any, Label | None], Expected("a group of keys, such as {E: entailment, N: neutral}")] = (
        field(default_factory=lambda: {**{label: label for label in LABELS[:4]}, NO_LABEL: None})
    )
    """What each spelling in the file means, such as {E: entailment, N: neutral}; None: the pair has no label. By
    default the labels of SNLI and of its two-way copies mean themselves, and `-`, where its annotators disagree, none.
    """
    where: Annotated[Mapping[Any, Any], Expected("a group of keys, such as {language: fi}")] = field(
        default_factory=dict
    )
    """Only rows with these cells are read (such as {language: es}), by names of columns."""

    def __post_init__(self):
        super().__post_init__()
        if self.quotes is None:
            object.__setattr__(self, "quotes", "csv" if self.separator == "comma" else "none")
        missing = [name for name in self.needed if self.columns is not None and name not in self.columns]
        if missing:
            raise BadValue("columns", list(self.columns), f"names of columns, among them {', '.join(missing)}")

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that are read."""
        label = () if self.label is None else (self.label,)
        return self.premise, self.hypothesis, *label, *self.where

    def cells(self, line: str) -> tuple[str, ...] | None:
        """Cuts a line at its separators; None where a quotation mark is not closed or comes after a closed one."""
        separator = SEPARATORS[self.separator]
        if self.quotes == "none":
            return tuple(line.split(separator))
        cells, start = [], 0
        while start <= len(line):
            cell = _CELL[separator].match(line, start)
            if cell is None:
                return None
            cells.append(cell[2] if cell[1] is None else cell[1].replace('""', '"'))
            start = cell.end() + 1
        return tuple(cells)


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A premise, a hypothesis and the label of the pair."""

    line: int
    """Of the file, from 1."""
    premise: str
    hypothesis: str
    """`premise` and `hypothesis`: as in the file."""
    label: str | None
    """One of `LABELS`; None: annotators found none, or it is not published."""


def read(path: Path, on_malformed: OnMalformed, layout: PairFormat) -> Iterator[SentencePair]:
    """Reads the pairs of a table, those without a label too.

    Raises:
        MalformedLine: at an empty file and a header that lacks a column or is not clean UTF-8; and, where
            `on_malformed` raises, at the first row with another number of columns, an open quotation mark, an empty
            premise or hypothesis, a label that the layout does not know, or text that is not clean UTF-8.
    """
    lines = numbered_bytes(path)
    if layout.columns is None:
        layout = replace(layout, columns=_header(path, next(lines)[1], layout))
    for line, content in lines:
        with Omission(on_malformed):
            cells = _cells(path, line, content, layout)
            row = dict(zip(layout.columns, cells, strict=True))
            if all(row[name] == str(value) for name, value in layout.where.items()):
                yield SentencePair(line, *_looked_at(path, line, row, layout))


def _header(path: Path, content: bytes, layout: PairFormat) -> tuple[str, ...]:
    names = layout.cells(text_of(path, 1, content)) or ()
    missing = [name for name in layout.needed if name not in names]
    if missing:
        found = f"the header has no {', no '.join(missing)}: its columns are {', '.join(names)}"
        raise MalformedLine(path, 1, found, _expected_header(names, layout))
    return names


def _expected_header(names: tuple[str, ...], layout: PairFormat) -> str:
    expected = f"{', '.join(layout.needed)} in it, separated by {layout.separator}s"
    other = next(one for one in SEPARATORS if one != layout.separator)
    if len(names) == 1 and SEPARATORS[other] in names[0]:
        return f"{expected}; where {other}s separate them: reader_options: {{separator: {other}}}"
    return f"{expected}; columns of other names: reader_options: {{premise: …, hypothesis: …, label: …}}"


def _cells(path: Path, line: int, content: bytes, layout: PairFormat) -> tuple[str, ...]:
    cells = layout.cells(text_of(path, line, content))
    expected = f"{len(layout.columns)} columns, separated by {layout.separator}s"
    if cells is None:
        raise MalformedLine(path, line, "a quotation mark is not closed, or stands inside a cell", expected)
    if cells == ("",):
        raise MalformedLine(path, line, "the line is empty", expected)
    if len(cells) != len(layout.columns):
        raise MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected)
    return cells


def _looked_at(path: Path, line: int, row: Mapping[str, str], layout: PairFormat) -> tuple[str, str, str | None]:
    for side in ("premise", "hypothesis"):
        check_sentence(path, line, side, row[getattr(layout, side)])
    label = None if layout.label is None else label_of(path, line, row[layout.label], layout.labels)
    return row[layout.premise], row[layout.hypothesis], label


def meanings_of(labels: Mapping[Any, str | None] | None) -> Mapping[Any, str | None]:
    """Returns what spellings of labels mean; None: as `PairFormat` has it. Raises as that."""
    return PairFormat().labels if labels is None else PairFormat(labels=labels).labels


def check_sentence(path: Path, line: int, side: str, sentence: str) -> None:
    """Refuses a side of a pair without a word."""
    if not sentence.strip():
        raise MalformedLine(path, line, f"the {side} is empty", "a sentence")


def label_of(path: Path, line: int, spelling: str, labels: Mapping[Any, str | None]) -> str | None:
    """Returns what the spelling of a label means."""
    labels = spelt(labels)
    if spelling not in labels:
        near = " or ".join(near_names(spelling, labels))
        expected = f"one of {', '.join(labels)}" + (f" (perhaps {near})" if near else "")
        known = "".join(f"{name}: {meaning or 'null'}, " for name, meaning in labels.items())
        expected += f"; with what this one means: reader_options: {{labels: {{{known}{spelling or '…'}: …}}}}"
        raise MalformedLine(path, line, f'the label is "{spelling}"', expected)
    return labels[spelling]


def spelt(labels: Mapping[Any, str | None]) -> dict[str, str | None]:
    """Returns labels by their spellings, which YAML and JSON may take for numbers or truth values."""
    return {str(spelling): label for spelling, label in labels.items()}
