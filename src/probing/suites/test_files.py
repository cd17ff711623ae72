"""How the files of a probing test are laid out, counted and read in each format.

linspector      <test>/{train,dev,test}.txt     a form, two forms, or a token in its sentence, and a label
senteval        <test>.txt                      all splits in one file: partition, label, sentence
xprobe          <test>/{tr,va,te}.txt           sentence, label
conllu          *.conllu                        treebanks, of which a column is a test: `treebank_columns`
table, objects  a file, or one for each split   tables and JSON objects, of which a column is a test: `table_columns`
"""

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

from polyprobe.errors import BadValue, check_choice
from polyprobe.formats.probing_sets import linspector, senteval
from polyprobe.formats.probing_sets.linspector import FormRow, TokenRow
from polyprobe.formats.probing_sets.senteval import PARTITION_OF_SPLIT, SentEvalRow
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

CONLLU = "conllu"  # the format of which `treebank_columns` makes rows
OF_TABLES = TABLE_ROWS, OBJECTS = ("table", "objects")  # those of which `table_columns` does
LEVELS = {
    "linspector": ("type", "token"),
    "senteval": ("sentence",),
    "xprobe": ("sentence",),
    CONLLU: ("type", "token"),
    TABLE_ROWS: ("type", "token", "sentence"),
    OBJECTS: ("type", "token", "sentence"),
}
LAYOUTS = {
    "linspector": "a folder for each test with train.txt, dev.txt and test.txt",
    "senteval": "a file for each test with rows of tr, va and te",
    "xprobe": "a folder for each test with tr.txt, va.txt and te.txt",
    CONLLU: "a file *.conllu, or a folder of such files",
    TABLE_ROWS: "a table whose first line names the columns, or a folder with one for train, dev and test",
    OBJECTS: "a file of JSON objects, one per line, or a folder with one for train, dev and test",
}
Row = FormRow | TokenRow | SentEvalRow
Rows = Mapping[str, Sequence[Row]]


@dataclass(frozen=True, slots=True)
class TrainFromDev:
    """How the dev file is split where there is no train file."""

    share: float
    """Of each label's rows that become train, above 0 and below 1; the others are dev."""
    seed: int
    """Of the draw."""

    def __post_init__(self):
        if not 0 < self.share < 1:
            raise BadValue("suite.train_from_dev.share", self.share, "above 0 and below 1")

    def split(self, rows: Sequence[Row], test: str) -> tuple[list[Row], list[Row]]:
        """Draws train from the rows, label by label, and leaves dev; both keep the order of the file."""
        generator = random.Random(derived_seed(self.seed, "train from dev", test))
        drawn = drawn_by_label(rows, generator, self._n_train)
        return [row for n, row in enumerate(rows) if n in drawn], [row for n, row in enumerate(rows) if n not in drawn]

    def sizes(self, n_rows: int) -> dict[str, int]:
        """Returns about how many of so many rows become train and dev; labels are rounded one by one."""
        return {"train": self._n_train(n_rows), "dev": n_rows - self._n_train(n_rows)}

    def in_words(self, part: str) -> str:
        """Says it for a reader: "train and dev are 80 and 20 % of va"."""
        return f"train and dev are {100 * self.share:g} and {100 - 100 * self.share:g} % of {part}"

    def _n_train(self, n_rows: int) -> int:
        return max(1, round(self.share * n_rows))


def drawn_by_label(rows: Sequence[Row], generator: random.Random, n_of: Callable[[int], int]) -> set[int]:
    """Draws rows of each label, in the order of the labels; returns their places.

    Args:
        n_of: returns how many are drawn of so many rows.
    """
    places_of: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places_of.setdefault(row.label, []).append(place)
    return {place for _, places in sorted(places_of.items()) for place in generator.sample(places, n_of(len(places)))}


def check_format(format_name: str, level: str) -> None:
    """Checks that there is such a format and that its files are of the level."""
    check_choice("suite.format", format_name, LEVELS)
    if level not in LEVELS[format_name]:
        raise BadValue("suite.level", level, f"{' or '.join(LEVELS[format_name])} with suite.format={format_name}")


def check_pattern(key: str, pattern: object, fields: Collection[str]) -> None:
    """Checks a pattern of paths: its fields are names alone. A width or an attribute in a file of a run is no path.

    Args:
        key: for messages ("suite.files").
        pattern: text with fields in braces.
        fields: that it may have.
    """
    expected = f"a path with no braces but {', '.join(f'{{{name}}}' for name in fields)}"
    try:
        parts = [part[1:] for part in Formatter().parse(pattern) if part[1] is not None]
    except (TypeError, ValueError) as error:
        raise BadValue(key, pattern, expected) from error
    if any(name not in fields or width or conversion for name, width, conversion in parts):
        raise BadValue(key, pattern, expected)


def part_names(format_name: str) -> Mapping[str, str]:
    """Returns what the files of each split are called in a format."""
    return PARTITION_OF_SPLIT if format_name == "xprobe" else {split: split for split in SPLITS}


def sizes(format_name: str, paths: Mapping[str, Path]) -> dict[str, int]:
    """Counts the rows of each split whose file is there; nothing is checked."""
    present = {split: path for split, path in paths.items() if path.is_file()}
    if format_name == "senteval":
        return senteval.sizes(paths["train"]) if present else {}
    return {split: path.read_bytes().count(b"\n") for split, path in present.items()}


def read_rows(format_name: str, level: str, is_pair: bool, paths: Mapping[str, Path], handler: OnMalformed) -> Rows:
    """Reads the splits that have a path.

    Args:
        is_pair: whether rows of the type level have two forms.
        paths: of each split; of all the same in the format of SentEval.
        handler: called with every bad line; the line is left out unless it raises.

    Raises:
        MalformedLine: a file is empty, or whatever the handler raises.
    """
    if format_name == "senteval":
        rows = tuple(senteval.read(paths["train"], handler))
        return {split: tuple(row for row in rows if row.split == split) for split in SPLITS}
    of_forms = linspector.read_form_pairs if is_pair else linspector.read_forms
    of_linspector = linspector.read_tokens if level == "token" else of_forms
    read = senteval.read_xprobe if format_name == "xprobe" else of_linspector
    return {split: tuple(read(path, handler)) for split, path in paths.items()}
