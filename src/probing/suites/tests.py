"""Suites of probing tests: which files belong to which test, and the tests themselves."""

import logging
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polyprobe.errors import Impossible, PolyprobeError
from polyprobe.formats.files.digest import content_version
from polyprobe.formats.probing_sets.linspector import FormRow, TokenRow
from polyprobe.formats.probing_sets.senteval import SentEvalRow
from polyprobe.formats.reading.case import Lowercase
from polyprobe.formats.reading.cells import BLANKS
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.reading.tokenised import has_surplus_blanks
from polyprobe.frequency import FEW_LABELS, look_like_numbers, n_alone_of, note_on_labels
from polyprobe.items import Form, Item, Sentence, TokenInContext
from polyprobe.probing.suites.table_columns import TableColumns
from polyprobe.probing.suites.test_files import (
    Row,
    Rows,
    TrainFromDev,
    check_format,
    check_pattern,
    part_names,
    read_rows,
)
from polyprobe.probing.suites.treebank_columns import TreebankColumns
from polyprobe.resources.download import ensure
from polyprobe.splits import SPLITS

_log = logging.getLogger(__name__)
MOSTLY_ALONE = 0.9  # share of the rows with a label of their own from which nothing can be learned
# What programs write for a value that is missing, as pandas reads it.
_NO_VALUES = {"NaN", "nan", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "None", "NaT"}


@dataclass(frozen=True, slots=True)
class Examples:
    """One split of a test."""

    items: tuple[tuple[Item, ...], ...]
    """For each example its items: one, or two for a pair test."""
    label_ids: tuple[int, ...]
    """Positions in the test's `labels`."""
    lines: tuple[int, ...]
    """Of the file, from 1."""


@dataclass(frozen=True, slots=True)
class ProbingTest:
    """One classification data set, already split; it knows no vectors."""

    name: str
    """As in the published tables ("POS")."""
    version: str
    """16 hexadecimal digits of the SHA-256 of its files."""
    labels: tuple[str, ...]
    """All that occur in any split, sorted: a label of dev or test may be unseen in train."""
    train: Examples
    dev: Examples
    test: Examples
    note: str | None = None
    """What a reader of its scores must know ("one label only"), or None."""
    files: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Suite:
    """A named group of tests, as `conf/suite/*.yaml` describes it."""

    name: str
    source: str | None
    """The key of a language's configuration under which it names the language's folder, for each level where there are
    two; None where the files are those of one language."""
    level: str
    """"type" (forms), "token" (words in sentences) or "sentence"."""
    format: str
    """One of `LEVELS`."""
    files: str
    """Pattern of the paths below the data folder, with `{level}`, `{language}`, `{test}` and `{split}`; one path for
    all splits in the format of SentEval."""
    tests: Sequence[str]
    """All names that any language may have, in the order of the published tables."""
    pairs: Sequence[str]
    """Tests whose examples are two forms."""
    folders: Mapping[str, str]
    """Folder, or file without its ending, of a test that is not named as the test."""
    lowercase: Lowercase
    """What encoders of words do with capitals, see `case_rule`."""
    train_rows: int
    """Of a published test, for the estimate of what is not here yet."""
    notes: Mapping[str, str]
    """What a reader must know of the tests of a language, by its folder."""
    train_from_dev: TrainFromDev | None
    """How dev is split where there is no train file; None: the train file is needed."""
    columns: TreebankColumns | TableColumns | None = None
    """The treebank or the table whose columns are the tests; None with formats of published tests."""

    def __post_init__(self):
        check_format(self.format, self.level)
        check_pattern("suite.files", self.files, ("level", "language", "test", "split"))

    def folder(self, language: Mapping[str, Any]) -> str:
        """Returns the language's folder, "" for a suite of one language.

        Raises:
            Impossible: the language's configuration does not name its folder for this suite.
        """
        if self.source is None:
            return ""
        folder = language.get(self.source)
        key = self.source
        if self.format == "linspector":
            folder, key = (folder or {}).get(self.level), f"{self.source}.{self.level}"
        if folder is None:
            raise Impossible(
                f"lang={language['code']} has no tests of suite={self.name}. "
                f"Expected the name of their folder as lang.{key}."
            )
        return folder

    def targets(self, language: Mapping[str, Any], test: str) -> dict[str, str]:
        """Returns the path of each split's file, relative to the data folder.

        Raises:
            Impossible: as `folder`.
        """
        named = {"level": self.level, "language": self.folder(language), "test": self.folders.get(test, test)}
        return {split: self.files.format(split=part, **named) for split, part in part_names(self.format).items()}

    def needed(self, language: Mapping[str, Any], test: str, root: Path) -> dict[str, str]:
        """Returns those of `targets` that are read: without train where dev is at hand and is split in its place."""
        targets = self.targets(language, test)
        has_dev_alone = (root / targets["dev"]).is_file() and not (root / targets["train"]).is_file()
        if self.train_from_dev is not None and has_dev_alone:
            del targets["train"]
        return targets


