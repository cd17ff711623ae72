"""The numbers of the four papers, and what is known of the data behind them.

published/<paper>.csv has a line for each number that a table prints; published/data.csv says

known       the data of a run are the paper's if
revision    all files are those of a repository, byte for byte
size        each column that is not empty agrees: "200000", one of "1999995 2000000", or a range "66500..67500"
nothing     always: nothing from outside is read
unknown     never: which files the paper used cannot be told
"""

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from polyprobe.errors import MalformedLine, check_choice
from polyprobe.runs.names.conf_folders import shipped

FOLDER = shipped("published")
PAPERS: Mapping[str, str] = MappingProxyType(
    {
        "linspector": "Şahin et al. 2020",
        "senteval": "Conneau et al. 2018",
        "rusenteval": "Mikhailov et al. 2021",
        "clams": "Mueller et al. 2020",
    }
)
KEYS = ("stage", "suite", "lang", "test", "encoder", "layer", "epoch", "probe", "split", "metric")
COLUMNS = (
    *("table", "row", "column", "experiment", "choices", "training"),
    *("stage", "suite", "corpus", "lang", "test", "encoder", "layer", "epoch", "probe", "split", "metric"),
    *("of", "n", "value", "unit", "tolerance", "why", "cannot", "printed_by", "note"),
)
UNITS: Mapping[str, float] = MappingProxyType(
    {"percent": 100.0, "bleu": 100.0, "fraction": 1.0, "perplexity": 1.0, "count": 1.0, "correlation": 1.0}
)
"""What a value of a result row is multiplied by to stand in the unit of a table."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class StudyCommand:
    """What is typed for a study that computes a number, or trains the model behind it."""

    experiment: str
    """The study of conf/experiment/, or ""."""
    choices: Mapping[str, str]
    """What is typed beside it, by key: choices of groups and settings."""

    @property
    def typed(self) -> tuple[str, ...]:
        """What stands on the command line beside the study."""
        return tuple(f"{key}={value}" for key, value in self.choices.items())


@dataclass(frozen=True, slots=True)
class PublishedCell:
    """One number that a table of a paper prints, and the rows of ours that are to have it."""

    paper: str
    table: str
    row: str
    column: str
    """Where it is printed."""
    study: StudyCommand
    training: StudyCommand | None
    """That of the model which the study probes or scores, as a probing run does not say itself; None where it has none
    of ours."""
    keys: Mapping[str, str]
    """The columns that a result row must have, except those that may be anything; `test` is always among them."""
    of: str
    """The column of the row that holds the number."""
    corpus: str
    n: int | None
    """Corpus and number of items behind it; "" and None where nothing is said."""
    text: str
    """The number as printed."""
    value: float
    unit: str
    """One of `UNITS`."""
    tolerance: float | None
    """In `unit`; None: only equal numbers are near."""
    why: str
    """Why the tolerance is that."""
    cannot: str
    """Why no command can compute it, or ""."""
    printed_by: str
    """A command that prints it, where it stands in no result row, or ""."""
    note: str

    @property
    def decimals(self) -> int:
        """Those of the printed number."""
        return len(self.text.partition(".")[2])

    @property
    def hangs_on_settings(self) -> bool:
        """Says whether the number hangs on more than the data: baselines and shares of unknown words do not."""
        return self.of in ("value", "sd", "n") and self.keys.get("stage") != "baseline"

    @property
    def hangs_on_vectors(self) -> bool:
        """Says whether the number hangs on the vectors or the model: also shares of words that vectors lack do."""
        by_vocabulary = self.keys.get("stage") == "coverage" or self.keys.get("metric") == "encoder_oov"
        return self.hangs_on_settings or by_vocabulary

    @property
    def model(self) -> str | None:
        """The last part of the name of the pretrained model that is probed or scored; None for no such model."""
        choices = self.study.choices
        if choices.get("encoder", "transformer") != "transformer":  # of a network that is drawn
            return None
        named = [one for key, one in choices.items() if key in ("encoder.model", "predictor.model")]
        return named[0].rpartition("/")[2] if named else None

    @property
    def table_name(self) -> str:
        """Names the table as the paper does: "Table 10", "Table A.3", "figure 3"."""
        return self.table if " " in self.table else f"Table {self.table}"

    @property
    def place(self) -> str:
        """Where the number is printed: "Table 10, POS de, MUSE"."""
        return ", ".join(part for part in (self.table_name, self.row, self.column) if part)

    def found_in(self, value: float) -> float:
        """Returns a value of a result row in the unit of the cell."""
        return value * UNITS[self.unit]

    def is_equal(self, found: float) -> bool:
        """Says whether a number, in the unit of the cell, is the printed one once it is rounded as that is."""
        return abs(found - self.value) <= 0.5 * 10**-self.decimals + ROUNDING

    def is_near(self, found: float) -> bool:
        """Says whether a number, in the unit of the cell, lies within the tolerance."""
        return self.tolerance is not None and abs(found - self.value) <= self.tolerance + ROUNDING


@cache
def baselines(paper: str) -> Mapping[str, float]:
    """Returns what a constant answer has of each number, by `place`, in its unit, where the paper prints or implies it.

    Şahin et al. print it in a column, Conneau et al. in a row; a minimal pair of Mueller et al. has two sentences.
    """
    cells = published_cells(paper)
    of_row = {(one.table, one.row): one.value for one in cells if one.column == "baseline"}
    of_column = {(one.table, one.column): one.value for one in cells if one.row in ("Majority vote", "Chance")}
    found = {}
    for one in cells:
        is_pairs = paper == "clams" and one.unit == "fraction" and one.keys.get("metric", "").startswith("accuracy")
        printed = of_row.get((one.table, one.row), of_column.get((one.table, one.column), 0.5 if is_pairs else None))
        if one.of == "value" and printed is not None:
            found[one.place] = printed
    return MappingProxyType(found)


@cache
def published_cells(paper: str) -> tuple[PublishedCell, ...]:
    """Reads the numbers of a paper."""
    check_choice("published", paper, PAPERS)
    path = FOLDER / f"{paper}.csv"
    return tuple(_cell(paper, path, line, given) for line, given in lines_of(path, COLUMNS))


def lines_of(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yields the number and the cells of each line of a file of published/, which has these columns."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, strict=True)
        header = next(reader, [])
        if header != [*columns]:
            raise MalformedLine(path, 1, f"the columns {', '.join(header)}", ", ".join(columns))
        for cells in reader:
            if len(cells) != len(columns):
                raise MalformedLine(path, reader.line_num, f"the line has {len(cells)} columns", f"{len(columns)}")
            yield reader.line_num, dict(zip(columns, cells, strict=True))


def _cell(paper: str, path: Path, line: int, given: Mapping[str, str]) -> PublishedCell:
    if given["unit"] not in UNITS:
        raise MalformedLine(path, line, f'the unit is "{given["unit"]}"', f"one of {', '.join(UNITS)}")
    tolerance, training = given["tolerance"], given["training"].split()
    return PublishedCell(
        paper=paper,
        study=_study(path, line, [given["experiment"], *given["choices"].split()]),
        training=_study(path, line, training) if training else None,
        keys=MappingProxyType({key: given[key] for key in KEYS if given[key] or key == "test"}),
        of=given["of"] or "value",
        n=int(_number(path, line, "n", given["n"])) if given["n"] else None,
        text=given["value"],
        value=_number(path, line, "value", given["value"]),
        tolerance=_number(path, line, "tolerance", tolerance) if tolerance else None,
        **{key: given[key] for key in ("table", "row", "column", "corpus", "unit")},
        **{key: given[key] for key in ("why", "cannot", "printed_by", "note")},
    )


def _study(path: Path, line: int, words: Sequence[str]) -> StudyCommand:
    typed = [one.partition("=") for one in words[1:]]
    for key, equals, value in typed:
        if not (key and equals and value):
            raise MalformedLine(path, line, f'the choice "{key}{equals}{value}"', "key=value, divided by blanks")
    return StudyCommand(words[0], MappingProxyType({key: value for key, _, value in typed}))


def _number(path: Path, line: int, name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise MalformedLine(path, line, f'{name} is "{text}"', "a number")
    return number


SIZES: Mapping[str, str] = MappingProxyType(
    {
        "vocabulary": "{} words or pieces",
        "width": "{} numbers a vector",
        "depth": "{} layers",
        "ngrams": "n-grams of {}",
        "triples": "{} triples",
        "tokens": "{} tokens",
    }
)
"""The columns of sizes, and how one is written."""
REVISION, SIZE, NOTHING, UNKNOWN = "revision", "size", "nothing", "unknown"
DATA_COLUMNS = ("paper", "what", "name", "lang", "known", "revision", *SIZES, "note")
WHAT = ("tests", "source", "corpus", "encoder", "model")
LANG = "lang"


@dataclass(frozen=True, slots=True)
class KnownData:
    """What is known of one set of data, one encoder or one model."""

    name: str
    """Of a suite ("tests", "source": what its tests are made from), of a task and a corpus ("pos/tdt"), a choice of
    `encoder=`, the last part of a model's name."""
    known: str
    """`REVISION`, `SIZE`, `NOTHING` or `UNKNOWN`."""
    revisions: tuple[str, ...]
    """How the repositories begin that the files may be of."""
    sizes: Mapping[str, str]
    """As the file writes them."""
    note: str
    """What they are, or why that is not known."""

    def differences(self, found: Mapping[str, Any], data: Mapping[str, str | None]) -> list[str]:
        """Says in what data differ from the paper's; nothing where they are these.

        Args:
            found: sizes, by the names of `SIZES`.
            data: of each file or test the revision that it is of: "" where it is of none, None where no one noted it.
        """
        if self.known == UNKNOWN:
            return [f"{self.name}: that of the paper is unknown ({self.note})"]
        if self.known == REVISION:
            if not data:
                return [f"{self.name}: which files were read is not recorded"]
            ours = f"the paper's of {' or '.join(self.revisions)}"
            return [
                f"{name}: {one or 'not the published file'}, {ours}"
                if one is not None
                else f"{name}: which file was read is not recorded"
                for name, one in data.items()
                if not self._has(one or "")
            ]
        wrong = {size: text for size, text in self.sizes.items() if not _is_met(found.get(size), text)}
        grouped = {size: re.sub(r"[0-9]+", lambda digits: f"{int(digits[0]):,}", text) for size, text in wrong.items()}
        return [f"{self.name}: {_written(size, found.get(size))}, the paper's {text}" for size, text in grouped.items()]

    def _has(self, found: str) -> bool:
        """Says whether all repositories of "owner/name commit; …" are among `revisions`."""
        named = tuple(f"{one}{end}" for one in self.revisions for end in (" ", "/"))
        return all(one in self.revisions or one.startswith(named) for one in found.split("; "))


