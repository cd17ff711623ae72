"""Type-level probing tests of a language: `python generate.py suite=linspector_type lang=tr`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from src.formats.reading.malformed import handler_named
from src.generation.language_sources import one_source, sources
from src.generation.made_tests.sources import Source
from src.generation.tests_run import Making
from src.generation.type_level import make_type_level_tests
from src.generation.type_tests.type_level_options import TypeLevelOptions, options_of


def making(config: Mapping[str, Any], data_root: Callable[[], Path]) -> Making:
    """Reads how tests are to be made.

    Args:
        config: the resolved configuration of conf/generate.yaml, as plain values.
        data_root: returns the data folder of the language; called only if its files are read.

    Raises:
        PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
        Impossible: the language has no lexicon.
    """
    options = _options(config)
    unimorph = sources(config, data_root, "unimorph")
    frequency = one_source(config, data_root, "frequency")
    schema = [] if options.decoding.own_schema is None else [Source(options.decoding.own_schema)]
    on_malformed = handler_named(config["on_malformed"], "on_malformed")
    return Making(
        {key: config[key] for key in ("rules", "tests", "type_level", "on_malformed")},
        [*unimorph, frequency, *schema],
        lambda folder: make_type_level_tests(unimorph, frequency, folder, options, config["tests"], on_malformed),
    )


def _options(config: Mapping[str, Any]) -> TypeLevelOptions:
    """Joins the rules with the options that are set."""
    set_ones = {key: value for key, value in config["type_level"].items() if value is not None}
    decoding = {key: value for key, value in set_ones.pop("decoding").items() if value is not None}
    return options_of(config["rules"], config["lang"]["code"], config["seed"], **set_ones, decoding=decoding)
