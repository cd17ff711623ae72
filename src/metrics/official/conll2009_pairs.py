"""Two CoNLL-2009 files side by side, read as the official scorer reads them: bytes, split at white space."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from src.errors import MalformedLine
from src.metrics.official.refused import RefusedByScorer

N_FIXED_COLUMNS = 14
SCORER = "CoNLL-2009"

Row = Sequence[bytes]


@dataclass(frozen=True, slots=True)
class SentencePair:
    """The rows of a sentence in both files; `is_closed` says that a blank line follows."""

    gold: tuple[Row, ...]
    system: tuple[Row, ...]
    is_closed: bool


def read_pairs(gold: Path, system: Path) -> Iterator[SentencePair]:
    """Reads the sentences of both files, line by line side by side."""
    gold_rows, system_rows = [], []
    with open(gold, "rb") as gold_lines, open(system, "rb") as system_lines:
        for number, (gold_line, system_line) in enumerate(zip_longest(gold_lines, system_lines), start=1):
            _check_breaks(gold, system, number, gold_line, system_line)
            if gold_line.strip():
                gold_rows.append(_row(gold, number, gold_line, gold_rows))
                system_rows.append(_row(system, number, system_line, system_rows))
            elif gold_rows:
                yield SentencePair(tuple(gold_rows), tuple(system_rows), is_closed=True)
                gold_rows, system_rows = [], []
    if gold_rows:
        yield SentencePair(tuple(gold_rows), tuple(system_rows), is_closed=False)


def _check_breaks(gold: Path, system: Path, number: int, gold_line: bytes | None, system_line: bytes | None) -> None:
    if gold_line is None or system_line is None:
        shorter, longer = (gold, system) if gold_line is None else (system, gold)
        raise RefusedByScorer(SCORER, shorter, number, "the file ends", f"as many lines as in {longer}")
    if bool(gold_line.strip()) != bool(system_line.strip()):
        found, expected = ("a row", "a blank line") if system_line.strip() else ("a blank line", "a row")
        raise RefusedByScorer(SCORER, system, number, found, f"{expected}, as in {gold}")


def _row(path: Path, number: int, line: bytes, earlier: Sequence[Row]) -> Row:
    row = line.split()
    if earlier and len(row) != len(earlier[0]):
        expected = f"{len(earlier[0])}, as in the first row of the sentence"
        raise RefusedByScorer(SCORER, path, number, f"{len(row)} columns", expected)
    if len(row) < N_FIXED_COLUMNS:
        raise MalformedLine(path, number, f"{len(row)} columns", f"at least {N_FIXED_COLUMNS}")
    return row
