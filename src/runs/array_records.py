"""Records of one test in a run: a data class of arrays with the name of the test, in a checked `.npz` file."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from src.errors import PolyprobeError
from src.formats.files.arrays import UnreadableArrays, check_name, read_fields, write_fields
from src.formats.files.file_names import file_name


class ArrayRecord(Protocol):
    """A data class with a name; all other fields are arrays."""

    test: str


Record = TypeVar("Record", bound=ArrayRecord)


def write_array_record(folder: Path, record: ArrayRecord) -> Path:
    """Writes `<folder>/<test>.npz`, whole or not at all, and returns its path."""
    path = array_record_path(folder, record.test)
    write_fields(path, record)
    return path


def array_record_path(folder: Path, test: str) -> Path:
    """Returns the file of a test; only here does its name become a path."""
    return folder / f"{file_name(test)}.npz"


def read_array_record(
    path: Path, kind: type[Record], layout: Mapping[str, tuple[str, ...]], check: Callable[[Record], None], what: str
) -> Record:
    """Reads what `write_array_record` wrote.

    Args:
        path: of the file.
        kind: the data class.
        layout: see `check_layout`.
        check: raises `UnreadableArrays` if indices in the arrays are out of the range of others.
        what: the record in words, for the message.

    Raises:
        PolyprobeError: the file is absent, damaged, not of this kind, or of a test that it is not named after.
    """
    try:
        record = read_fields(path, kind, layout)
        check_name(path, record.test)
        check(record)
    except UnreadableArrays as error:
        found = f"{path} is no readable file of {what} ({error})."
        raise PolyprobeError(f"{found} Its run has to be made again.") from error
    return record
