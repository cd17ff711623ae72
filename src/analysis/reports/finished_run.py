"""Reports a finished run of any command: its tables, its files and pictures, and where they are.

Tables, details and pictures are made of the results whenever a run is shown.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from polyprobe.analysis.output.tables import Printable, files_line, picture_lines, write_tables
from polyprobe.analysis.reports.result_kinds import RunResults, kinds_of, run_results, tables_of
from polyprobe.display.shown import short_path
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import READ_ONLY
from polyprobe.runs.directory import RunDirectory

REPORT = "report.html"


def report_run(path: Path) -> Iterator[Printable]:
    """Tells what a finished run found, writes its tables, details and pictures, and says where everything is.

    Args:
        path: the folder of a run of any command.

    Raises:
        PolyprobeError: the run has no results.
    """
    results = run_results(path)
    run, kinds, tables = results.run, kinds_of(results), tables_of(results)
    yield from (table for of_name in tables.values() for table in of_name)
    try:
        details = dict.fromkeys(file for kind in kinds for file in kind.details(results))
        written = [write_tables(run.pictures / name, of_name) for name, of_name in tables.items()]
        pictures = _drawn(results)
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        found = f"{error.filename or run.path} cannot be written ({error.strerror})"
        yield f"{found}: the tables and pictures of the run stay as they are."
        return
    places = dict.fromkeys(file.parent if file.parent == run.errors else file for file in details)
    yield from (f"details   {short_path(place)}" for place in places)
    yield from map(files_line, written)
    yield from _places(run, pictures)
    yield from (line for kind in kinds for line in kind.lines(results))


def draw_run(path: Path) -> Iterator[Printable]:
    """Draws the pictures of a run again, into its folder. Arguments as `report_run`.

    Raises:
        PolyprobeError: the run has no results, or none that a picture shows, or its folder cannot be written.
    """
    results = run_results(path)
    run = results.run
    try:
        pictures = _drawn(results)
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        found = f"{error.filename or run.path} cannot be written ({error.strerror}): pictures belong in their run"
        raise PolyprobeError(f"{found}. Copy the run, and draw the copy.") from error
    if not pictures:
        raise PolyprobeError(f"{run.results} has no row that a picture shows.")
    yield from _places(run, pictures)


def _drawn(results: RunResults) -> list[Path]:
    from polyprobe.analysis.pictures.panels import save_figure  # matplotlib

    named = (one for kind in kinds_of(results) for one in kind.pictures(results))
    return [file for name, figure in named for file in save_figure(figure, results.run.pictures / name)]


def _places(run: RunDirectory, pictures: Sequence[Path]) -> Iterator[str]:
    yield f"results   {short_path(run.results)}"
    yield f"run       {short_path(run.provenance)}"
    yield from picture_lines(pictures)
