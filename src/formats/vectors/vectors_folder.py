"""A folder of items and their vectors, which any program can write (docs/elsewhere.md).

items.jsonl                {"form": "taloissa"}                                  a form
                           {"words": ["Talo", "paloi", "."]}                     a sentence
                           {"words": ["Talo", "paloi", "."], "index": 1}         the word at the index, from 0
0-encoding.safetensors     the first layer: `vectors`, `[items, width]`, float32
1-encoding@8.safetensors   the layer of a checkpoint, with its epoch
2-state@8@.safetensors     the layer "state@8", of no epoch

Other files are not read, among them missing.jsonl, in which items without vectors are listed.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from polyprobe.display.shown import cut, plural
from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.computed_elsewhere import ComputedElsewhere, NothingComputed
from polyprobe.formats.files.atomic import NoRoom, written_atomically
from polyprobe.formats.files.digest import file_digest
from polyprobe.formats.files.file_names import absence, file_name
from polyprobe.formats.reading.lines import numbered_lines, write_lines
from polyprobe.items import Form, Item, Sentence, TokenInContext

ITEMS, ENDING, TENSOR, MISSING = "items.jsonl", ".safetensors", "vectors", "missing.jsonl"
NamedLayer = tuple[str, int | None]  # the name of a layer, and its epoch
_EXPECTED = f"{ITEMS}, and for each layer <number>-<name>{ENDING} with `{TENSOR}`, [items, width], float32"
_LIKE_EPOCH = re.compile(r".+@[0-9]+@*", re.DOTALL)  # "encoding@8" is of epoch 8, "state@8@" the layer "state@8"
LONGEST = 80  # characters of a line in an error
_LINE = '{"form": …}, {"words": […]} or {"words": […], "index": …}'


@dataclass(frozen=True)
class VectorsFolder:
    """The files of such a folder."""

    path: Path
    layers: Mapping[NamedLayer, Path]
    """The file of each layer, lowest first."""

    @classmethod
    def of(cls, path: Path) -> "VectorsFolder":
        """Finds the files.

        Raises:
            NothingComputed: there is no file, or no folder.
            PolyprobeError: one is absent, or none is of a layer, or two are of one.
        """
        if path.is_file():
            raise PolyprobeError(f"{path} is a file. Expected a folder with {_EXPECTED}.")
        if not (path / ITEMS).is_file():
            if path.parent.is_dir() and not [*path.glob(f"*{ENDING}")]:
                raise NothingComputed(elsewhere(path), f"{path} has no vectors. Expected a folder with {_EXPECTED}.")
            raise PolyprobeError(f"{path / ITEMS}: {absence(path / ITEMS)}. Expected a folder with {_EXPECTED}.")
        numbered = [(file.stem.partition("-"), file) for file in path.glob(f"*{ENDING}")]
        found = sorted((int(number), name, file) for (number, _, name), file in numbered if number.isdecimal())
        others = [file.name for (number, _, _), file in numbered if not number.isdecimal()]
        if others and found:
            raise PolyprobeError(f"{path} has {others[0]}, whose name begins with no number. Expected {_EXPECTED}.")
        if not found:
            raise PolyprobeError(f"{path} has no file of a layer. Expected {_EXPECTED}.")
        layers: dict[NamedLayer, Path] = {}
        for number, name, file in found:
            layer = _named_layer(name or str(number))
            if (other := layers.setdefault(layer, file)) != file:
                of_one = f"{path} has {other.name} and {file.name}, two files of the layer {name or number}"
                raise PolyprobeError(f"{of_one}. Expected one of each layer: rename or remove one.")
        return cls(path, layers)

    def digests(self) -> dict[str, str]:
        """Returns the SHA-256 of each file by its name."""
        return {file.name: file_digest(file) for file in (self.path / ITEMS, *self.layers.values())}

    def rows(self) -> dict[Item, int]:
        """Reads the row of each item.

        Raises:
            MalformedLine: a line is no item, or one that is also above.
        """
        rows: dict[Item, int] = {}
        for line, text in numbered_lines(self.path / ITEMS):
            item = _item(self.path / ITEMS, line, text)
            if item in rows:
                found = f"the item is also in line {rows[item] + 1}"
                raise MalformedLine(self.path / ITEMS, line, found, "each item once")
            rows[item] = len(rows)
        return rows

    def matrix(self, layer: NamedLayer) -> np.ndarray:
        """Reads the vectors of a layer: `[items, width]`, float32.

        Raises:
            PolyprobeError: the file is none that `write` would write.
        """
        path = self.layers[layer]
        try:
            matrix = load_file(path).get(TENSOR)
        except (SafetensorError, OSError, TypeError, ValueError) as error:
            raise PolyprobeError(f"{path} cannot be read ({error}). Expected {_EXPECTED}.") from error
        if matrix is None or matrix.ndim != 2 or matrix.dtype != np.float32 or not matrix.shape[1]:
            found = "nothing" if matrix is None else f"{matrix.dtype} {list(matrix.shape)}"
            raise PolyprobeError(f"{path} has {found} as `{TENSOR}`. Expected {_EXPECTED}.")
        if not np.isfinite(matrix).all():
            row, place = np.argwhere(~np.isfinite(matrix))[0]
            where = f"number {place + 1} of the vector of item {row + 1} (line {row + 1} of {ITEMS})"
            raise PolyprobeError(f"{path} has {matrix[row, place]} as {where}. Expected finite numbers.")
        return matrix


def write(folder: Path, name: str, items: Sequence[Item], layers: Mapping[str, np.ndarray]) -> Path:
    """Writes items and their vectors into `<folder>/<name>-<digest>`, unless they are there; returns that folder.

    Args:
        folder: may be new.
        name: of whoever computed them.
        items: distinct ones.
        layers: of each layer, lowest first, by its name, `[items, width]`, float32.
    """
    lines = [item_line(item) for item in items]
    digest = hashlib.sha256("\n".join([*lines, *layers]).encode())
    for matrix in layers.values():
        digest.update(np.ascontiguousarray(matrix))
    target = folder / f"{file_name(name)}-{digest.hexdigest()[:8]}"
    if not (target / ITEMS).is_file():
        write_files(target, items, (((layer, None), matrix) for layer, matrix in layers.items()))
    return target


def write_files(folder: Path, items: Sequence[Item], layers: Iterable[tuple[NamedLayer, np.ndarray]]) -> None:
    """Writes the files of a folder, that of the items last; one layer is in memory at a time.

    Args:
        folder: made if absent.
        items, layers: see `write`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number, ((name, epoch), matrix) in enumerate(layers):
        named = file_name(name)
        end = f"@{epoch}" if epoch is not None else "@" if _LIKE_EPOCH.fullmatch(named) else ""
        with written_atomically(folder / f"{number}-{named}{end}{ENDING}") as neighbour:
            save_file({TENSOR: np.ascontiguousarray(matrix)}, neighbour)
    write_lines(map(item_line, items), folder / ITEMS)


