"""Probing tests from a column of CoNLL-U files: `suite=own suite.format=conllu suite.column=feats.Case`.

    words of all files -> those of `where` -> labels -> frequent ones -> at most so many of each -> train, dev, test

A row is a word in its sentence (level token) or a form (level type). Words are syntactic words: multiword tokens and
empty nodes have no row and are no part of a sentence, as in all of our models.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from polyprobe.display.shown import plural
from polyprobe.errors import (
    BadValue,
    MalformedLine,
    PolyprobeError,
    UnknownChoice,
    check_at_least,
    check_choice,
    near_names,
    nearest,
)
from polyprobe.formats.probing_sets.linspector import FormRow, TokenRow
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.treebanks import conllu
from polyprobe.formats.treebanks.conllu import ConlluSentence, Row
from polyprobe.generation.made_tests.labels import parts_by_weight
from polyprobe.probing.suites.test_files import Rows
from polyprobe.section import Count, Section, Seed
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

ENDING = ".conllu"
CELLS = ("upos", "xpos", "deprel", "lemma")  # a label is the whole cell
ENTRIES = ("feats", "misc")  # a label is the value of an entry: feats.Case
NONE = "none"  # the label of words that the column says nothing of
_COLUMN = "a column such as upos, xpos, deprel, lemma, feats.Case or misc.Gloss"
_SHOWN = 5  # labels that a message names
_MOST_LISTED = 40  # values of a column that a message lists; of lemmas only the nearest


class ColumnRules(Section, key="suite"):
    """How words of a treebank become the rows of a test."""

    where: Any
    """Which words: {upos: NOUN}, {upos: [NOUN, PROPN], feats.Case: null} (null: words without any); null: all."""
    absent: Literal["left_out", "none"]
    """Words that the column says nothing of: left_out; none: their label is "none"."""
    several: Literal["kept", "left_out"]
    """Several values (Case=Acc,Dat): kept: a label of their own; left_out: no row."""
    least_per_label: Count
    """Labels of fewer rows, of all splits together, are left out."""
    most_per_label: Any
    """Rows drawn of each label, of all splits together; null: all."""
    split: Literal["files", "sentence", "lemma"] | None
    """files: train, dev and test by their names; sentence, lemma: what stays together where rows are split anew; null:
    files where there are all three, else sentences (token) or lemmas (type)."""
    shares: Any
    """Of train, dev and test, three numbers, where rows are split anew."""
    split_seed: Seed
    """Of that split, and of drawing rows."""

    def __post_init__(self):
        super().__post_init__()
        if self.where is not None and not isinstance(self.where, Mapping):
            raise BadValue("suite.where", self.where, "columns with their values, such as {upos: NOUN}, or null")
        for column, values in (self.where or {}).items():
            check_column("suite.where", column)
            _check_values(column, values)
        if self.most_per_label is not None:
            check_at_least("suite.most_per_label", self.most_per_label, self.least_per_label)
        are_numbers = isinstance(self.shares, Sequence) and all(type(one) in (int, float) for one in self.shares)
        if not are_numbers or len(self.shares) != len(SPLITS) or not all(one > 0 for one in self.shares):
            raise BadValue("suite.shares", self.shares, "three numbers above 0, such as [80,10,10]")


OF_COLUMNS = ("column", *(field.name for field in fields(ColumnRules)))
"""Keys of a suite that only this format has."""


@dataclass(frozen=True)
class TreebankColumns:
    """The columns of a user's treebank that are tests."""

    paths: Sequence[Path]
    """Of the files, in the order of `files_at`."""
    rules: ColumnRules
    """Of all tests."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word with a label."""

    line: int
    """Of its file."""
    sentence: tuple[str, ...]
    index: int
    """Its place."""
    lemma: str
    """What a split by lemma keeps together: the form, where the file has none."""
    label: str
    """Of the column."""
    split: str | None
    """Of its file; None where that is not known."""

    @property
    def form(self) -> str:
        return self.sentence[self.index]


Values = str | int | Sequence[str | int | None] | None


def _check_values(column: str, values: object) -> None:
    listed = values if isinstance(values, list) else [values]
    if not listed or not all(one is None or type(one) in (str, int) for one in listed):
        expected = 'a value, null or a list of them; Yes and No as "Yes" and "No", in quotes'
        raise BadValue(f"suite.where {column}", values, expected)


