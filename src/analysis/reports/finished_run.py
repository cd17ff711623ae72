"""Reports a finished run of any command: its tables, its files and pictures, and where they are."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from polyprobe.analysis.output.tables import Printable, files_line, picture_lines, write_tables
from polyprobe.analysis.pictures.percent_axes import CLOSE
from polyprobe.analysis.published.filled_cells import FinishedRun
from polyprobe.analysis.published.scoreboard import published_of_runs
from polyprobe.analysis.reports.expectations import expected_of_run, report_expected
from polyprobe.analysis.reports.made_files import MadeFiles, files_made_before, remember_files
from polyprobe.analysis.reports.result_kinds import RunResults, kinds_of, run_results, tables_of
from polyprobe.display.shown import short_path
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import READ_ONLY
from polyprobe.runs.directory import RunDirectory


def report_run(path: Path, expected: Mapping[str, Any] | None, axis: str = CLOSE) -> Iterator[Printable]:
    """Tells what a finished run found, writes its tables, details and pictures, and says where everything is.

    Args:
        path: the folder of a run of any command.
        expected: what an experiment expects of the run (`source`, `rows`), or None.

    Raises:
        PolyprobeError: the run has no results.
    """
    results = run_results(path, expected)
    run, kinds, tables = results.run, kinds_of(results), tables_of(results)
    yield from (table for of_name in tables.values() for table in of_name)
    if expected and results.rows:
        yield from report_expected(expected_of_run(expected, run), results.rows)
    yield from published_of_runs([FinishedRun.read(run.path)])
    try:
        made = files_made_before(run, axis)
        if made is None or len(made.tables) != len(tables):
            details = dict.fromkeys(file for kind in kinds for file in kind.details(results))
            written = [write_tables(run.pictures / name, of_name) for name, of_name in tables.items()]
            made = MadeFiles(list(details), written, _drawn(results, axis))
            remember_files(run, axis, made)
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        found = f"{error.filename or run.path} cannot be written ({error.strerror})"
        yield f"{found}: the tables and pictures of the run stay as they are."
        return
    places = dict.fromkeys(file.parent if file.parent == run.errors else file for file in made.details)
    yield from (f"details   {short_path(place)}" for place in places)
    yield from map(files_line, made.tables)
    yield from _places(run, made)
    yield from (line for kind in kinds for line in kind.lines(results))


def draw_run(path: Path, axis: str = CLOSE) -> Iterator[Printable]:
    """Draws the pictures of a run again, into its folder. Arguments as `report_run`.

    Raises:
        PolyprobeError: the run has no results, or none that a picture shows, or its folder cannot be written.
    """
    results = run_results(path)
    run = results.run
    try:
        run.made_files.unlink(missing_ok=True)  # what it remembers is drawn over
        made = MadeFiles([], [], _drawn(results, axis))
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        found = f"{error.filename or run.path} cannot be written ({error.strerror}): pictures belong in their run"
        raise PolyprobeError(f"{found}. Copy the run, and draw the copy.") from error
    if not made.pictures:
        raise PolyprobeError(f"{run.results} has no row that a picture shows.")
    yield from _places(run, made)


def _drawn(results: RunResults, axis: str) -> list[Path]:
    from polyprobe.analysis.pictures.panels import save_figure  # matplotlib

    named = (one for kind in kinds_of(results) for one in kind.pictures(results, axis))
    return [file for name, figure in named for file in save_figure(figure, results.run.pictures / name)]


def _places(run: RunDirectory, made: MadeFiles) -> Iterator[str]:
    yield f"results   {short_path(run.results)}"
    yield f"run       {short_path(run.provenance)}"
    yield from picture_lines(made.pictures)
