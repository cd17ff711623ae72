"""Probing tests from a column of a table: `suite=table suite.path=words.csv suite.word=form suite.label=case`.

    form,case,part               {"form": "kala", "case": "Nom", "part": "train"}
    kala,Nom,train

A row is a form (level type), a word in its sentence (token) or a sentence. The rows of a form, or of a sentence, are in
one split, unless a column or the names of the files say the splits.
"""

import logging
import sys
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from annotated_types import MinLen

from polyprobe.display.progress import watched
from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine, PolyprobeError, near_names
from polyprobe.formats.probing_sets.linspector import FormRow, TokenRow
from polyprobe.formats.probing_sets.senteval import SentEvalRow
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.reading.table_rows import Quotes, TableLayout, TableRow, object_rows, table_rows
from polyprobe.formats.reading.tokenised import check_words, words_of
from polyprobe.frequency import note_on_rows
from polyprobe.probing.suites.dealt_rows import Dealing, DealingRules, OwnRow, dealt_out
from polyprobe.probing.suites.test_files import OBJECTS, Rows
from polyprobe.section import Expected
from polyprobe.splits import SPLITS, split_in_name, split_spelt

_log = logging.getLogger(__name__)

_Column = Annotated[str, MinLen(1), Expected("the name of a column, or null")] | None
ENDINGS = (".csv", ".tsv", ".txt", ".jsonl", ".json")


class TableRules(DealingRules, key="suite"):
    """Which columns of a table are what."""

    format: Literal["table", "objects"]
    """table: CSV or TSV; objects: JSON lines, with keys instead of columns."""
    columns: (
        Annotated[list[str], MinLen(1), Expected("names of columns, such as [word,label], or null", of_parts=True)]
        | None
    )
    """Names of all columns, such as [word,label], if the file has no header; null: it has one."""
    word: _Column
    """Column of the words; next to a column of indices each must stand at its index."""
    sentence: _Column
    """Column of the sentences, words separated by blanks."""
    index: _Column
    """Column of the word's index in its sentence, from 0; null: the word must occur exactly once and is searched."""
    split: _Column
    """Column with train, dev or test; null: by file name, otherwise a random split."""
    group: _Column
    """Column whose values must not occur in two splits, such as lemma; null: the form, or the sentence."""
    separator: Literal["tab", "semicolon", "comma"] | None
    """Column separator: tab, semicolon or comma; null: detected from the first line."""
    quotes: Quotes
    """csv: cells separated by commas or semicolons may be quoted, quotation marks inside are doubled; always: with
    tabs, too; none: quotation marks are text.
    """

    def read_at(self, level: str) -> list[str]:
        """Returns the keys of the columns that rows of a level are made of."""
        of_token = ["sentence", "word" if self.index is None else "index"]
        return {"type": ["word"], "token": of_token, "sentence": ["sentence"]}[level]


@dataclass(frozen=True)
class TableColumns:
    """The columns of a user's table that are tests."""

    paths: Sequence[Path]
    """Of the files: one, or one for each split."""
    rules: TableRules

    def test(self, name: str, level: str, on_malformed: OnMalformed) -> tuple[Rows, list[str]]:
        """Reads the rows of a test and deals them out.

        Args:
            name: the column of the label.
            level: "type", "token" or "sentence".
            on_malformed: called with every bad row, which is left out unless it raises.

        Returns:
            The rows by split, and what a reader of the scores must know.
        """
        has_files = len(self.paths) > 1
        rows = []
        with watched("reading", "rows", None) as progress:
            for path in self.paths:
                for row in self._rows(path, name, level, on_malformed, split_in_name(path) if has_files else None):
                    rows.append(row)
                    progress.advance()
        by = self.rules.split or self.rules.group or ("form" if level == "type" else "sentence")
        by = "files" if has_files else by
        if note := note_on_rows((replace(one.made, line=0, label=""), one.label) for one in rows):
            _log.warning("%s: %s.", name, note)
        dealing = Dealing("suite.label", name, level, by, self.rules)
        is_dealt = not (has_files or self.rules.split)
        dealt, notes = dealt_out(dealing, rows)
        if is_dealt:
            shares = ":".join(f"{share:g}" for share in self.rules.shares)
            notes.append(f"train, dev and test split {shares} by {by} (suite.split_seed={self.rules.split_seed})")
        return dealt, notes

    def _rows(
        self, path: Path, label: str, level: str, on_malformed: OnMalformed, split: str | None
    ) -> Iterator[OwnRow]:
        rules = self.rules
        named = [getattr(rules, key) for key in (*rules.read_at(level), "split", "group")]
        needed = list(dict.fromkeys(name for name in (*named, label) if name is not None))
        for row in self._read(path, needed, on_malformed):
            try:
                yield _made(path, row, label, level, rules, split)
            except MalformedLine as place:
                on_malformed(place)

    def _read(self, path: Path, needed: Sequence[str], on_malformed: OnMalformed) -> Iterator[TableRow]:
        rules = self.rules
        if rules.format == OBJECTS:
            return object_rows(path, on_malformed, needed)
        layout = TableLayout(needed, rules.separator, rules.quotes, rules.columns, key="suite")
        return table_rows(path, on_malformed, layout)


