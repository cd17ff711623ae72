"""Pseudowords and their probing test: `python generate.py suite=pseudowords lang=tr`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from src.errors import Impossible, check_flag
from src.formats.reading.malformed import handler_named
from src.generation.language_sources import is_named, one_source
from src.generation.made_tests.sources import Source
from src.generation.pseudo_tests.pseudo_options import PseudoOptions, pseudo_options
from src.generation.pseudo_tests.pseudo_test import make_pseudo_test
from src.generation.tests_run import Making, set_ones


def making(config: Mapping[str, Any], data_root: Callable[[], Path]) -> Making:
    """Reads how pseudowords and their test are to be made.

    Args:
        config: the resolved configuration of conf/generate.yaml, as plain values.
        data_root: returns the data folder of the language; called only if its files are read.

    Raises:
        PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
        Impossible: the language has neither a lexicon with syllables nor a frequency list.
    """
    options = _options(config)
    syllables, frequency = _if_named(config, data_root, "syllables"), _if_named(config, data_root, "frequency")
    if syllables is None and frequency is None:
        raise Impossible(
            f"lang={config['lang']['code']} names neither syllables nor frequency in conf/lang. To name a lexicon with "
            "syllables: made_from.syllables=<file>; a list of words that get syllables: made_from.frequency=<file>."
        )
    on_malformed = handler_named(config["on_malformed"], "on_malformed")
    return Making(
        {key: config[key] for key in ("rules", "tests", "pseudowords", "on_malformed", "dotless_i")},
        [source for source in (syllables, frequency) if source is not None],
        lambda folder: make_pseudo_test(syllables, frequency, folder, options, config["tests"], on_malformed),
        on_malformed,
    )


def _options(config: Mapping[str, Any]) -> PseudoOptions:
    """Joins the rules with the options that are set."""
    check_flag("dotless_i", config["dotless_i"])
    language, changes = config["lang"]["code"], set_ones(config["pseudowords"])
    return pseudo_options(config["rules"], language, config["dotless_i"], config["seed"], **changes)


def _if_named(config: Mapping[str, Any], data_root: Callable[[], Path], kind: str) -> Source | None:
    return one_source(config, data_root, kind) if is_named(config, kind) else None