def differences_from(
    paper: str, what: str, name: str, lang: str, found: Mapping[str, Any], data: Mapping[str, str | None]
) -> list[str]:
    """Says in what data differ from what a paper used: of several that it may have used, from the most alike.
    For the arguments see `PAPERS`, `WHAT`, `KnownData` and `KnownData.differences`.
    """
    lines = known_data().get((paper, what, name), ())
    answers = [one.differences(found, data) for code, one in lines if code in ("", lang)]
    return min(answers, key=len, default=[f"{name}: which the paper used is not known"])


@cache
def known_data() -> Mapping[tuple[str, str, str], Sequence[tuple[str, KnownData]]]:
    """Reads published/data.csv: by paper, `WHAT` and name, the languages and what is known."""
    path, read = FOLDER / "data.csv", {}
    for number, one in lines_of(path, DATA_COLUMNS):
        _check(path, number, one)
        sizes = {size: one[size] for size in SIZES if one[size]}
        known = KnownData(one["name"], one["known"], tuple(one["revision"].split()), sizes, one["note"])
        read.setdefault((one["paper"], one["what"], one["name"]), []).append((one[LANG], known))
    return MappingProxyType(read)


def _check(path: Path, number: int, one: Mapping[str, str]) -> None:
    known = (REVISION, SIZE, NOTHING, UNKNOWN)
    for column, choices in (("what", WHAT), ("known", known)):
        if one[column] not in choices:
            raise MalformedLine(path, number, f'{column} is "{one[column]}"', f"one of {', '.join(choices)}")
    said = {REVISION} if one["revision"] else {SIZE} if any(one[size] for size in SIZES) else {NOTHING, UNKNOWN}
    if one["known"] not in said:
        raise MalformedLine(path, number, f'known is "{one["known"]}"', " or ".join(sorted(said)))


def _is_met(found: Any, text: str) -> bool:
    low, dots, high = text.partition("..")
    if dots:
        return isinstance(found, int | float) and float(low) <= found <= float(high)
    return str(found) in text.split()


def _written(size: str, found: Any) -> str:
    if found is None:
        return f"{size} not recorded"
    return SIZES[size].format(f"{found:,}" if isinstance(found, int) else found)