def _made(path: Path, row: TableRow, label: str, level: str, rules: TableRules, split: str | None) -> OwnRow:
    for name in (label, *(getattr(rules, key) for key in rules.read_at(level))):
        if not row.cells[name].strip():
            raise MalformedLine(path, row.line, f"the {name} is empty", "text in each column that is read")
    if rules.split is not None:
        split = split_spelt(row.cells[rules.split])
        if split is None:
            found = f'the {rules.split} is "{row.cells[rules.split]}"'
            raise MalformedLine(path, row.line, found, "train, dev or test")
    made, group = _item(path, row, sys.intern(row.cells[label]), level, rules)
    return OwnRow(made, group if rules.group is None else row.cells[rules.group], split)


def _item(
    path: Path, row: TableRow, label: str, level: str, rules: TableRules
) -> tuple[FormRow | TokenRow | SentEvalRow, Hashable]:
    """Returns the row of a test, and what it is known by: its form or its sentence."""
    if level == "type":
        form = row.cells[rules.word]
        return FormRow(row.line, (form,), label), form
    sentence = row.cells[rules.sentence]
    check_words(path, row.line, sentence)
    words = tuple(map(sys.intern, words_of(sentence)))  # equal words are one object: a large file fits into memory
    if level == "sentence":
        one = " ".join(words)
        return SentEvalRow(row.line, None, label, sentence), sentence if one == sentence else one
    return TokenRow(row.line, words, _place(path, row, words, rules), label), words


def _place(path: Path, row: TableRow, words: Sequence[str], rules: TableRules) -> int:
    """Returns the place of the word in its sentence: that of its column, else the only one that has its form."""
    if rules.index is not None:
        index, word = row.cells[rules.index], row.cells.get(rules.word)
        found = words[int(index)] if index.isdecimal() and int(index) < len(words) else None
        if found is None:
            has = f'the {rules.index} is "{index}", and the sentence has {plural(len(words), "word")}'
            raise MalformedLine(path, row.line, has, f"0 to {len(words) - 1}")
        if word is not None and found != word:
            has = f'the {rules.index} is {index}, where "{found}" stands, and the {rules.word} is "{word}"'
            raise MalformedLine(
                path, row.line, has, f"the index of the {rules.word} in its sentence; indices start at 0"
            )
        return int(index)
    word = row.cells[rules.word]
    if words.count(word) != 1:
        times = f"{words.count(word)} times" if word in words else "nowhere"
        near = near_names(word, words)
        meant = f" (perhaps {' or '.join(near)})" if near and word not in words else ""
        expected = f"each word once among the words of its sentence, separated by blanks{meant}"
        raise MalformedLine(path, row.line, f'"{word}" is {times} in its sentence', f"{expected}, or suite.index=…")
    return words.index(word)


def table_files(place: Path) -> list[Path]:
    """Lists the file at a path, the only file of a folder, or its files of train, dev and test.

    Raises:
        PolyprobeError: a folder does not have one file for each split.
    """
    if place.is_file():
        return [place]
    files = sorted(file for file in place.iterdir() if file.suffix.lower() in ENDINGS and file.is_file())
    if len(files) == 1:
        return files
    of_split = {split: [file for file in files if split_in_name(file) == split] for split in SPLITS}
    if any(len(of_one) != 1 for of_one in of_split.values()):
        names = ", ".join(file.name for file in files) or "no file of these endings"
        raise PolyprobeError(
            f"suite.path={place} has {names}. Expected one file each for train, dev and test, with these words at the "
            f"end of their names ({', '.join(ENDINGS)}), or one file alone."
        )
    return [of_split[split][0] for split in SPLITS]