def not_written(place: str, error: OSError | NoRoom | SafetensorError, kept: str = "") -> PolyprobeError:
    """Returns the error of a folder that cannot be written.

    Args:
        place: the folder, as it was typed.
        kept: what is not lost, to be put at the end.
    """
    reason = getattr(error, "strerror", None) or str(error)
    expected = "Expected a folder that may be written, on a disk with room"
    return PolyprobeError(f"{place}: it cannot be written ({reason}). {expected}{kept}.")


def _named_layer(name: str) -> NamedLayer:
    """Reads a name as `write_files` writes it."""
    if not _LIKE_EPOCH.fullmatch(name):
        return name, None
    before, _, epoch = name.rpartition("@")
    return before, int(epoch) if epoch else None


def elsewhere(folder: Path) -> ComputedElsewhere:
    """Returns where vectors are expected, and where items without any are listed."""
    return ComputedElsewhere(folder, "items", folder / MISSING, item_line)


def item_line(item: Item) -> str:
    """Writes an item as a line of such a folder."""
    said: dict[str, object] = {"form": item.form} if isinstance(item, Form) else {"words": item.words}
    if isinstance(item, TokenInContext):
        said["index"] = item.index
    return json.dumps(said, ensure_ascii=False)


def _item(path: Path, line: int, text: str) -> Item:
    try:
        said = json.loads(text)
        match said:
            case {"form": str(form)} if len(said) == 1:
                form.encode()  # which fails on half of a surrogate pair
                return Form(form)
            case {"words": [*words]} if all(type(one) is str for one in words):
                "".join(words).encode()
                if len(said) == 1:
                    return Sentence(tuple(words))
                if len(said) == 2 and type(index := said.get("index")) is int:
                    if 0 <= index < len(words):
                        return TokenInContext(tuple(words), index)
                    found = f"the index is {index}, the sentence has {plural(len(words), 'word')}"
                    raise MalformedLine(path, line, found, "the number of one of them, from 0")
    except (ValueError, RecursionError):
        pass
    raise MalformedLine(path, line, f"got '{cut(text, LONGEST)}', which is no item", _LINE)
