"""Probing tests from a column of CoNLL-U files: `suite=own suite.format=conllu suite.column=feats.Case`.

    words of all files -> those of `where` -> labels -> frequent ones -> at most so many of each -> train, dev, test

A row is a word in its sentence (level token) or a form (level type). Words are syntactic words: multiword tokens and
empty nodes have no row and are no part of a sentence, as in all of our models.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from polyprobe.display.shown import plural
from polyprobe.errors import BadValue, MalformedLine, PolyprobeError, UnknownChoice, check_choice, near_names, nearest
from polyprobe.formats.probing_sets.linspector import FormRow, TokenRow
from polyprobe.formats.reading.cells import BLANKS
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.treebanks import conllu
from polyprobe.formats.treebanks.conllu import ConlluSentence
from polyprobe.probing.suites.dealt_rows import Dealing, DealingRules, OwnRow, dealt_out
from polyprobe.probing.suites.test_files import Rows
from polyprobe.splits import SPLITS

ENDING = ".conllu"
EXTRA = ":"  # in the names of further columns of CoNLL-U Plus, such as PARSEME:MWE
CELLS = ("upos", "xpos", "deprel", "lemma")  # a label is the whole cell
ENTRIES = ("feats", "misc")  # a label is the value of an entry: feats.Case
NONE = "none"  # the label of words that the column says nothing of
_COLUMN = "a column such as upos, xpos, deprel, lemma, feats.Case, misc.Gloss or, of CoNLL-U Plus, PARSEME:MWE"
_MOST_LISTED = 40  # values of a column that a message lists; of lemmas only the nearest


class ColumnRules(DealingRules, key="suite"):
    """How words of a treebank become the rows of a test."""

    where: Any
    """Filter of words: {upos: NOUN}, {upos: [NOUN, PROPN], feats.Case: null} (null: words without the feature); null:
    all.
    """
    absent: Literal["left_out", "none"]
    """Words without a value in the column: left_out; none: labelled "none"."""
    several: Literal["kept", "left_out"]
    """Multiple values (Case=Acc,Dat): kept: a label of their own; left_out: skipped."""
    split: Literal["files", "sentence", "lemma"] | None
    """Splits: files: train, dev and test by file name; sentence, lemma: random split that keeps these together; null:
    files if all three exist, otherwise sentence (token) or lemma (type).
    """

    def __post_init__(self):
        super().__post_init__()
        if self.where is not None and not isinstance(self.where, Mapping):
            raise BadValue("suite.where", self.where, "columns with their values, such as {upos: NOUN}, or null")
        for column, values in (self.where or {}).items():
            check_column("suite.where", column)
            listed = values if isinstance(values, list) else [values]
            if not listed or not all(one is None or type(one) in (str, int) for one in listed):
                expected = 'a value, null or a list of them; Yes and No as "Yes" and "No", in quotes'
                raise BadValue(f"suite.where {column}", values, expected)

    def __repr__(self) -> str:  # enters names of runs: the order is theirs
        names = ("where", "absent", "several", "least_per_label", "most_per_label", "split", "shares", "split_seed")
        return f"ColumnRules({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


OF_COLUMNS = ("column", *(field.name for field in fields(ColumnRules)))
"""Keys of a suite that only this format has."""


@dataclass(frozen=True)
class TreebankColumns:
    """The columns of a user's treebank that are tests."""

    paths: Sequence[Path]
    """Of the files, in the order of `files_at`."""
    rules: ColumnRules

    def test(self, name: str, level: str, on_malformed: OnMalformed) -> tuple[Rows, list[str]]:
        """Reads the rows of a test and deals them out.

        Args:
            name: the column of the label.
            level: "token" or "type".
            on_malformed: called with every bad line; its sentence is left out unless it raises.

        Returns:
            The rows by split, and what a reader of the scores must know.
        """
        by, rules = _split_by(self, level), self.rules
        rows, notes = _labelled(self, name, level, by, on_malformed)
        if level == "type":
            rows, dropped = _unambiguous(rows)
            notes += [f"skipped {plural(dropped, 'form')} with several labels"] if dropped else []
        where = f" of suite.where={dict(rules.where)}" if rules.where else ""
        dealing = Dealing("suite.column", name, level, by, rules, "word", where)
        dealt, left_out = dealt_out(dealing, rows)
        return dealt, [*notes, *left_out]


Values = str | int | Sequence[str | int | None] | None


def check_column(key: str, column: object) -> None:
    """Checks the name of a column, without a look into the files."""
    if not isinstance(column, str):
        raise BadValue(key, column, _COLUMN)
    column_kind, _, entry = column.partition(".")
    is_extra = EXTRA in column_kind
    if column not in CELLS and not is_extra and (column_kind not in ENTRIES or not entry):
        known = nearest(column.lower(), [*CELLS, *(f"{one}.…" for one in ENTRIES)])
        feature = "" if column.lower() in (*CELLS, *ENTRIES) or entry else f" As a feature: feats.{column}."
        raise PolyprobeError(f'{key} "{column}" is unknown.{feature} {known}')


def files_at(place: Path) -> list[Path]:
    """Lists the CoNLL-U files at a path: the file itself, or those of a folder, train before dev before test."""
    order = {split: number for number, split in enumerate(SPLITS)}
    found = [place] if place.is_file() else place.glob(f"*{ENDING}")
    return sorted(found, key=lambda path: (order.get(split_of(path), len(SPLITS)), path.name))


def split_of(path: Path) -> str | None:
    """Returns the split that a file's name says, as "train.conllu" and "tr_imst-ud-train.conllu" do; None for none."""
    return next(
        (split for split in SPLITS if path.stem == split or path.stem.endswith((f"-{split}", f"_{split}"))), None
    )


