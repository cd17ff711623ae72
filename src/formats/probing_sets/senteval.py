"""The probing files of SentEval: all splits of a test in one file, a sentence a line, no header, no quoting.

    tr	0	He didn 't answer .
    va	1	" Why ? " she asked
    te	0	I nodded .

RuSentEval and Eger et al. (2020) publish in the same format. X-Probe has a file for each part (tr, va, te), the cells
in the opposite order and no partition:

    He ran to the door .	Past

A quotation mark is a character like any other.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import read_cells
from polyprobe.formats.reading.lines import UnwritableText, cells_to_line, numbered_bytes, write_lines
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.reading.tokenised import check_words, words_of

SPLIT_OF_PARTITION = {"tr": "train", "va": "dev", "te": "test"}
PARTITION_OF_SPLIT = {split: partition for partition, split in SPLIT_OF_PARTITION.items()}
_COLUMNS = ("partition tr/va/te", "label", "sentence")
_HINT = "; rows of an item and its label stand in a file for each split: suite.format=linspector or xprobe"


@dataclass(frozen=True, slots=True)
class SentEvalRow:
    """A sentence and its label; `line` is its line of the file, from 1.

    `split` is "train", "dev" or "test"; None in files that do not say it.
    """

    line: int
    split: str | None
    label: str
    sentence: str

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the sentence, without empty ones."""
        return words_of(self.sentence)


def read(path: Path, on_malformed: OnMalformed) -> Iterator[SentEvalRow]:
    """Reads the rows of all splits in the order of the file.

    The released reader of SentEval takes fields 0, 1 and the last of any row; here a row has three. The last line may
    end without a line feed: two of the published files (Eger et al. 2020, subj_number) do.

    Raises:
        MalformedLine: as `read_cells`, and at an unknown partition and a sentence without a word.
    """
    return read_cells(path, _COLUMNS, on_malformed, _row, _HINT)


def write(rows: Iterable[SentEvalRow], path: Path) -> None:
    """Writes rows, whole or not at all; what was read is written byte for byte, the last line with its line feed.

    Rows without a split are written as X-Probe has them.

    Raises:
        UnwritableText: a split is none of the three, a sentence has no word, or a cell has a tab or a line feed.
    """
    write_lines(map(_line, rows), path)


def read_xprobe(path: Path, on_malformed: OnMalformed) -> Iterator[SentEvalRow]:
    """Reads the rows of one part of X-Probe; raises as `read`."""

    def row(path: Path, line: int, sentence: str, label: str) -> SentEvalRow:
        check_words(path, line, sentence)
        return SentEvalRow(line, None, label, sentence)

    return read_cells(path, ("sentence", "label"), on_malformed, row)


def _row(path: Path, line: int, partition: str, label: str, sentence: str) -> SentEvalRow:
    if partition not in SPLIT_OF_PARTITION:
        known = "tr (train), va (dev) or te (test)"
        raise MalformedLine(path, line, f'the partition is "{partition}"', known)
    check_words(path, line, sentence)
    return SentEvalRow(line, SPLIT_OF_PARTITION[partition], label, sentence)


def sizes(path: Path) -> dict[str, int]:
    """Counts the rows of each split by the starts of the lines; nothing is checked."""
    counts = dict.fromkeys(SPLIT_OF_PARTITION, 0)
    with suppress(MalformedLine):  # of an empty file
        for _, line in numbered_bytes(path):
            partition = line.partition(b"\t")[0].decode("utf-8", "replace")
            if partition in counts:
                counts[partition] += 1
    return {SPLIT_OF_PARTITION[partition]: n for partition, n in counts.items()}


def _line(row: SentEvalRow) -> str:
    if row.split is None and row.words:
        return cells_to_line((row.sentence, row.label))
    if row.split not in PARTITION_OF_SPLIT or not row.words:
        raise UnwritableText(f"{row!r} has no word, or a split that is not train, dev or test.")
    return cells_to_line((PARTITION_OF_SPLIT[row.split], row.label, row.sentence))
