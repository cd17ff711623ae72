"""Runs the commands of the golden set and takes digests of all that they leave and say; knows nothing of the code."""

import hashlib
import json
import os
import re
import shlex
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib.figure
import numpy as np
import torch
import wandb
from matplotlib.collections import Collection
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from tests.commands.forked import ForkedScript

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TABLES = ("commands", "refused")
SHORT = 700  # characters of output that are kept as they are; of longer ones a digest of every line
# What differs from day to day and from machine to machine, in any JSON file.
VOLATILE = {
    *("time", "end", "machine", "libraries", "commit", "clean", "python", "sha256", "seconds", "process", "host"),
    "config.yaml",  # has a digest of its own here, without modules
}
WITHOUT_DIGEST = {".png", ".pdf", ".lock", ".sha256"}  # pictures are known by what is drawn
FOLDED = {"cache", "sets", "sweeps", "epochs", "resume"}  # folders with one digest for all
_MODULE = re.compile(r"\b(?:src|polyprobe)(\.[a-z0-9_]+)+\.(?=\w)")  # a thing may move to another file
_CODE = re.compile(r"\bmini-[0-9a-f]{12}\b")  # the folder of lang=mini is named for the code that made it
# How far a command is, after two seconds; files of W&B, which are named for the time.
_PASSING_LINE = re.compile(r"^[^\n]*(: [\d,]+ (of [\d,]+ )?\w+ done\b|\boffline-run-).*\n", re.MULTILINE)
_PASSING = re.compile(r"\d[\d,.]*(?= (ms|s|min|h|seconds|minutes|hours|bytes|kB|KB|MB|GB|GiB|MiB)\b)|\bprocess \d+")


def commands() -> dict[str, dict[str, list[str]]]:
    """Reads both tables: of each group the words of its commands, by their names or whole lines."""
    groups: dict[str, dict[str, list[str]]] = {}
    macros: dict[str, list[str]] = {}
    for line in "".join((HERE / f"{table}.txt").read_text(encoding="utf-8") for table in TABLES).splitlines():
        if line.startswith("["):
            group = groups.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            named = re.fullmatch(r"(\$?\w+) = (.*)", line)
            name, text = named.groups() if named else (line, line)
            words = [part for word in shlex.split(text) for part in macros.get(word, [word])]
            (macros if name.startswith("$") else group)[name] = words
    return groups


def record_group(root: Path, group: str, listed: Mapping[str, list[str]]) -> dict[str, Any]:
    """Runs a group's commands in a folder of its own, one after the other: what each left, by its name.

    Args:
        root: holds `data` and `given`; the group's folder is made beside them.
        listed: as `commands` gives them.
    """
    folder = root / group
    folder.mkdir()
    if (root / "corpora/cache").is_dir():
        shutil.copytree(root / "corpora/cache", folder / "cache")  # which would be made in each
    records: dict[str, Any] = {}
    runs: dict[str, str] = {}
    for name, words in listed.items():
        before = _state(folder)
        script, *arguments = [re.sub(r"\{(\w+)\}", lambda found: runs[found[1]], word) for word in words]
        said = root / f"said/{group}/{len(records) + 1}"
        errors = said.with_suffix(".errors")
        process = ForkedScript(script, arguments, said, lambda: _prepare(folder), errors)
        process.start()
        process.join()
        after = _state(folder)
        new = [path for path, state in after.items() if before.get(path) != state]
        left = [path for path in new if path.name == "run.json"]
        runs[name] = left[-1].parent.name if left else ""
        text = "".join(path.read_text(encoding="utf-8") for path in (said, errors))
        text = _PASSING.sub("…", _PASSING_LINE.sub("", _placeless(text, root)))
        files = {str(path.relative_to(folder)): digest_of(path, root) for path in new if path.name != "noted.jsonl"}
        files |= {str(path.relative_to(folder)): "gone" for path in before if path not in after}
        files = {_CODE.sub("mini-…", name.replace(str(root)[1:], "…")): one for name, one in files.items()}
        noted = folder / "noted.jsonl"
        if noted.exists():
            files |= dict(map(json.loads, noted.read_text(encoding="utf-8").splitlines()))
            noted.unlink()
        records[name] = {"code": process.exitcode, "said": _said(text), "files": _by_folder(files), "text": text}
    (root / f"{group}.json").write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    return records


def _state(folder: Path) -> dict[Path, tuple[int, int]]:
    """Returns all files but those of W&B and kept probes, each with what changes when it is written.

    Probes are kept under names that digest the code that trains them.
    """
    without = {"wandb", "probes"}
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and without.isdisjoint(path.parts))
    return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in files}


def _said(text: str) -> str | list[str]:
    """Returns what is kept of a text: itself if it is short, else its digest and that of each line."""
    return text if len(text) <= SHORT else [_hash(text), "".join(line_digests(text))]


def line_digests(text: str) -> list[str]:
    """Returns the four digits that stand for each line of longer output."""
    return [_hash(line)[:4] for line in text.splitlines()]