def _split_by(columns: TreebankColumns, level: str) -> str:
    """Returns "files", "sentence" or "lemma"."""
    found, by = [split_of(path) for path in columns.paths], columns.rules.split
    has_splits = None not in found and set(found) == set(SPLITS)
    if by is None:
        return "files" if has_splits else "sentence" if level == "token" else "lemma"
    if by == "files" and not has_splits:
        names = ", ".join(path.name for path in columns.paths)
        raise BadValue(
            "suite.split", by, f"sentence or lemma, or files with train, dev and test in their names ({names})"
        )
    if by == "sentence" and level == "type":
        raise BadValue("suite.split", by, "lemma or files with suite.level=type: a form is of many sentences")
    return by


def _labelled(
    columns: TreebankColumns, column: str, level: str, by: str, on_malformed: OnMalformed
) -> tuple[list[OwnRow], list[str]]:
    """Returns the words that have a label, in the order of the files, and notes on those that have none."""
    rules = columns.rules
    known: dict[str, set[str]] = defaultdict(set)
    rows, n_absent, n_several = [], 0, 0
    for path in columns.paths:
        split = split_of(path) if by == "files" else None
        for sentence in conllu.read_stripped(path, on_malformed):
            try:
                values = _values(path, sentence)
            except MalformedLine as place:
                on_malformed(place)
                continue
            forms = tuple(row.form for row in sentence.words)
            lines = [line for line, row in enumerate(sentence.rows, start=sentence.first_row_line) if row.is_word]
            for index, (row, of_word) in enumerate(zip(sentence.words, values, strict=True)):
                for name, value in of_word.items():
                    known[name].add(value)
                wanted = (rules.where or {}).items()
                if not all(of_word.get(one) in _wanted(values_of) for one, values_of in wanted):
                    continue
                label = of_word.get(column)
                if label is None and rules.absent == "left_out":
                    n_absent += 1
                elif label is not None and "," in label and column.startswith("feats.") and rules.several != "kept":
                    n_several += 1
                else:
                    lemma = row.form if row.lemma == "_" else row.lemma
                    group, line, named = lemma if by == "lemma" else forms, lines[index], label or NONE
                    is_form, form = level == "type", (forms[index],)
                    made = FormRow(line, form, named) if is_form else TokenRow(line, forms, index, named)
                    rows.append(OwnRow(made, group, split))
    if not known:
        files = " and ".join(map(str, columns.paths))
        raise PolyprobeError(f"{files}: no sentence is left whose words have a column. Expected at least one.")
    _check_known(column, rules.where or {}, known)
    notes = [f"skipped {plural(n_absent, 'word')} without {column}"] if n_absent else []
    return rows, notes + ([f"skipped {plural(n_several, 'word')} with several values"] if n_several else [])


def _check_known(column: str, where: Mapping[str, "Values"], known: Mapping[str, set[str]]) -> None:
    """Refuses columns that no word has, and values of `where` that no word has in their column."""
    check_choice("suite.column", column, known)
    for name, values in where.items():
        check_choice("suite.where", name, known)
        for value in filter(None, _wanted(values)):
            if value not in known[name]:
                raise UnknownChoice(f"suite.where {name}", value, _listed(value, known[name]))


def _listed(value: str, values: Collection[str]) -> Collection[str]:
    """Returns what a message lists of the values of a column: of very many the nearest."""
    if len(values) <= _MOST_LISTED:
        return values
    return near_names(value, values) or [*sorted(values)[:_MOST_LISTED], "…"]


def _values(path: Path, sentence: ConlluSentence) -> list[dict[str, str]]:
    """Returns what the columns say of each word; a cell "_" says nothing, and MISC may have entries without a value."""
    found = []
    for line, row in enumerate(sentence.rows, start=sentence.first_row_line):
        if not row.is_word:
            continue
        cells = {name: getattr(row, name) for name in CELLS}
        cells |= zip((name for name in sentence.columns if name not in conllu.COLUMNS), row.extra, strict=False)
        filled = {name: cell for name, cell in cells.items() if cell != "_"}
        features = _parts(row.feats)
        if row.feats != "_" and not all(name and value for name, _, value in features):
            raise MalformedLine(path, line, f'FEATS is "{row.feats}"', 'Feature=Value, joined by "|", or "_"')
        for kind, entries in (("feats", features), ("misc", _parts(row.misc))):
            filled |= {f"{kind}.{name}": value for name, _, value in entries if name and value}
        found.append(filled)
    return found


def _parts(cell: str) -> list[tuple[str, str, str]]:
    return [tuple(part.strip(BLANKS) for part in one.partition("=")) for one in cell.split("|")]


def _wanted(values: "Values") -> list[str | None]:
    """Returns the values that a word may have; numbers as the file writes them."""
    listed = values if isinstance(values, list) else [values]
    return [None if one is None else str(one) for one in listed]


def _unambiguous(rows: Sequence[OwnRow]) -> tuple[list[OwnRow], int]:
    """Returns the first row of each form that has one label, and how many forms have several.

    With the split of files a form is where it comes first; a split by lemma goes by the lemma that it has there.
    """
    labels: dict[tuple[str, ...], set[str]] = {}
    firsts: dict[tuple[str, ...], OwnRow] = {}
    for row in rows:
        labels.setdefault(row.made.forms, set()).add(row.label)
        firsts.setdefault(row.made.forms, row)
    left = [row for forms, row in firsts.items() if len(labels[forms]) == 1]
    return left, len(firsts) - len(left)
