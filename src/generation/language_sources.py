"""The files that tests of a language are made from: found, or fetched where they are missing."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from src.errors import BadValue, Impossible, PolyprobeError, check_choice
from src.generation.made_tests.sources import Source
from src.resources.download import blob_id, ensure
from src.resources.pinned_files import available_targets, source_of

KINDS: Mapping[str, str] = {
    "unimorph": "a table of UniMorph",
    "frequency": "a frequency list",
    "treebanks": "a treebank in CoNLL-U",
    "trees": "constituency trees",
    "syllables": "a lexicon with syllables",
}
"""What `made_from` of a language may name, in words."""
_IN_FOLDERS = {"treebanks": (".conllu",), "trees": (".tsv", ".mrg", ".ptb")}


def sources(config: Mapping[str, Any], data_root: Callable[[], Path], kind: str) -> list[Source]:
    """Returns the files of one kind: those that the command names, otherwise those of the language.

    A path of the language is one below the data folder; a missing file that is published is fetched. A path on the
    command line may be from the current folder, too. A folder stands for its published files, all of which are
    fetched; one without such for its treebanks (*.conllu) or trees (*.tsv, *.mrg, *.ptb), in the order of their names.

    Args:
        config: the resolved configuration of conf/generate.yaml, as plain values.
        data_root: returns the data folder of the language; called only if files in it are needed.
        kind: one of `KINDS`.

    Raises:
        Impossible: there are none for the language.
        PolyprobeError: a file is missing and cannot be fetched, or a folder is empty.
    """
    own = _paths(f"made_from.{kind}", config["made_from"][kind])
    targets = own or _of_language(config["lang"])[kind]
    if not targets:
        raise Impossible(
            f"lang={config['lang']['code']} names no {kind} in conf/lang. "
            f"To name {KINDS[kind]}: made_from.{kind}=<file>."
        )
    mirror = config["paths"]["mirror"]
    return [source for target in targets for source in _found(target, kind, bool(own), data_root, mirror)]


def one_source(config: Mapping[str, Any], data_root: Callable[[], Path], kind: str) -> Source:
    """Returns the file of a kind of which there can be but one, see `sources`.

    Raises:
        BadValue: several are named.
    """
    found = sources(config, data_root, kind)
    if len(found) > 1:
        raise BadValue(f"made_from.{kind}", [str(source.path) for source in found], "one file")
    return found[0]


def _of_language(lang: Mapping[str, Any]) -> dict[str, list[str]]:
    """Returns the paths of each kind; a language that says nothing has none."""
    named = lang.get("made_from") or {}
    for kind in named:
        check_choice("lang.made_from", kind, KINDS)
    return {kind: _paths(f"lang.made_from.{kind}", named.get(kind)) for kind in KINDS}


def _paths(key: str, value: Any) -> list[str]:
    paths = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(paths, list) or not all(isinstance(path, str) and path for path in paths):
        raise BadValue(key, value, "a path, a list of paths, or null")
    return paths


def _found(target: str, kind: str, is_own: bool, data_root: Callable[[], Path], mirror: str | None) -> list[Source]:
    """Returns the files of a path, with licence and revision where they are published ones that we know."""
    if is_own and Path(target).exists():
        path = Path(target)
        return [Source(file) for file in _in_folder(path, kind)] if path.is_dir() else [Source(path)]
    root = data_root()
    folder = f"{target.rstrip('/')}/"
    published = [one for one in available_targets(folder) if "/" not in one.removeprefix(folder)]
    if not published and (root / target).is_dir():
        return [Source(file) for file in _in_folder(root / target, kind)]
    return [_described(target, ensure(root, target, mirror)) for target in published or [target]]


def _described(target: str, path: Path) -> Source:
    known = source_of(target)
    is_published = known is not None and blob_id(path) == known.blob
    return Source(path, known.license, known.revision) if is_published else Source(path)


def _in_folder(folder: Path, kind: str) -> Sequence[Path]:
    endings = _IN_FOLDERS.get(kind, ())
    files = sorted(file for file in folder.iterdir() if file.suffix in endings and file.is_file())
    if not files:
        expected = f"files that end in {' or '.join(endings)}" if endings else "a file, not a folder"
        raise PolyprobeError(f"{folder} (made_from.{kind}) is a folder without a file to read. Expected {expected}.")
    return files
