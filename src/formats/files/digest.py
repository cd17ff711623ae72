"""Digests of files, and JSON objects in files with a digest of what they say: a changed letter is noticed."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from polyprobe.formats.files.atomic import write_text
from polyprobe.formats.files.file_names import open_file, text_of_file

BESIDE = ".sha256"  # ends the name of the file that holds the digest of the file next to it
SEAL = "sha256"
MOST_BYTES = 50_000_000  # of a file; a run.json that lists 100,000 files has a fifth of it


def file_digest(path: str | Path) -> str:
    """Returns the SHA-256 of a file, in hexadecimal digits: the whole file is read, at 1 to 2 GB a second.

    Raises:
        OSError: it cannot be read, or is a device or a pipe.
    """
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def path_beside(path: Path) -> Path:
    """Returns the file that holds the digest of a file, whether it exists or not."""
    return path.with_name(path.name + BESIDE)


def digest_beside(path: Path) -> str | None:
    """Returns the digest in the file next to a file, as it stands there; None where there is no such file."""
    beside = path_beside(path)
    return beside.read_text(encoding="utf-8", errors="replace").split(" ")[0] if beside.is_file() else None


def content_version(paths: Iterable[Path], *choices: object) -> str:
    """Returns 16 hexadecimal digits that follow the content of the files, in their order, and the choices."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    for choice in choices:
        digest.update(f"\n{choice}".encode())
    return digest.hexdigest()[:16]


class DamagedJson(Exception):
    """A file holds no JSON object, or not the one that was written; the text says which."""


def write_sealed(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a mapping of plain values as JSON, whole or not at all, with its digest as the last entry."""
    plain = {key: value for key, value in json.loads(json.dumps(content)).items() if key != SEAL}
    text = json.dumps({**plain, SEAL: _seal(plain)}, indent=1, ensure_ascii=False, allow_nan=False)
    write_text(path, text + "\n")


def read_sealed(path: Path) -> dict[str, Any]:
    """Reads what `write_sealed` wrote, with its digest under `SEAL`; an object without one is not checked.

    Raises:
        FileNotFoundError: there is no such file.
        DamagedJson: it is not a JSON object in UTF-8, or another one than was written.
    """
    try:
        content = json.loads(text_of_file(path, MOST_BYTES))
        if not isinstance(content, dict):
            raise DamagedJson("it does not hold a JSON object")
        found = _seal({key: value for key, value in content.items() if key != SEAL})
    except (ValueError, RecursionError) as error:  # among them text that is not UTF-8, or half of a surrogate pair
        reason = " ".join(str(error).split(";", maxsplit=1)[0].split())
        raise DamagedJson(f"it is no JSON ({reason})") from error
    if content.get(SEAL, found) != found:
        raise DamagedJson(f"what it says differs from its digest, the entry {SEAL}")
    return content


def _seal(plain: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(plain, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