def check_column(key: str, column: object) -> None:
    """Checks the name of a column, without a look into the files."""
    if not isinstance(column, str):
        raise BadValue(key, column, _COLUMN)
    column_kind, _, entry = column.partition(".")
    if column not in CELLS and (column_kind not in ENTRIES or not entry):
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


def column_test(columns: TreebankColumns, column: str, level: str, on_malformed: OnMalformed) -> tuple[Rows, list[str]]:
    """Reads the rows of a test and deals them out.

    Args:
        columns: the files and the rules.
        column: the label of a row.
        level: "token" or "type".
        on_malformed: called with every bad line; its sentence is left out unless it raises.

    Returns:
        The rows by split, and what a reader of the scores must know.
    """
    rules = columns.rules
    by = _split_by(columns, level)
    words, notes = _labelled(columns, column, on_malformed)
    if level == "type":
        words, dropped = _unambiguous(words)
        notes += [f"{plural(dropped, 'form')} with several labels left out"] if dropped else []
    counts = Counter(word.label for word in words)
    rare = {label for label, count in counts.items() if count < rules.least_per_label}
    notes += [f"{plural(len(rare), 'label')} of fewer than {rules.least_per_label} rows left out"] if rare else []
    words = _capped([word for word in words if word.label not in rare], column, rules)
    _check_labels(column, words, counts, rules)
    dealt = _by_files(words) if by == "files" else _dealt(words, column, by, level, rules)
    _check_splits(column, dealt, by)
    return {split: tuple(_row(word, level) for word in dealt[split]) for split in SPLITS}, notes


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


def _labelled(columns: TreebankColumns, column: str, on_malformed: OnMalformed) -> tuple[list[_Word], list[str]]:
    """Returns the words that have a label, in the order of the files, and notes on those that have none."""
    rules = columns.rules
    known: dict[str, set[str]] = defaultdict(set)
    words, n_absent, n_several = [], 0, 0
    for path in columns.paths:
        split = split_of(path)
        for sentence in conllu.read(path, on_malformed):
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
                    words.append(_Word(lines[index], forms, index, lemma, label or NONE, split))
    if not known:
        files = " and ".join(map(str, columns.paths))
        raise PolyprobeError(f"{files}: no sentence is left whose words have a column. Expected at least one.")
    _check_known(column, rules.where or {}, known)
    notes = [f"{plural(n_absent, 'word')} without {column} left out"] if n_absent else []
    return words, notes + ([f"{plural(n_several, 'word')} with several values left out"] if n_several else [])


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
    """Returns what the columns say of each word; a cell "_" says nothing."""
    found = []
    for line, row in enumerate(sentence.rows, start=sentence.first_row_line):
        if row.is_word:
            cells = {name: getattr(row, name) for name in CELLS}
            said = {name: cell for name, cell in cells.items() if cell != "_"}
            found.append(said | dict(_features(path, line, row)) | dict(_entries("misc", row.misc)))
    return found


def _features(path: Path, line: int, row: Row) -> Iterator[tuple[str, str]]:
    if row.feats != "_" and not all(name and value for name, _, value in _parts(row.feats)):
        raise MalformedLine(path, line, f'FEATS is "{row.feats}"', 'Feature=Value, joined by "|", or "_"')
    return _entries("feats", row.feats)


def _entries(kind: str, cell: str) -> Iterator[tuple[str, str]]:
    """Yields the entries of a cell that have a name and a value; MISC may have others."""
    return ((f"{kind}.{name}", value) for name, _, value in _parts(cell) if name and value)


def _parts(cell: str) -> list[tuple[str, str, str]]:
    return [one.partition("=") for one in cell.split("|")]


def _wanted(values: "Values") -> list[str | None]:
    """Returns the values that a word may have; numbers as the file writes them."""
    listed = values if isinstance(values, list) else [values]
    return [None if one is None else str(one) for one in listed]


def _unambiguous(words: Sequence[_Word]) -> tuple[list[_Word], int]:
    """Returns the first word of each form that has one label, and how many forms have several.

    With the split of files a form is where it comes first; a split by lemma goes by the lemma that it has there.
    """
    labels: dict[str, set[str]] = {}
    firsts: dict[str, _Word] = {}
    for word in words:
        labels.setdefault(word.form, set()).add(word.label)
        firsts.setdefault(word.form, word)
    left = [word for form, word in firsts.items() if len(labels[form]) == 1]
    return left, len(firsts) - len(left)


