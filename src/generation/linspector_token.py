"""Token-level probing tests of a language: `python generate.py suite=linspector_token lang=tr`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from src.errors import PolyprobeError
from src.formats.reading.malformed import handler_named
from src.generation.language_sources import is_named, sources
from src.generation.made_tests.sources import Source
from src.generation.tests_run import Making
from src.generation.token_level import make_token_level_tests
from src.generation.token_tests.token_level_options import TokenLevelOptions, token_options_of
from src.splits import SPLITS


def making(config: Mapping[str, Any], data_root: Callable[[], Path]) -> Making:
    """Reads how tests are to be made.

    Args:
        config: the resolved configuration of conf/generate.yaml, as plain values.
        data_root: returns the data folder of the language; called only if its files are read.

    Raises:
        PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
        Impossible: the language has no treebank.
    """
    options = _options(config)
    treebanks = _of_parts(sources(config, data_root, "treebanks"), options.parts, _folders(config))
    surface = sources(config, data_root, "surface") if is_named(config, "surface") else []
    on_malformed = handler_named(config["on_malformed"])
    return Making(
        {key: config[key] for key in ("rules", "tests", "token_level", "on_malformed")},
        [*treebanks, *surface],
        lambda folder: make_token_level_tests(treebanks, folder, options, config["tests"], on_malformed, surface),
    )


def _options(config: Mapping[str, Any]) -> TokenLevelOptions:
    """Joins the rules with the options that are set."""
    set_ones = {key: value for key, value in config["token_level"].items() if value is not None}
    decoding = {key: value for key, value in set_ones.pop("decoding").items() if value is not None}
    return token_options_of(config["rules"], config["lang"]["code"], config["seed"], **set_ones, decoding=decoding)


def _folders(config: Mapping[str, Any]) -> list[Path]:
    """Returns the paths of treebanks, by the command or the language, that may be folders."""
    named = config["made_from"]["treebanks"] or (config["lang"].get("made_from") or {}).get("treebanks")
    return [Path(entry) for entry in (named if isinstance(named, list) else [named]) if isinstance(entry, str)]


def _of_parts(treebanks: Sequence[Source], parts: Sequence[str], folders: Sequence[Path]) -> list[Source]:
    """Leaves out files of a folder whose names end in a part that is not asked for; files that are named stay.

    Raises:
        PolyprobeError: nothing is left.
    """
    chosen = [one for one in treebanks if _part(one.path) in (None, *parts) or not _is_in(one.path, folders)]
    if not chosen:
        names = ", ".join(str(source.path) for source in treebanks)
        what_to_do = "Name others: token_level.parts=[train,dev,test]"
        raise PolyprobeError(f"{names}: none is of {' or '.join(parts)} (token_level.parts). {what_to_do}")
    return chosen


def _is_in(path: Path, folders: Sequence[Path]) -> bool:
    """Says whether a file is in one of the folders, which may be named from the data folder on."""
    return any(path.parent == folder or (folder.name and path.parent.match(str(folder))) for folder in folders)


def _part(path: Path) -> str | None:
    return next((part for part in SPLITS if path.stem.endswith(part)), None)
