"""Premise, hypothesis and label in the columns of a table, a pair a row. The caller says which column is which.

    language	gold_label	sentence1	sentence2	…       with a header; a quotation mark is a character (XNLI)
    und er hat gesagt	Er sagte kein Wort.	neutral     without a header (XNLI's German part in SuperGLEBer)
    ID,Premise,Hypothesis,Label,…                       quoted as CSV (INFERES)

Rows are those of `polyprobe.formats.reading.table_rows`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from polyprobe.errors import BadValue, MalformedLine, near_names
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.reading.table_rows import Quotes, TableLayout, table_rows
from polyprobe.section import Expected, Section

ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT = "entailment", "neutral", "contradiction", "not_entailment"
CONTRADICTORY = "contradictory"  # XNLI's translated train has it for contradiction, LINSPECTOR's program for another
LABELS = (ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT, CONTRADICTORY)
NO_LABEL = "-"
Label = Literal["entailment", "neutral", "contradiction", "not_entailment", "contradictory"]
ColumnName = Annotated[str, Expected("the name of a column")]
_COLUMNS = "a list of names of columns; null: the first line has them"
_QUOTES: Mapping[str | None, Quotes] = {None: "csv", "csv": "always", "always": "always", "none": "none"}


class PairFormat(Section):
    """One dialect of the format.

    Raises:
        UnknownChoice: a value or a label is none of the known ones.
        BadValue: `columns` lacks a column that is named, or a field has another type.
    """

    separator: Literal["tab", "semicolon", "comma"] | None = None
    """Between two cells; None: that by which the first line has the columns."""
    quotes: Literal["none", "csv", "always"] | None = None
    """With "csv" or "always" a cell may be in quotation marks, those inside it doubled; with "none" they are text.
    None: they are text where tabs separate cells.
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
        missing = [name for name in self.needed if self.columns is not None and name not in self.columns]
        if missing:
            raise BadValue("columns", list(self.columns), f"names of columns, among them {', '.join(missing)}")

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that are read."""
        label = () if self.label is None else (self.label,)
        return self.premise, self.hypothesis, *label, *self.where


class SentencePair(NamedTuple):
    """A row: its line of the file, from 1, the sentences as written, and one of `LABELS`, None where there is none."""

    line: int
    premise: str
    hypothesis: str
    label: str | None


def read(path: Path, on_malformed: OnMalformed, layout: PairFormat) -> Iterator[SentencePair]:
    """Reads the pairs of a table, those without a label too.

    Raises:
        MalformedLine: at an empty file and a header that lacks a column or is not clean UTF-8; and, where
            `on_malformed` raises, at the first row with another number of columns, an open quotation mark, an empty
            premise or hypothesis, a label that the layout does not know, or text that is not clean UTF-8.
    """
    quotes = _QUOTES[layout.quotes]  # a cell is as the file has it: blanks at its edges are no words
    table = TableLayout(layout.needed, layout.separator, quotes, layout.columns, edges="", key="reader_options")
    for row in table_rows(path, on_malformed, table):
        with Omission(on_malformed):
            if all(row.cells[name] == str(value) for name, value in layout.where.items()):
                sides = row.cells[layout.premise], row.cells[layout.hypothesis]
                for side, sentence in zip(("premise", "hypothesis"), sides, strict=True):
                    check_sentence(path, row.line, side, sentence)
                spelling = None if layout.label is None else row.cells[layout.label]
                label = None if spelling is None else label_of(path, row.line, spelling, layout.labels)
                yield SentencePair(row.line, *sides, label)


def meanings_of(labels: Mapping[Any, str | None] | None) -> Mapping[Any, str | None]:
    """Returns what spellings of labels mean; None: as `PairFormat` has it. Raises as that."""
    return PairFormat().labels if labels is None else PairFormat(labels=labels).labels


def check_sentence(path: Path, line: int, side: str, sentence: str) -> None:
    """Refuses a side of a pair without a word."""
    if not sentence.strip():
        raise MalformedLine(path, line, f"the {side} is empty", "a sentence")


def label_of(path: Path, line: int, spelling: str, labels: Mapping[Any, str | None]) -> str | None:
    """Returns what the spelling of a label means."""
    labels = {str(one): meaning for one, meaning in labels.items()}  # which YAML and JSON may take for numbers
    if spelling not in labels:
        near = " or ".join(near_names(spelling, labels))
        expected = f"one of {', '.join(labels)}" + (f" (perhaps {near})" if near else "")
        known = "".join(f"{name}: {meaning or 'null'}, " for name, meaning in labels.items())
        expected += f"; with what this one means: reader_options: {{labels: {{{known}{spelling or '…'}: …}}}}"
        raise MalformedLine(path, line, f'the label is "{spelling}"', expected)
    return labels[spelling]