@dataclass(frozen=True)
class TestFiles:
    """The files of a test in the data folder, and what its rows depend on."""

    paths: Mapping[str, Path]
    """Of each split that has one."""
    split_dev: TrainFromDev | None
    """How dev is split where there is no train file; None where there is one."""
    made_by: str | None = None
    """How rows are made of the files, in words that follow every choice; None where they are the lines."""

    @property
    def version(self) -> str:
        """A digest of the content, and of how dev is split or rows are made."""
        choices = [one for one in (self.split_dev, self.made_by) if one]
        return content_version(dict.fromkeys(self.paths.values()), *choices)


def files_of_test(suite: Suite, language: Mapping[str, Any], name: str, root: Path, mirror: str | None) -> TestFiles:
    """Finds the files of a test; those that are not in the data folder are fetched into it. Arguments as `load_test`.

    Raises:
        PolyprobeError: a file is missing and cannot be fetched.
    """
    if suite.columns is not None:
        paths = {str(number): path for number, path in enumerate(suite.columns.paths)}
        return TestFiles(paths, None, f"{name} {suite.level} {suite.columns.rules}")
    needed = suite.needed(language, name, root)
    paths = {split: ensure(root, target, mirror) for split, target in needed.items()}
    return TestFiles(paths, None if "train" in paths else suite.train_from_dev)


def load_test(
    suite: Suite, language: Mapping[str, Any], name: str, root: Path, mirror: str | None, on_malformed: OnMalformed
) -> ProbingTest:
    """Reads a test; files that are not in the data folder are fetched into it.

    Args:
        language: the settings of `lang=<code>`.
        mirror: another address to fetch from, or None.
        on_malformed: called with every bad line; the line is left out unless it raises.

    Raises:
        MalformedLine: a file is empty, or whatever `on_malformed` raises.
        PolyprobeError: a file is missing and cannot be fetched, no row of a split is left, or nearly every row has a
            label of its own.
    """
    files = files_of_test(suite, language, name, root, mirror)
    paths = files.paths
    if suite.columns is not None:
        return _probing_test(name, suite, files, *suite.columns.test(name, suite.level, on_malformed))
    rows = dict(read_rows(suite.format, suite.level, name in suite.pairs, paths, on_malformed))
    if files.split_dev:
        rows["train"], rows["dev"] = files.split_dev.split(rows["dev"], name)
    for split in SPLITS:
        if not rows[split]:
            which = f" of {split}" if suite.format == "senteval" or suite.train_from_dev else ""
            found = f"{paths.get(split, paths['dev'])} has no row{which} that can be read"
            raise PolyprobeError(f"{found}. Expected at least one in each split.")
    return _probing_test(name, suite, files, rows, _notes_on_files(suite, language, name, paths))


def _probing_test(name: str, suite: Suite, files: TestFiles, rows: Rows, notes: Sequence[str]) -> ProbingTest:
    rows, n_stripped = _with_plain_labels(rows)
    notes = [*notes, f"blanks at the edges of {n_stripped} labels left out"] if n_stripped else notes
    counts = Counter(row.label for split in SPLITS for row in rows[split])
    labels = tuple(sorted(counts))
    on_labels = note_on_labels(counts)
    _check_classes(name, counts, suite.columns is not None)
    if on_labels:
        _log.warning("%s: %s.", name, on_labels)
    notes = [*notes, *_notes_on_rows(rows, on_labels, is_own=suite.source is None)]
    return ProbingTest(
        name=name,
        version=files.version,
        labels=labels,
        **{split: _examples(rows[split], labels) for split in reversed(SPLITS)},  # train last: what it frees is whole
        note="; ".join(notes) or None,
        files=tuple(dict.fromkeys(files.paths.values())),
    )


