"""Roles into Universal PropBank: UP:ARGHEADS of the predicates is replaced, all else stays byte for byte.

UP:ARGSPANS of the predicates becomes `_`: models find the heads of arguments, not their spans.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from src.formats.file_to_label import FileToLabel
from src.formats.reading.line_ends import written_back
from src.formats.reading.malformed import OnMalformed
from src.formats.roles import universal_propbank
from src.formats.roles.propositions import Proposition
from src.formats.roles.universal_propbank import HEADS, SPANS, heads_cell
from src.formats.treebanks import conllu
from src.formats.treebanks.conllu import ConlluSentence, Table

Propositions = Sequence[Proposition]


def universal_propbank_sentences(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads a joined file; an answer is the propositions of a sentence.

    A sentence that the reader leaves out is not in the written file. Raises as the reader.
    """
    examples = list(universal_propbank.universal_propbank_sentences(path, on_malformed))
    lines = {one.line for one in examples}
    sentences = [one for one in conllu.read(path, _reported_before) if one.first_row_line in lines]
    return FileToLabel(examples, written_back(partial(_write, sentences), path, conllu.line_numbers(sentences)))


def universal_propbank_standoff_sentences(path: Path, treebank: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads a stand-off file with the words of its treebank; otherwise as `universal_propbank_sentences`."""
    examples = list(universal_propbank.universal_propbank_standoff_sentences(path, treebank, on_malformed))
    lines = {one.line for one in examples}
    tables = [one for one in universal_propbank.read_standoff(path, _reported_before) if one.first_row_line in lines]
    return FileToLabel(examples, written_back(partial(_write_standoff, tables), path, conllu.line_numbers(tables)))


def _reported_before(place: object) -> None:
    """Ignores malformed lines: the reader of the examples has reported them all."""


def _write(sentences: Sequence[ConlluSentence], answers: Sequence[Propositions], path: Path) -> None:
    conllu.write(map(_with_roles, sentences, answers), path)


def _with_roles(sentence: ConlluSentence, propositions: Propositions) -> ConlluSentence:
    cells = _cells_of_predicates(propositions)
    names = sentence.columns[len(conllu.COLUMNS) :]
    rows = (replace(row, extra=_replaced(row.extra, names, cells.get(row.id))) for row in sentence.rows)
    return replace(sentence, rows=tuple(rows))


def _write_standoff(tables: Sequence[Table], answers: Sequence[Propositions], path: Path) -> None:
    universal_propbank.write_standoff(map(_table_with_roles, tables, answers), path)


def _table_with_roles(table: Table, propositions: Propositions) -> Table:
    cells = _cells_of_predicates(propositions)
    return replace(table, rows=tuple(_replaced(row, table.columns, cells.get(row[0])) for row in table.rows))


def _cells_of_predicates(propositions: Propositions) -> dict[str, Mapping[str, str]]:
    """Returns the new cells of every predicate's row, by its ID."""
    return {str(one.predicate + 1): {HEADS: heads_cell(one.arguments), SPANS: "_"} for one in propositions}


def _replaced(cells: Sequence[str], names: Sequence[str], by_name: Mapping[str, str] | None) -> tuple[str, ...]:
    return tuple((by_name or {}).get(name, cell) for name, cell in zip(names, cells, strict=True))
