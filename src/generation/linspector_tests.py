"""LINSPECTOR's probing tests: `python generate.py suite=linspector_type lang=tr`, `suite=linspector_token`.

Both functions read how tests are to be made from the resolved configuration of conf/generate.yaml, as plain values;
`data_root` returns the data folder of the language and is called only if its files are read.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from src.formats.reading.malformed import handler_named
from src.generation.language_sources import is_named, one_source, sources
from src.generation.made_tests.language_rules import set_by_language
from src.generation.made_tests.sources import Source
from src.generation.tests_run import Making, set_ones
from src.generation.token_level import TokenSources, make_token_level_tests
from src.generation.token_tests.token_level_options import token_options_of
from src.generation.type_level import make_type_level_tests
from src.generation.type_tests.definitions import violations
from src.generation.type_tests.type_level_options import TypeLevelOptions, options_of
from src.generation.unimorph.decoding import Decisions

# Options of type-level tests that came later, as all earlier sets were made: with these a run keeps its name.
_LATER_OPTIONS = {"unknown_codes": "passed_over", "repeated_pairs": "kept"}
_UNTAGGED_EARLIER = {"Possession"}


def type_level(config: Mapping[str, Any], data_root: Callable[[], Path]) -> Making:
    """Reads how type-level tests are to be made.

    Raises:
        PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
        Impossible: the language has no lexicon.
    """
    changes = _changes(config["type_level"])
    options = options_of(config["rules"], config["lang"]["code"], config["seed"], set_by_language(config), **changes)
    unimorph, frequency = sources(config, data_root, "unimorph"), one_source(config, data_root, "frequency")
    on_malformed = handler_named(config["on_malformed"], "on_malformed")

    def check(folder: Path, tests: Iterable[str]) -> dict[str, dict[str, Any]]:
        found = violations(folder, tests, [source.path for source in unimorph], options)
        return {test: dataclasses.asdict(of_test) for test, of_test in found.items()}

    return Making(
        _type_settings(config, options),
        [*unimorph, frequency, *_own_schema(options.decoding)],
        lambda folder: make_type_level_tests(unimorph, frequency, folder, options, config["tests"], on_malformed),
        on_malformed,
        check,
    )


def token_level(config: Mapping[str, Any], data_root: Callable[[], Path]) -> Making:
    """Reads how token-level tests are to be made.

    Raises:
        PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
        Impossible: the language has no treebank.
    """
    changes = _changes(config["token_level"])
    options = token_options_of(
        config["rules"], config["lang"]["code"], config["seed"], set_by_language(config), **changes
    )
    treebanks = sources(config, data_root, "treebanks", options.parts)
    surface = sources(config, data_root, "surface") if is_named(config, "surface") else []
    frequency = one_source(config, data_root, "frequency") if is_named(config, "frequency") else None
    made_from = TokenSources(treebanks, surface, frequency)
    on_malformed = handler_named(config["on_malformed"], "on_malformed")
    return Making(
        _settings(config, "token_level"),
        [*made_from.files, *_own_schema(options.decoding)],
        lambda folder: make_token_level_tests(made_from, folder, options, config["tests"], on_malformed),
        on_malformed,
    )


def _changes(group: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the configuration changes of the rules."""
    return {**set_ones(group), "decoding": set_ones(group["decoding"])}


def _settings(config: Mapping[str, Any], level: str) -> dict[str, Any]:
    settings = {key: config[key] for key in ("rules", "tests", level, "on_malformed")}
    return {**settings, "set_by_language": set_by_language(config)}


def _type_settings(config: Mapping[str, Any], options: TypeLevelOptions) -> dict[str, Any]:
    """Returns what can change a test; later options count where they make other sets than earlier versions did."""
    settings = _settings(config, "type_level")
    kept = {key: value for key, value in settings["type_level"].items() if key not in _LATER_OPTIONS}
    made = {key: getattr(options, key) for key in _LATER_OPTIONS if getattr(options, key) != _LATER_OPTIONS[key]}
    if not _UNTAGGED_EARLIER.issuperset(options.untagged):
        made["untagged"] = [*options.untagged]
    return {**settings, "type_level": {**kept, **made}}


def _own_schema(decoding: Decisions) -> list[Source]:
    return [] if decoding.own_schema is None else [Source(decoding.own_schema)]