def _by_folder(files: Mapping[str, str]) -> dict[str, Any]:
    """Returns the digests of each folder's files; one for all of a folder below one that is `FOLDED`."""
    folders: dict[str, Any] = {}
    for name, digest in sorted(files.items()):
        folder, _, file = name.rpartition("/")
        folders.setdefault(f"{folder}/", {})[file] = digest
    for folder, of_folder in folders.items():
        if FOLDED & {*folder.split("/")}:
            folders[folder] = f"{len(of_folder)} files {_hash(json.dumps(of_folder))}"
    return folders


def digest_of(path: Path, root: Path) -> str:
    """Returns a digest of what a file holds: of tensors and arrays their content, of JSON what lasts."""
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    if path.suffix in WITHOUT_DIGEST or path.name == ".lock":
        return ""
    if path.suffix == ".ckpt":
        return _hash(_plain(torch.load(path, map_location="cpu", weights_only=True)))
    if path.suffix in (".npz", ".npy"):
        content = np.load(path, allow_pickle=False)
        return _hash(_plain(dict(content) if path.suffix == ".npz" else content))
    try:
        text = _placeless(path.read_text(encoding="utf-8"), root)
    except UnicodeDecodeError:
        return _hash(path.read_bytes())
    if path.suffix in (".json", ".jsonl"):
        lines = [text] if path.suffix == ".json" else text.splitlines()
        return _hash("\n".join(json.dumps(_lasting(json.loads(line)), ensure_ascii=False) for line in lines))
    return _hash(text)


def _placeless(text: str, root: Path) -> str:
    """Returns a text without folders of this machine, names of this day, and modules of what is named."""
    for folder in (root, ROOT):
        text = text.replace(str(folder), "…")
    return _MODULE.sub("", _CODE.sub("mini-…", text))


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):  # also a digest of a picture: fonts of this machine are in it
        kept = {key: one for key, one in value.items() if key not in VOLATILE}
        return {key: _lasting(one) for key, one in kept.items() if Path(key).suffix not in WITHOUT_DIGEST}
    return [_lasting(one) for one in value] if isinstance(value, list) else value


def _plain(value: Any) -> str:
    """Returns a text that is equal for equal content, whatever holds it."""
    if isinstance(value, torch.Tensor):
        value = value.detach().contiguous()
        value = value.view(torch.uint8).numpy() if value.dtype == torch.bfloat16 else value.numpy()
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{_hash(np.ascontiguousarray(value).tobytes())}"
    if isinstance(value, dict):
        kept = ((key, one) for key, one in value.items() if key not in VOLATILE)
        return "{" + ",".join(f"{key!r}:{_plain(one)}" for key, one in kept) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_plain, value)) + "]"
    return repr(value)


def _hash(content: str | bytes) -> str:
    content = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    return hashlib.sha256(content).hexdigest()[:16]


class _StillClock(datetime):
    """A clock that stands: comparisons of trained models are named for the time of their training."""

    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC).astimezone(tz)


def _prepare(folder: Path) -> None:
    """Goes to a group's folder and notes what every picture draws and W&B is sent, before a script begins."""
    os.chdir(folder)
    for name, module in [*sys.modules.items()]:
        if name.startswith("polyprobe.") and vars(module).get("datetime") is datetime:
            module.datetime = _StillClock
    uuid.uuid4 = lambda: uuid.UUID(int=0)  # the name of a file that is being written is in a checkpoint's bytes
    save, log = matplotlib.figure.Figure.savefig, wandb.Run.log

    def note(name: str, content: str) -> None:
        with open(folder / "noted.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps([name, _hash(content)]) + "\n")

    def saving(figure: matplotlib.figure.Figure, path: Path | StringIO, *arguments: Any, **options: Any) -> None:
        save(figure, path, *arguments, **options)
        found = None if isinstance(path, StringIO) else re.search(r"\.?([^/]+\.png)\b", Path(path).name)
        if found:
            name = (Path(path).parent / found[1]).resolve().relative_to(folder.resolve())
            note(str(name), "\n".join(_drawn(figure)))

    def logging(run: wandb.Run, data: Mapping[str, Any], *arguments: Any, **options: Any) -> None:
        tables = {key: [one.columns, one.data] for key, one in data.items() if isinstance(one, wandb.Table)}
        note(f"W&B {'tables' if tables else 'numbers'}", _plain(tables or dict(data)))
        log(run, data, *arguments, **options)

    matplotlib.figure.Figure.savefig, wandb.Run.log = saving, logging


def _drawn(figure: matplotlib.figure.Figure) -> Iterator[str]:
    """The texts of a picture, and the numbers and colours of its lines, areas, points and images."""
    values: dict[type, Callable[[Any], tuple[Any, ...]]] = {
        Text: lambda one: (one.get_text(),),
        Line2D: lambda one: (one.get_xydata(), one.get_color(), one.get_linestyle(), one.get_marker()),
        Patch: lambda one: (one.get_path().vertices, one.get_patch_transform().get_matrix(), one.get_facecolor()),
        AxesImage: lambda one: (np.ma.filled(one.get_array().astype(float), np.nan),),
        Collection: lambda one: (one.get_offsets(), one.get_facecolor(), *(path.vertices for path in one.get_paths())),
    }
    for artist in figure.findobj(lambda artist: isinstance(artist, tuple(values))):
        read = next(read for kind, read in values.items() if isinstance(artist, kind))
        yield type(artist).__name__ + _plain([np.round(x, 9) if isinstance(x, np.ndarray) else x for x in read(artist)])
