"""Random damage to files: what a disk, a copy that was cut off or a hand may do to what a run leaves."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

OTHERS = (None, True, -1, 0, 10**30, 1.5, "", "x", "\ud800", [], [1, "a"], {}, {"a": 1}, float("nan"), float("inf"))
Change = Callable[[bytes, np.random.Generator], bytes]


def mutated(path: Path, content: bytes, seed: int) -> bytes:
    """Returns the content of a file with one thing changed at random, never the content itself.

    Args:
        path: its ending says which changes suit it, beside those of any file.
        content: as it was written.
        seed: of what is drawn.
    """
    generator = np.random.default_rng([seed, len(content)])
    changes = [*ANY_FILE, *OF_KINDS.get(path.suffix, ())]
    while True:
        change = changes[generator.integers(len(changes))]
        found = change(content, generator)
        if found != content:
            return found


def _bits_flipped(content: bytes, generator: np.random.Generator) -> bytes:
    changed = bytearray(content)
    for place in generator.integers(len(content) * 8, size=generator.integers(1, 4)):
        changed[place // 8] ^= 1 << (place % 8)
    return bytes(changed)


def _cut_off(content: bytes, generator: np.random.Generator) -> bytes:
    return content[: generator.integers(len(content))]


def _a_part_lost(content: bytes, generator: np.random.Generator) -> bytes:
    begin, end = sorted(generator.integers(len(content) + 1, size=2))
    return content[:begin] + content[end:]


def _a_part_of_zeros(content: bytes, generator: np.random.Generator) -> bytes:
    begin, end = sorted(generator.integers(len(content) + 1, size=2))
    return content[:begin] + bytes(end - begin) + content[end:]


def _something_added(content: bytes, generator: np.random.Generator) -> bytes:
    place = generator.integers(len(content) + 1)
    return content[:place] + generator.bytes(generator.integers(1, 9)) + content[place:]


def _a_digit_changed(content: bytes, generator: np.random.Generator) -> bytes:
    digits = [place for place, byte in enumerate(content) if chr(byte).isdigit()]
    if not digits:
        return content
    place = digits[generator.integers(len(digits))]
    return content[:place] + b"%d" % generator.integers(10) + content[place + 1 :]


def _lines_moved(content: bytes, generator: np.random.Generator) -> bytes:
    lines = content.splitlines(keepends=True)
    one, other = generator.integers(len(lines), size=2)
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def _a_line_lost_or_doubled(content: bytes, generator: np.random.Generator) -> bytes:
    lines = content.splitlines(keepends=True)
    place = generator.integers(len(lines))
    return b"".join([*lines[:place], *lines[place:][:1] * (2 * generator.integers(2)), *lines[place + 1 :]])


def _json_changed(content: bytes, generator: np.random.Generator) -> bytes:
    """Changes a line of JSON, or the whole file where it is one object."""
    try:
        return _dumped(_otherwise(json.loads(content), generator), indent=1)
    except ValueError:
        lines = content.splitlines()
        place = generator.integers(len(lines))
        lines[place] = _dumped(_otherwise(json.loads(lines[place]), generator))
        return b"\n".join([*lines, b""])


def _dumped(value: Any, **options: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, **options).encode("utf-8", "surrogatepass")


def _otherwise(value: Any, generator: np.random.Generator) -> Any:
    """Changes one place of plain values: swapped, lost or renamed keys, another type, another value."""
    if isinstance(value, dict) and value and generator.random() < 0.9:
        keys = list(value)
        one, other = (keys[place] for place in generator.integers(len(keys), size=2))
        kind = generator.integers(5)
        if kind == 0:
            return {**value, one: value[other], other: value[one]}
        if kind == 1:
            return {key: entry for key, entry in value.items() if key != one}
        if kind == 2:
            return {(f"{key}s" if key == one else key): entry for key, entry in value.items()}
        return {**value, one: _otherwise(value[one], generator)}
    if isinstance(value, list) and value and generator.random() < 0.7:
        place = generator.integers(len(value))
        return [*value[:place], _otherwise(value[place], generator), *value[place + 1 :]]
    if isinstance(value, int | float) and not isinstance(value, bool) and generator.random() < 0.5:
        return value + 1 if isinstance(value, int) else value * 1.5
    return OTHERS[generator.integers(len(OTHERS))]


def _a_cell_changed(content: bytes, generator: np.random.Generator) -> bytes:
    rows = list(csv.reader(io.StringIO(content.decode())))
    row = rows[generator.integers(len(rows))]
    row[generator.integers(len(row))] = ("", "x", "nan", "inf", "1e400", "0.25", "-3")[generator.integers(7)]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _arrays_changed(content: bytes, generator: np.random.Generator) -> bytes:
    """Writes a sound archive with other arrays: swapped, lost, of another type, with other values."""
    with np.load(io.BytesIO(content)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    names = list(arrays)
    one, other = (names[place] for place in generator.integers(len(names), size=2))
    kind = generator.integers(4)
    if kind == 0:
        arrays[one], arrays[other] = arrays[other], arrays[one]
    elif kind == 1:
        del arrays[one]
    elif kind == 2:
        arrays[one] = arrays[one].astype(("f4", "i2", "U3", "?")[generator.integers(4)], casting="unsafe") \
            if arrays[one].dtype.kind in "if" else arrays[one][..., None]  # fmt: skip
    else:
        arrays[one] = np.roll(arrays[one], 1) if arrays[one].ndim else arrays[one][None]
    found = io.BytesIO()
    np.savez_compressed(found, **arrays)
    return found.getvalue()


def _archive_changed(content: bytes, generator: np.random.Generator) -> bytes:
    """Writes a sound archive whose files are swapped, or one of which is lost: checkpoints of torch are archives."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    names = list(files)
    one, other = (names[place] for place in generator.integers(len(names), size=2))
    files[one], files[other] = files[other], files[one]
    if generator.integers(2):
        del files[one]
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for name, file in files.items():
            archive.writestr(name, file)
    return found.getvalue()


ANY_FILE: tuple[Change, ...] = (_bits_flipped, _cut_off, _a_part_lost, _a_part_of_zeros, _something_added)
OF_TEXT: tuple[Change, ...] = (_a_digit_changed, _a_digit_changed, _lines_moved, _a_line_lost_or_doubled)
OF_KINDS: dict[str, tuple[Change, ...]] = {
    ".json": (*OF_TEXT, *[_json_changed] * 4),
    ".jsonl": (*OF_TEXT, *[_json_changed] * 4),
    ".yaml": OF_TEXT,
    ".csv": (*OF_TEXT, *[_a_cell_changed] * 3),
    ".sha256": OF_TEXT,
    ".npz": (_arrays_changed,) * 4,
    ".ckpt": (_archive_changed,) * 2,
}