def _check_classes(name: str, counts: Counter[str], is_of_columns: bool) -> None:
    n_alone, n_rows = n_alone_of(counts), counts.total()
    if len(counts) <= FEW_LABELS or n_alone < MOSTLY_ALONE * n_rows:
        return
    numbers = " (numbers, which a probe takes for classes)" if look_like_numbers(counts) else ""
    key = ": suite.least_per_label=2 leaves such rows out" if is_of_columns else ""
    raise PolyprobeError(
        f"{name}: nothing can be learned, since {n_alone:,} of {n_rows:,} rows have a label of their own{numbers}. "
        f"Expected labels that several rows share{key}."
    )


def _notes_on_rows(rows: Rows, on_labels: str | None, is_own: bool) -> list[str]:
    """Returns notes, in words: one label only, labels that are no classes or that train lacks, no values, blanks.

    Args:
        is_own: the test is a user's; in published ones "None" is a class like any other.
    """
    every = [row for split in rows.values() for row in split]
    labels, of_train = {row.label for row in every}, {row.label for row in rows["train"]}
    notes = [f'one label only ("{labels.pop()}")'] if len(labels) == 1 else []
    notes += [on_labels] if on_labels else []
    counts = {split: sum(row.label not in of_train for row in rows[split]) for split in ("dev", "test")}
    if unseen := [f"{n} of {split}" for split, n in counts.items() if n]:
        notes.append(f"rows with a label that train lacks: {', '.join(unseen)}")
    no_values = Counter(row.label for row in every if is_own and row.label in _NO_VALUES).most_common()
    if told := [f"{label} ({count} rows)" for label, count in no_values]:
        notes.append(f"read as labels like any other, perhaps no values: {', '.join(told)}")
    if n := sum(has_surplus_blanks(row.sentence) for row in every if isinstance(row, SentEvalRow)):
        notes.append(f"surplus blanks removed in {n} sentences")
    return notes


def _with_plain_labels(rows: Rows) -> tuple[Rows, int]:
    """Returns rows without blanks at the edges of labels, and how many labels had some."""
    n = sum(row.label != row.label.strip(BLANKS) for of_split in rows.values() for row in of_split)
    if not n:
        return rows, 0
    plain = {split: tuple(replace(row, label=row.label.strip(BLANKS)) for row in rows[split]) for split in rows}
    return plain, n


def _notes_on_files(suite: Suite, language: Mapping[str, Any], test: str, paths: Mapping[str, Path]) -> list[str]:
    notes = [suite.notes[folder] for folder in [suite.folder(language)] if folder in suite.notes]
    if "train" not in paths and suite.train_from_dev:
        notes.append(suite.train_from_dev.in_words(part_names(suite.format)["dev"]))
    if paths["dev"] != paths["test"] and content_version([paths["dev"]]) == content_version([paths["test"]]):
        read_twice = "train, dev and test are all" if "train" not in paths else "dev and test are"
        notes.append(f"{read_twice} read from the same rows")
        _log.warning(
            "%s of lang=%s: %s. Test scores are not scores on unseen items.", test, language["code"], notes[-1]
        )
    return notes


def _examples(rows: Sequence[Row], labels: Sequence[str]) -> Examples:
    """Makes the examples of rows, which are taken out of a list one by one: large files fit into memory."""
    label_ids = {label: number for number, label in enumerate(labels)}
    left = rows if isinstance(rows, list) else list(rows)
    left.reverse()
    items, ids, lines = [], [], []
    while left:
        row = left.pop()
        items.append(_items(row))
        ids.append(label_ids[row.label])
        lines.append(row.line)
    return Examples(tuple(items), tuple(ids), tuple(lines))


def _items(row: Row) -> tuple[Item, ...]:
    if isinstance(row, FormRow):
        return tuple(map(Form, row.forms))
    if isinstance(row, TokenRow):
        return (TokenInContext(tuple(row.words), row.index),)
    return (Sentence(tuple(map(sys.intern, row.words))),)


def inputs(examples: Examples) -> list[tuple[str, ...]]:
    """Returns what an example is without its context: its form, its forms, its token's form, or its words."""
    return [tuple(_surface(item) for item in items) for items in examples.items]


def inputs_in_words(examples: Examples) -> list[str]:
    """Writes each example for a reader: forms of a pair with a tab, a token with its sentence and 0-based index."""
    return ["\t".join(_written(item) for item in items) for items in examples.items]


def _surface(item: Item) -> str:
    if isinstance(item, Form):
        return item.form
    return item.words[item.index] if isinstance(item, TokenInContext) else " ".join(item.words)


def _written(item: Item) -> str:
    if isinstance(item, TokenInContext):
        return f"{' '.join(item.words)}\t{item.index}"
    return _surface(item)
