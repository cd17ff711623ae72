"""Token-level probing tests of a language: `python generate.py suite=linspector_token lang=tr`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from src.formats.reading.malformed import handler_named
from src.generation.language_sources import is_named, sources
from src.generation.made_tests.sources import Source
from src.generation.tests_run import Making
from src.generation.token_level import make_token_level_tests
from src.generation.token_tests.token_level_options import TokenLevelOptions, token_options_of


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
    treebanks = sources(config, data_root, "treebanks", options.parts)
    surface = sources(config, data_root, "surface") if is_named(config, "surface") else []
    schema = [] if options.decoding.own_schema is None else [Source(options.decoding.own_schema)]
    on_malformed = handler_named(config["on_malformed"], "on_malformed")
    return Making(
        {key: config[key] for key in ("rules", "tests", "token_level", "on_malformed")},
        [*treebanks, *surface, *schema],
        lambda folder: make_token_level_tests(treebanks, folder, options, config["tests"], on_malformed, surface),
    )


def _options(config: Mapping[str, Any]) -> TokenLevelOptions:
    """Joins the rules with the options that are set."""
    set_ones = {key: value for key, value in config["token_level"].items() if value is not None}
    decoding = {key: value for key, value in set_ones.pop("decoding").items() if value is not None}
    return token_options_of(config["rules"], config["lang"]["code"], config["seed"], **set_ones, decoding=decoding)
