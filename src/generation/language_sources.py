"""The files that tests of a language are made from: found, or fetched where they are missing.

Published files that a user pins: repository, revision and digest stand in the file of a language of one's own.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import Annotated, Any, TypeVar

from annotated_types import Predicate

from polyprobe.errors import BadValue, Impossible, PolyprobeError, check_choice
from polyprobe.generation.made_tests.writing import Source
from polyprobe.resources.download import blob_id, ensure, ensure_published
from polyprobe.resources.pinned_files import UNKNOWN, AssembledFile, PinnedFile, available_targets, source_of
from polyprobe.section import Expected, check_values
from polyprobe.splits import SPLITS

_DIGEST = re.compile(r"[0-9a-f]{40}")


def _is_below(path: str) -> bool:
    """Says whether a path leads below the folder it is taken from."""
    is_plain = path.isprintable() and "\\" not in path and ":" not in path
    return is_plain and all(part and part[0] not in ".~" for part in path.split("/"))


_Below = Annotated[
    str, Predicate(_is_below), Expected("a path below the folder: names joined by /, none of which begins with . or ~")
]
_Digest = Annotated[
    str, Predicate(_DIGEST.fullmatch), Expected("40 hexadecimal digits in quotes, letters small: no branch, no tag")
]
_PINNED = {"target": _Below, "repository": str, "commit": _Digest, "path": _Below, "blob": _Digest}
AnyPath = TypeVar("AnyPath", bound=PurePath)
KINDS: Mapping[str, str] = {
    "unimorph": "a table of UniMorph",
    "frequency": "a frequency list",
    "treebanks": "a treebank in CoNLL-U",
    "surface": "a treebank with multiword tokens",
    "trees": "constituency trees",
    "syllables": "a lexicon with syllables",
}
"""What `made_from` of a language may name, in words."""
_IN_FOLDERS = {
    "treebanks": ("*.conllu",),
    "surface": ("*.conllu",),
    "trees": ("*.tsv",),
}


def own_file(key: str, entry: Mapping[str, Any]) -> PinnedFile:
    """Reads an entry such as

        {target: mine/xx.txt, repository: unimorph/xxx, commit: <40 digits>, path: xxx, blob: <40 digits>}

    with `bytes` and `license` where they are known. Nothing is fetched without a digest to check it by.
    """
    for name in entry:
        check_choice(key, name, (*_PINNED, "bytes", "license"))
    pinned = {name: entry.get(name) for name in _PINNED}
    check_values(key, _PINNED, pinned)
    target, path = (str(PurePosixPath(pinned[name])) for name in ("target", "path"))
    known = source_of(target)
    if known is not None and known.blob != pinned["blob"]:
        raise BadValue(f"{key}.target", target, f"another path: this is that of a published file of {known.revision}")
    terms = str(entry.get("license") or UNKNOWN)
    return PinnedFile(
        target, pinned["repository"], pinned["commit"], path, pinned["blob"], entry.get("bytes"), target, terms
    )


@dataclass(frozen=True, slots=True)
class SourceNames:
    """Which files a command and its language name, and where they lie."""

    lang: Mapping[str, Any]
    """The settings of `lang=<code>`, with `code` and `made_from`."""
    made_from: Mapping[str, Any]
    """Of the command."""
    data_root: Callable[[], Path]
    """Returns the data folder of the language; called only if files in it are needed."""
    mirror: str | None
    """Where missing files are fetched from instead of their own addresses; None for those."""


def sources(names: SourceNames, kind: str, parts: Sequence[str] | None = None) -> list[Source]:
    """Returns the files of one kind: those that the command names, otherwise those of the language.

    A path of the language is one below the data folder; a missing file is fetched if it is published, or if its entry
    says where and with which digest (`own_file`). A path that the command names may be from the
    current folder, too. A folder stands for its published files, all of which are fetched; one without such for its
    treebanks (*.conllu) or trees (*.tsv), in the order of their names.

    Args:
        names: what is named.
        kind: one of `KINDS`.
        parts: what files of a folder are of, such as train and dev: others whose names end in a part are left out (and
            not fetched); None: none is. Files that are named themselves are read, whatever their part.

    Raises:
        Impossible: there are none for the language.
        PolyprobeError: a file is missing and cannot be fetched, or there is none in a folder.
    """
    entries, by_command = _named(names, kind)
    if not entries:
        raise Impossible(f"lang={names.lang['code']} names no {kind}. To name {KINDS[kind]}: made_from.{kind}=<file>.")
    return [source for entry in entries for source in _found(entry, by_command, names, kind, parts)]


def is_named(names: SourceNames, kind: str) -> bool:
    """Says whether the command or the language names files of a kind; the arguments are those of `sources`."""
    return bool(_named(names, kind)[0])


def one_source(names: SourceNames, kind: str) -> Source:
    """Returns the file of a kind of which there can be but one, see `sources`."""
    found = sources(names, kind)
    if len(found) > 1:
        raise BadValue(f"made_from.{kind}", [str(source.path) for source in found], "one file")
    return found[0]


def _named(names: SourceNames, kind: str) -> tuple[list[str | PinnedFile], bool]:
    """Returns what the command names, or else the language, and whether it was the command."""
    of_language = names.lang.get("made_from") or {}
    for name in of_language:
        check_choice("lang.made_from", name, KINDS)
    own = _entries(f"made_from.{kind}", names.made_from[kind])
    return own or _entries(f"lang.made_from.{kind}", of_language.get(kind)), bool(own)


def _entries(key: str, value: Any) -> list[str | PinnedFile]:
    listed = value if isinstance(value, list) else [] if value is None else [value]
    return [_entry(f"{key}.{number}" if isinstance(value, list) else key, one) for number, one in enumerate(listed)]


def _entry(key: str, value: Any) -> str | PinnedFile:
    if isinstance(value, Mapping):
        return own_file(key, value)
    if not isinstance(value, str) or not value:
        raise BadValue(key, value, "a path, a published file with its digest, a list of such, or null")
    return value


def _found(
    entry: str | PinnedFile, by_command: bool, names: SourceNames, kind: str, parts: Sequence[str] | None
) -> list[Source]:
    """Returns the files of an entry, with licence and revision where they are published ones that we know."""
    if isinstance(entry, PinnedFile):
        return [_described(entry, ensure_published(names.data_root(), entry, names.mirror))]
    if by_command and Path(entry).exists():
        path = Path(entry)
        return [Source(file) for file in _in_folder(path, kind, parts)] if path.is_dir() else [Source(path)]
    root = names.data_root()
    folder = f"{entry.rstrip('/')}/"
    published = [PurePosixPath(one) for one in available_targets(folder) if "/" not in one.removeprefix(folder)]
    if not published and (root / entry).is_dir():
        return [Source(file) for file in _in_folder(root / entry, kind, parts)]
    targets = map(str, _of_parts(entry, kind, parts, published)) if published else [entry]
    return [_described(source_of(target), ensure(root, target, names.mirror)) for target in targets]


def _described(published: PinnedFile | AssembledFile | None, path: Path) -> Source:
    """Says where a file is from, unless it is another one that lies in its place."""
    if published is None or blob_id(path) != published.blob:
        return Source(path)
    return Source(path, published.license, published.revision)


def _in_folder(folder: Path, kind: str, parts: Sequence[str] | None) -> list[Path]:
    names = _IN_FOLDERS.get(kind, ())
    files = sorted({file for name in names for file in folder.glob(name) if file.is_file()})
    if not files:
        expected = f"files such as {' or '.join(names)}" if names else "a file, not a folder"
        found = f"{folder} (made_from.{kind}) is a folder without a file to read"
        raise PolyprobeError(f"{found}. Expected {expected}.")
    return _of_parts(folder, kind, parts, files)


def _of_parts(
    folder: Path | str, kind: str, parts: Sequence[str] | None, files: Sequence[AnyPath]
) -> Sequence[AnyPath]:
    """Leaves out files of other parts."""
    last = {file: re.split(r"[-_.]", file.stem)[-1] for file in files}  # of fi_tdt-ud-train.conllu: train
    others = set(SPLITS).difference(SPLITS if parts is None else parts)
    chosen = [file for file in files if last[file] not in others]
    if not chosen:
        names = ", ".join(file.name for file in files)
        raise PolyprobeError(f"{folder} (made_from.{kind}) has {names}: none is of {' or '.join(parts)}.")
    return chosen
