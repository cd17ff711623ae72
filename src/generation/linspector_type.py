"""Type-level probing tests of a language: `python generate.py suite=linspector_type lang=tr`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from src.errors import PolyprobeError
from src.formats.reading.malformed import handler_named
from src.generation.made_tests.sources import Source
from src.generation.tests_run import Making
from src.generation.type_level import make_type_level_tests
from src.generation.type_tests.type_level_options import TypeLevelOptions, language_rules, options_of
from src.resources.pinned_files import source_of


def making(config: Mapping[str, Any], data_root: Callable[[], Path]) -> Making:
    """Reads how tests are to be made.

    Args:
        config: the resolved configuration of conf/generate.yaml, as plain values.
        data_root: returns the data folder of the language; called only if its files are read.

    Raises:
        PolyprobeError: there is a fault in an option, or a file of the lexicon is missing.
    """
    options = _options(config)
    unimorph, frequency = _sources(config, data_root)
    on_malformed = handler_named(config["on_malformed"])
    return Making(
        {key: config[key] for key in ("rules", "tests", "type_level", "on_malformed")},
        [*unimorph, frequency],
        lambda folder: make_type_level_tests(unimorph, frequency, folder, options, config["tests"], on_malformed),
    )


def _options(config: Mapping[str, Any]) -> TypeLevelOptions:
    """Joins the rules with the options that are set."""
    set_ones = {key: value for key, value in config["type_level"].items() if value is not None}
    decoding = {key: value for key, value in set_ones.pop("decoding").items() if value is not None}
    return options_of(config["rules"], config["lang"]["code"], config["seed"], **set_ones, decoding=decoding)


def _sources(config: Mapping[str, Any], data_root: Callable[[], Path]) -> tuple[list[Source], Source]:
    """Finds the files of the lexicon, with licence and revision where they are published files that we know."""
    language, lexicon = config["lang"]["code"], config["lexicon"]
    own = lexicon["unimorph"]
    if own is not None:
        unimorph = [Source(Path(path)) for path in ([own] if isinstance(own, str) else own)]
    elif targets := language_rules(language, config["rules"]).unimorph:
        unimorph = [_published(data_root(), target) for target in targets]
    else:
        raise PolyprobeError(f"lang={language} has no UniMorph table. Name one: lexicon.unimorph=<a table of UniMorph>")
    own = lexicon["frequency"]
    frequency = Source(Path(own)) if own is not None else _published(data_root(), f"frequency/{language}.txt")
    for key, source in [*(("unimorph", one) for one in unimorph), ("frequency", frequency)]:
        if not source.path.is_file():
            raise PolyprobeError(f"{source.path} is not there. Expected a file; to name another: lexicon.{key}=<file>.")
    return unimorph, frequency


def _published(root: Path, target: str) -> Source:
    known = source_of(target)
    if known is None:
        return Source(root / target)
    return Source(root / target, known.license, f"{known.repository} {known.commit}")
