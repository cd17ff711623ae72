"""Which files were made of a run's results: a run that is shown again is not drawn again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from src.formats.files.digest import file_digest
from src.formats.files.sealed_json import DamagedJson, read_sealed, write_sealed
from src.runs.directory import RunDirectory

_VERSION = 1  # one more whenever a table, a picture or a file of details is made in another way


@dataclass(frozen=True, slots=True)
class MadeFiles:
    """The files below a run's folder that show its results.

    Attributes:
        details: errors, confusions, F1 of labels.
        tables: those of each kind of result.
        pictures: in the order in which they are named to the user.
    """

    details: Sequence[Path]
    tables: Sequence[Sequence[Path]]
    pictures: Sequence[Path]


def files_made_before(run: RunDirectory, axis: str) -> MadeFiles | None:
    """Returns the files that an earlier command made of the very results of a run, with this axis.

    None where they are of other results or of another axis, where one is absent, or where nobody remembers.
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
        files = chain(made.details, *made.tables, made.pictures)
        return made if all(path.is_file() for path in files) else None
    except (OSError, DamagedJson, KeyError, TypeError, ValueError):
        return None


def remember_files(run: RunDirectory, axis: str, made: MadeFiles) -> None:
    """Writes down which files were made, for `files_made_before`."""
    names = {"details": _names(run, made.details), "pictures": _names(run, made.pictures)}
    tables = [_names(run, files) for files in made.tables]
    write_sealed(run.made_files, {**_made_of(run, axis), **names, "tables": tables})


def _made_of(run: RunDirectory, axis: str) -> Mapping[str, Any]:
    return {"version": _VERSION, "axis": axis, "results": file_digest(run.results)}


def _names(run: RunDirectory, files: Sequence[Path]) -> list[str]:
    return [file.relative_to(run.path).as_posix() for file in files]


def _paths(run: RunDirectory, names: Sequence[str]) -> list[Path]:
    """Returns the paths of names below a run's folder.

    Raises:
        ValueError: a name leads out of the folder.
    """
    for name in map(PurePosixPath, names):
        if name.is_absolute() or ".." in name.parts:
            raise ValueError(name)
    return [run.path / name for name in names]
