"""Published files that a user pins: repository, revision and digest stand in a file of conf/lang of one's own."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from src.errors import BadValue, check_choice
from src.resources.pinned_files import UNKNOWN, PinnedFile, source_of

_NEEDED = ("target", "repository", "commit", "path", "blob")
_KNOWN = (*_NEEDED, "bytes", "license")
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9_][A-Za-z0-9._-]*")
_DIGEST = re.compile(r"[0-9a-f]{40}")


def own_file(key: str, entry: Mapping[str, Any]) -> PinnedFile:
    """Reads an entry such as

        {target: mine/xx.txt, repository: unimorph/xxx, commit: <40 digits>, path: xxx, blob: <40 digits>}

    with `bytes` and `license` where they are known. Nothing is fetched without a digest to check it by.

    Args:
        key: of the entry, as the user types it.
        entry: as read from a configuration.

    Raises:
        UnknownChoice: of a key of the entry.
        BadValue: a key is missing, or a value is not what it has to be.
    """
    for name in entry:
        check_choice(key, name, _KNOWN)
    for name in _NEEDED:
        if entry.get(name) is None:
            raise BadValue(f"{key}.{name}", "missing", _EXPECTED[name])
    commit, blob = _digest(key, entry, "commit"), _digest(key, entry, "blob")
    repository = entry["repository"]
    if not isinstance(repository, str) or not _REPOSITORY.fullmatch(repository):
        raise BadValue(f"{key}.repository", repository, _EXPECTED["repository"])
    target, path = (_below(f"{key}.{name}", entry[name], _EXPECTED[name]) for name in ("target", "path"))
    known = source_of(target)
    if known is not None and known.blob != blob:
        raise BadValue(f"{key}.target", target, f"another path: this is that of a published file of {known.revision}")
    n_bytes, terms = entry.get("bytes"), entry.get("license")
    if n_bytes is not None and (not isinstance(n_bytes, int) or isinstance(n_bytes, bool) or n_bytes < 1):
        raise BadValue(f"{key}.bytes", n_bytes, "its size in bytes")
    if terms is not None and not isinstance(terms, str):
        raise BadValue(f"{key}.license", terms, "the name of a licence")
    return PinnedFile(target, repository, commit, path, blob, n_bytes, target, terms or UNKNOWN)


_EXPECTED = {
    "target": "a path below the data folder: names joined by /, none of which begins with . or ~",
    "repository": "owner/name on GitHub",
    "commit": "a revision of 40 hexadecimal digits, not a branch, so that the file stays what it is",
    "path": "the path of the file in its repository: names joined by /, none of which begins with . or ~",
    "blob": "the git blob id of the file, 40 hexadecimal digits (git hash-object <file>): what comes is checked by it",
}


def _digest(key: str, entry: Mapping[str, Any], name: str) -> str:
    value = entry[name]
    if not isinstance(value, str) or not _DIGEST.fullmatch(value):
        raise BadValue(f"{key}.{name}", value, f"{_EXPECTED[name]}; digits in quotes, letters small")
    return value


def _below(key: str, value: Any, expected: str) -> str:
    """Returns a path that leads below the folder it is taken from."""
    is_path = isinstance(value, str) and value.isprintable() and "\\" not in value and ":" not in value
    if not is_path or any(not part or part[0] in ".~" for part in value.split("/")):
        raise BadValue(key, value, expected)
    return str(PurePosixPath(value))
