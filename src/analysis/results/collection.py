"""Collects the results of all runs below a work folder into one table."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from polyprobe.analysis.output.tables import csv_line, shown_cells
from polyprobe.analysis.results.rows import Row
from polyprobe.errors import PolyprobeError, near_names
from polyprobe.formats.files.atomic import write_text
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.run_record import RESULTS
from polyprobe.runs.results import ResultRow
from polyprobe.runs.workspace import RUNS

_MOST_NAMED = 10  # runs in a message
COLUMNS = ("schema", "run", *(field.name for field in fields(ResultRow)))


def results_files(work: Path) -> list[Path]:
    """Returns every results.jsonl below the runs of a work folder, in the order of their paths."""
    return sorted((Path(work) / RUNS).rglob(RESULTS))


class AllRows(NamedTuple):
    """The rows of all runs below a work folder."""

    rows: list[Row]
    """Of the runs whose files are as they were written, each run once."""
    left_out: list[str]
    """Why the others are left out, a line each, with the file."""

    def lines(self) -> list[str]:
        """Says which runs are left out."""
        return [f"Skipped: {reason}" for reason in self.left_out]


def collect(work: Path) -> AllRows:
    """Reads the rows of every run below `<work>/runs`; a run with a damaged file is left out whole.

    So is, of two folders with rows of one run, the second by path: a copy doubles no row. A folder may have
    another name than its run.
    """
    found, folders = AllRows([], []), {}
    for file in results_files(work):
        try:
            rows = RunDirectory(file.parent).rows()
            _check_alone(file.parent, rows, folders)
            found.rows.extend(rows)
            folders |= {row["run"]: file.parent for row in rows}
        except PolyprobeError as error:
            found.left_out.append(str(error))
        except OSError as error:
            found.left_out.append(f"{file}: it cannot be read ({error.strerror}).")
    return found


def _check_alone(folder: Path, rows: Iterable[Row], folders: Mapping[str, Path]) -> None:
    """Checks that no row is of a run that was read from another of `folders`, by names of runs."""
    for name in {row["run"]: None for row in rows}:
        if name in folders:
            raise PolyprobeError(
                f"{folder}: its rows are of the run {name}, as those of {folders[name]} are. "
                "Remove or move one of the two folders."
            )


def write_csv(rows: Iterable[Row], path: Path) -> None:
    """Writes rows as CSV, whole or not at all: the columns of the results schema in their order, empty where none."""
    rows = list(rows)
    further = dict.fromkeys(key for row in rows for key in row if key not in COLUMNS)
    columns = [*COLUMNS, *further]
    lines = (columns, *([row.get(column, "") for column in columns] for row in rows))
    write_text(path, "".join(map(csv_line, map(shown_cells, lines))))


def comparisons_folder(work: Path, run: Path) -> Path:
    """Returns `comparisons/` of the work folder of a run; of `work` where the run lies in none."""
    place = run.absolute().parents
    if len(place) < 3 or place[1].name != RUNS or place[2] == Path(work).absolute():
        return Path(work) / "comparisons"
    return place[2] / "comparisons"


def find_run(work: Path, name: str) -> Path:
    """Finds the folder of a run with results.

    Args:
        name: the run's name, or the path of its folder.
    """
    if not name:
        raise PolyprobeError("No run is named. Expected its name or its folder.")
    runs = {file.parent.name: file.parent for file in results_files(work)}
    folders = [runs[name]] if name in runs else [Path(name), *(Path(work) / RUNS).glob(f"*/{Path(name).name}")]
    for folder in folders:
        if RunDirectory(folder).results.is_file():
            return folder
    for folder in folders:
        if RunDirectory(folder).provenance.is_file():
            raise PolyprobeError(f"{folder} has no results.jsonl: the run is not finished. Its command resumes it.")
    if not runs:
        raise PolyprobeError(
            f"There is no run {name}, and no other below {Path(work) / RUNS} (paths.work=, work= in the library)."
        )
    name = Path(name).name or name
    kind = name.partition("-")[0]  # of task or suite, with which names of runs begin
    alike = [one for one in runs if one.startswith(f"{kind}-")]
    near = difflib.get_close_matches(name, alike or runs, n=_MOST_NAMED, cutoff=0)
    close = near_names(name, near)
    hint = f"Did you mean {' or '.join(close)}? " if close else ""
    raise PolyprobeError(f'run "{name}" is unknown. {hint}Nearest: {", ".join(near)}.')
