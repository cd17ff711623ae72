"""The files of which the jobs of analyze.py tell."""

from collections.abc import Iterable
from pathlib import Path

from polyprobe.analysis.output.tables import Printable, show


def csv_files(things: Iterable[Printable]) -> list[Path]:
    """Shows what a job yields; returns the files of its rows."""
    return _files(things, " rows in ")


def csv_file(things: Iterable[Printable]) -> Path:
    """Shows what a job yields; returns the one file of its rows."""
    (path,) = csv_files(things)
    return path


def pictures(things: Iterable[Printable]) -> list[Path]:
    """Shows what a job yields; returns the files of its pictures."""
    return _files(things, "picture   ")


def _files(things: Iterable[Printable], before: str) -> list[Path]:
    told = list(things)
    show(told)
    return [Path(line.partition(before)[2]) for line in told if isinstance(line, str) and before in line]
