"""Reports a finished run of any command: its tables, its files and pictures, and where they are.

Which files were made of its results is kept, with their digests: a run that is shown again is not drawn again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from polyprobe.analysis.output.tables import Printable, files_line, picture_lines, write_tables
from polyprobe.analysis.pictures.percent_axes import CLOSE
from polyprobe.analysis.reports.result_kinds import RunResults, kinds_of, run_results, tables_of
from polyprobe.display.shown import say, short_path
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import READ_ONLY
from polyprobe.formats.files.digest import DamagedJson, file_digest, read_sealed, write_sealed
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.record.provenance import digests

REPORT = "report.html"
_VERSION = 3  # one more whenever a table, a picture or a file of details is made in another way


@dataclass(frozen=True, slots=True)
class MadeFiles:
    """The files below a run's folder that show its results."""

    details: Sequence[Path]
    """Errors, confusions, F1 of labels."""
    tables: Sequence[Sequence[Path]]
    """Those of each kind of result."""
    pictures: Sequence[Path]
    """In the order in which they are named to the user."""

    @property
    def files(self) -> list[Path]:
        """All of them."""
        return [*self.details, *chain.from_iterable(self.tables), *self.pictures]


def files_made_before(run: RunDirectory, axis: str) -> MadeFiles | None:
    """Returns the files that an earlier command made of the very results of a run, with this axis.

    None where they are of other results or of another axis, where one is absent or differs from what was written
    (which is said), or where nobody remembers.
    """
    try:
        record = read_sealed(run.made_files)
        if {key: record[key] for key in ("version", "axis", "results")} != _made_of(run, axis):
            return None
        made = MadeFiles(
            _paths(run, record["details"]),
            [_paths(run, names) for names in record["tables"]],
            _paths(run, record["pictures"]),
        )
        _, as_made = made_digests(run)
        changed = [file for file in made.files if file.is_file() and file_digest(file) != as_made[file]]
        for file in changed:
            say(f"{short_path(file)} differs from what was written: recreated")
        return None if changed or not all(file.is_file() for file in made.files) else made
    except (OSError, DamagedJson, KeyError, TypeError, ValueError):
        return None


def made_digests(run: RunDirectory) -> tuple[str, Mapping[Path, str]]:
    """Reads what a run's made_files.json vouches for: the digest of the results.jsonl of which files were made, and
    that of each file; of no file where an earlier version wrote it.

    Raises:
        FileNotFoundError: there is no such file.
        DamagedJson: it is not what was written.
    """
    record = read_sealed(run.made_files)
    named = record.get("digests", {})
    try:
        return record["results"], dict(zip(_paths(run, named), named.values(), strict=True))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedJson("it does not name the files that were made") from error


def remember_files(run: RunDirectory, axis: str, made: MadeFiles) -> None:
    """Writes down which files were made, for `files_made_before`."""
    names = {"details": _names(run, made.details), "pictures": _names(run, made.pictures)}
    tables = [_names(run, files) for files in made.tables]
    page = {name: digest for name, digest in _record(run).get("digests", {}).items() if name == REPORT}
    of_files = {"digests": {**page, **digests(made.files, run.path)}}
    write_sealed(run.made_files, {**_made_of(run, axis), **names, "tables": tables, **of_files})


def remember_page(run: RunDirectory) -> None:
    """Writes down the page of a run as it is now, beside the files that were made before."""
    record = {"results": file_digest(run.results), **_record(run)}
    page = digests([run.path / REPORT], run.path)
    write_sealed(run.made_files, {**record, "digests": {**record.get("digests", {}), **page}})


def _record(run: RunDirectory) -> dict[str, Any]:
    """Returns what was remembered; nothing where that is damaged."""
    try:
        record = read_sealed(run.made_files)
    except (OSError, DamagedJson):
        return {}
    return record if isinstance(record.get("digests", {}), dict) else {}


def _made_of(run: RunDirectory, axis: str) -> Mapping[str, Any]:
    return {"version": _VERSION, "axis": axis, "results": file_digest(run.results)}


def _names(run: RunDirectory, files: Sequence[Path]) -> list[str]:
    return [file.relative_to(run.path).as_posix() for file in files]


def _paths(run: RunDirectory, names: Iterable[str]) -> list[Path]:
    """Returns the paths of names below a run's folder."""
    names = list(names)
    for name in map(PurePosixPath, names):
        if name.is_absolute() or ".." in name.parts:
            raise ValueError(name)
    return [run.path / name for name in names]


def report_run(path: Path, axis: str = CLOSE) -> Iterator[Printable]:
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