def _capped(words: Sequence[_Word], column: str, rules: ColumnRules) -> list[_Word]:
    """Draws at most so many words of each label; they keep their order."""
    if rules.most_per_label is None:
        return list(words)
    generator = random.Random(derived_seed(rules.split_seed, "rows of a label", column))
    places_of: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places_of.setdefault(word.label, []).append(place)
    drawn: set[int] = set()
    for label in sorted(places_of):
        places = places_of[label]
        drawn.update(generator.sample(places, min(len(places), rules.most_per_label)))
    return [word for place, word in enumerate(words) if place in drawn]


def _by_files(words: Iterable[_Word]) -> dict[str, list[_Word]]:
    dealt: dict[str, list[_Word]] = {split: [] for split in SPLITS}
    for word in words:
        dealt[word.split].append(word)
    return dealt


def _dealt(words: Sequence[_Word], column: str, by: str, level: str, rules: ColumnRules) -> dict[str, list[_Word]]:
    """Deals sentences or lemmas out in the order of a draw; equal sentences are one."""
    keys = [word.sentence if by == "sentence" else word.lemma for word in words]
    groups = {key: number for number, key in enumerate(sorted(set(keys)))}
    numbers = np.array([groups[key] for key in keys], dtype=np.int64)
    sizes = np.bincount(numbers, minlength=len(groups))
    order = list(range(len(groups)))
    random.Random(derived_seed(rules.split_seed, "train, dev and test", by, level, column)).shuffle(order)
    part_of = np.empty(len(groups), dtype=np.int64)
    part_of[order] = parts_by_weight(sizes[order], rules.shares)
    dealt: dict[str, list[_Word]] = {split: [] for split in SPLITS}
    for word, part in zip(words, part_of[numbers].tolist(), strict=True):
        dealt[SPLITS[part]].append(word)
    return dealt


def _check_labels(column: str, words: Sequence[_Word], counts: Mapping[str, int], rules: ColumnRules) -> None:
    labels = sorted({word.label for word in words})
    if len(labels) > 1:
        return
    left = f"one label is left, {labels[0]}" if labels else "nothing is left"
    most = ", ".join(f"{label} ({count})" for label, count in Counter(counts).most_common(_SHOWN))
    where = f" of suite.where={dict(rules.where)}" if rules.where else ""
    found = f"The words{where} have {most}" if counts else f"No word{where} has it"
    least = f"; labels of fewer than suite.least_per_label={rules.least_per_label} rows are left out" if counts else ""
    raise PolyprobeError(f"suite.column={column}: {left}. {found}{least}. Expected at least two labels.")


def _check_splits(column: str, dealt: Mapping[str, Sequence[_Word]], by: str) -> None:
    """Refuses an empty split, and labels that one split alone has."""
    for split in SPLITS:
        if not dealt[split]:
            raise PolyprobeError(
                f"suite.column={column}: {split} has no row, split by {by}. Expected at least one in each: "
                "other files, suite.split or suite.shares."
            )
    counts = {split: Counter(word.label for word in words) for split, words in dealt.items()}
    alone: dict[str, tuple[str, int]] = {}
    for split, of_split in counts.items():
        others = set().union(*(of_other for other, of_other in counts.items() if other != split))
        alone |= {label: (split, of_split[label]) for label in of_split if label not in others}
    if alone:
        most = max(count for _, count in alone.values())
        shown = ", ".join(f"{label} ({count} in {split})" for label, (split, count) in sorted(alone.items())[:_SHOWN])
        more = f" and {len(alone) - _SHOWN} more" if len(alone) > _SHOWN else ""
        raise PolyprobeError(
            f"suite.column={column}: one split alone has {shown}{more}. Expected a label in two splits at least: "
            f"suite.least_per_label={most + 1} leaves such labels out."
        )


def _row(word: _Word, level: str) -> TokenRow | FormRow:
    if level == "type":
        return FormRow(word.line, word.form, word.label)
    return TokenRow(word.line, word.sentence, word.index, word.label)
