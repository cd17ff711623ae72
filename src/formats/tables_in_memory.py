"""Data in memory as a file that `data=` reads: data frames, lists of rows, dictionaries of columns.

The file has JSON lines and is named by its content: the command of a run reads it again. All values are text: a label 1
is "1", True is "True".
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.atomic import write_text
from polyprobe.formats.reading.cells import BLANKS
from polyprobe.splits import SPLITS

_MISSING = ("NAType", "NaTType")  # of pandas, which are equal to nothing
_EXPECTED = "a file, a folder, a data frame, a list of rows, a dictionary of columns, or one of train, dev and test"
Columns = dict[str, list[Any]]


def data_path(data: Any, names: Mapping[int, Sequence[str]], folder: Path) -> str | Path | None:
    """Returns the path of data: as given, or of the file or folder that they are written into.

    Args:
        data: a path; or a data frame, whose index is left out; rows as tuples or dictionaries; columns by their names;
            or by train, dev and test one of these each.
        names: of the columns of rows that are tuples, by their number; of plain texts those of one column.
        folder: of the files, may be new.

    Raises:
        PolyprobeError: the data are nothing of these.
    """
    if data is None or isinstance(data, str | PathLike):
        return data if data is None or isinstance(data, str) else Path(data)
    is_split = isinstance(data, Mapping) and bool(data) and set(data) <= set(SPLITS)
    if is_split and set(data) != set(SPLITS):
        raise PolyprobeError(f"data has {' and '.join(data)} alone. Expected train, dev and test; or one table.")
    parts = {split: data[split] for split in SPLITS} if is_split else {"": data}
    texts = {split: _lines(part, names, f"data[{split!r}]" if split else "data") for split, part in parts.items()}
    digest = hashlib.sha256("\0".join(texts.values()).encode()).hexdigest()[:16]
    files = {split: folder / digest / f"{split or 'data'}.jsonl" for split in texts}
    for split, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.is_file() or file.read_text(encoding="utf-8", errors="replace") != texts[split]:
            write_text(file, texts[split])
    return folder / digest if is_split else files[""]


def _lines(data: Any, names: Mapping[int, Sequence[str]], which: str) -> str:
    columns = _columns(data, names, which)
    lengths = {name: len(values) for name, values in columns.items()}
    if not columns or 0 in lengths.values():
        raise PolyprobeError(f"{which} has no rows.")
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{name} has {n}" for name, n in lengths.items())
        raise PolyprobeError(f"{which} has columns of unequal length: {found}.")
    rows = zip(*columns.values(), strict=True)
    objects = [{name: _text(one) for name, one in zip(columns, row, strict=True)} for row in rows]
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in objects)


def _columns(data: Any, names: Mapping[int, Sequence[str]], which: str) -> Columns:
    if isinstance(data, Mapping):
        found = {str(name): values for name, values in data.items()}
    elif hasattr(data, "columns") and hasattr(data, "iloc"):  # a data frame of pandas
        found = {str(name): data.iloc[:, place] for place, name in enumerate(data.columns)}
        if len(found) < len(data.columns):
            raise PolyprobeError(f"{which} has two columns of one name: {', '.join(map(str, data.columns))}.")
    elif isinstance(data, Sequence) and not isinstance(data, bytes) and len(data):
        return _of_rows(data, names, which)
    else:
        raise PolyprobeError(f"{which} must be {_EXPECTED}, got {type(data).__name__} {str(data)[:60]}.")
    columns = {name: _listed(values) for name, values in found.items()}
    if odd := [name for name, values in columns.items() if values is None]:
        raise PolyprobeError(f"{which}[{odd[0]!r}] must be a list of values, got {str(found[odd[0]])[:60]!r}.")
    return {name: values for name, values in columns.items() if values is not None}


def _listed(values: Any) -> list[Any] | None:
    if hasattr(values, "tolist"):  # a series of pandas, an array of NumPy
        values = values.tolist()
    return [*values] if isinstance(values, Sequence) and not isinstance(values, str | bytes) else None


def _of_rows(rows: Sequence[Any], names: Mapping[int, Sequence[str]], which: str) -> Columns:
    first = rows[0]
    if isinstance(first, Mapping):
        keys = list(first)
    elif (width := 1 if isinstance(first, str) else len(first) if isinstance(first, tuple | list) else 0) in names:
        keys = list(names[width])
    else:
        known = " or ".join(f"({', '.join(of_row)})" for of_row in names.values())
        raise PolyprobeError(f"{which}: row 1 is {str(first)[:60]!r}. Expected {known}, or named columns.")
    columns: Columns = {str(key): [] for key in keys}
    for number, row in enumerate(rows, start=1):
        values = row.values() if isinstance(row, Mapping) else [row] if isinstance(row, str) else row
        is_alike = type(row) is type(first) and len(values) == len(keys)
        if not is_alike or (isinstance(row, Mapping) and list(row) != keys):
            raise PolyprobeError(f"{which}: row {number} is {str(row)[:60]!r}, row 1 {str(first)[:60]!r}.")
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
    return columns


def _text(value: Any) -> str | None:
    """Returns a value as text, None for a missing one: NaN, NA, None."""
    is_missing = value is None or type(value).__name__ in _MISSING or (isinstance(value, float) and math.isnan(value))
    return None if is_missing else str(value).strip(BLANKS)
