"""Premises and hypotheses in two files, whose labels are written into a third, one a line."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from src.formats.file_to_label import FileToLabel
from src.formats.pairs import pair_files
from src.formats.pairs.labelled_pairs_to_label import spelling_of
from src.formats.pairs.pair_tables import meanings_of
from src.formats.reading.line_ends import written_back
from src.formats.reading.lines import write_lines
from src.formats.reading.malformed import OnMalformed
from src.formats.reading.tokenised import MOSES


def file_pairs(
    path: Path,
    on_malformed: OnMalformed,
    hypotheses: Path,
    labels: Mapping[str, str | None] | None = None,
    tokenised_by: str = MOSES,
    language: str = "",
) -> FileToLabel:
    """Reads pairs without labels; an answer is a label. Raises as `pair_files.file_pairs`.

    Pairs that are left out have no line in the written file; its lines end as those of the premises do.
    """
    pairs = list(pair_files.file_pairs(path, on_malformed, hypotheses, None, labels, tokenised_by, language))
    return FileToLabel(pairs, written_back(partial(_write, meanings_of(labels)), path, (pair.line for pair in pairs)))


def _write(labels: Mapping[str, str | None], answers: Sequence[str], path: Path) -> None:
    write_lines((str(spelling_of(labels, answer)) for answer in answers), path)
