"""The provenance of numbers, start by start: versions, code, machine, configuration, data digests."""

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from polyprobe import __version__
from polyprobe.formats.files.digest import file_digest
from polyprobe.runs.names.conf_folders import PACKAGE
from polyprobe.runs.names.plugins import CHOICES, METRICS, plugins
from polyprobe.runs.names.typed_command import typed_command
from polyprobe.runs.results import ResultRow

LIBRARIES = (
    "torch",
    "pytorch-lightning",
    "torchmetrics",
    "transformers",
    "numpy",
    "scipy",
    "hydra-core",
    "gensim",
    "sentencepiece",
)
MINIMAL_SETS = "minimal sets: "  # begins the names, in a table of digests, of sets: all others are files
ROOT = PACKAGE.parent
OF_ANOTHER_REPOSITORY = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR")  # set in the hooks of one

_CHANGES = ("status", "--porcelain", "--untracked-files=no")  # of the code: pages and tables lie beside it


def provenance() -> dict[str, Any]:
    """Returns the versions, the state of the code and the machine, as plain values; `plugins` where there are some."""
    added = sorted({plugin.distribution for group in (CHOICES, METRICS) for plugin in plugins(group)})
    commit = _git("rev-parse", "HEAD")
    clean = None if commit is None else _git(*_CHANGES) == ""
    return {
        "polyprobe": {"version": __version__, "commit": commit, "clean": clean},
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in LIBRARIES},
        **({"plugins": dict(one.rsplit(" ", 1) for one in added)} if added else {}),
        "machine": {"system": platform.platform(), "processor": _processor(), "cores": os.cpu_count()},
    }


def now() -> str:
    """Returns the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def digests(paths: Iterable[Path], root: Path) -> dict[str, str]:
    """Returns the SHA-256 of every file, by its name, see `name_of`."""
    return {name_of(path, root): file_digest(path) for path in paths}


def name_of(path: Path, root: Path) -> str:
    """Returns the path of a file below `root`; of a file elsewhere the whole path."""
    whole, folder = Path(os.path.abspath(path)), os.path.abspath(root)
    return str(whole.relative_to(folder) if whole.is_relative_to(folder) else whole)


def of_files(table: Mapping[str, str]) -> dict[str, str]:
    """Returns the part of a table of digests that is about files."""
    return {name: digest for name, digest in table.items() if not name.startswith(MINIMAL_SETS)}


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Returns the names of files and minimal sets that differ between two tables of digests."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _processor() -> str:
    """Returns the processor's own name on Linux; elsewhere the kind of machine."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n")
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _git(*arguments: str) -> str | None:
    """Asks git about polyprobe's own checkout; None without one, in somebody else's repository, too."""
    environment = {name: value for name, value in os.environ.items() if name not in OF_ANOTHER_REPOSITORY}
    environment["GIT_CEILING_DIRECTORIES"] = str(ROOT.parent)
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True, env=environment)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()


CODE_DIGITS = 8  # of a commit


def new_start(circumstances: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the record of a start that is made now, with the command as it was typed where there is one.

    Args:
        circumstances: known to the command alone: `threads`, `devices`, `accelerator`.
    """
    typed = typed_command()
    command = {} if typed is None else {"command": typed}
    return {"time": now(), **command, **provenance(), **circumstances}


def note_on(starts: Sequence[Mapping[str, Any]]) -> str | None:
    """Says how the starts of a run differ, with all values; None if they do not.

    >>> note_on([{"libraries": {"torch": "2.12.0"}}, {"libraries": {"torch": "2.13.0"}}])
    'resumed under another torch: 2.12.0, 2.13.0'
    """
    found = [f"another {what}: {', '.join(values)}" for what, values in _differing(starts).items()]
    return f"resumed under {'; '.join(found)}" if found else None


def with_note(row: ResultRow, note: str | None) -> ResultRow:
    """Returns a row that carries a note before its own."""
    return replace(row, note="; ".join(filter(None, [note, row.note])) or None)


def _differing(starts: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Returns the distinct values of what can change numbers, where there are several; unknown ones do not count."""
    known = [_known(one) for one in starts]
    values = {what: list(dict.fromkeys(one[what] for one in known if what in one)) for one in known for what in one}
    return {what: them for what, them in values.items() if len(them) > 1}


def _known(start: Mapping[str, Any]) -> dict[str, str]:
    found = {
        "torch": (start.get("libraries") or {}).get("torch"),
        "code": _code(start.get("polyprobe") or {}),
        "Python": start.get("python"),
        "thread count": start.get("threads"),
        "device count": start.get("devices"),
        "accelerator": start.get("accelerator"),
    }
    return {what: str(value) for what, value in found.items() if value is not None}


def _code(state: Mapping[str, Any]) -> str | None:
    """Names the code: its commit, or its version without a repository."""
    if state.get("commit") is None:
        return f"version {state['version']}" if "version" in state else None
    return f"{str(state['commit'])[:CODE_DIGITS]}{' with changes' if state.get('clean') is False else ''}"
