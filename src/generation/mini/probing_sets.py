"""Probing sets of the miniature Turkish in the manner of LINSPECTOR, made from its files like those of any language.

By the article's rules, with the sizes and tests of `data/probing_sets.yaml`. Type level: splits share no lemma, and
Possession has no class of the possessor 3.pl, for each of its forms has other readings (evleri is also plural with
3.sg). Token level: splits share no sentence.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from src.formats.reading.malformed import refuse
from src.generation.made_tests.outcomes import LeftOut, Written
from src.generation.made_tests.sources import Source
from src.generation.mini.data_files import LANGUAGE, probing_settings
from src.generation.token_level import TokenSources, make_token_level_tests
from src.generation.token_tests.token_level_options import token_options_of
from src.generation.type_level import make_type_level_tests
from src.generation.type_tests.type_level_options import options_of

_RULES = "article"
_SET_BY_LANGUAGE = {"dotless_i": True}  # as in conf/lang/mini.yaml


def write_type_level_sets(unimorph: Source, frequency: Source, folder: Path, seed: int) -> None:
    """Writes a folder for each test, from an inflection table and a frequency list."""
    items, settings = probing_settings()["rows"], probing_settings()["type"]
    changes = {"items": items, "same_feature_sample": settings["same_feature_sample"]}
    for balance, tests in settings["tests"].items():
        options = options_of(_RULES, LANGUAGE, seed, _SET_BY_LANGUAGE, balance=balance, **changes)
        _check_all_written(make_type_level_tests([unimorph], frequency, folder, options, tests, refuse))


def write_token_level_sets(treebanks: Sequence[Source], folder: Path, seed: int) -> None:
    """Writes a folder for each test, from sentences with UniMorph bundles; where tokens are few, a smaller one."""
    settings = probing_settings()
    changes = {"items": settings["rows"], "sizes": "scaled", "labels": "unimorph"}
    options = token_options_of(_RULES, LANGUAGE, seed, _SET_BY_LANGUAGE, **changes)
    tests = settings["token"]["tests"]
    _check_all_written(make_token_level_tests(TokenSources(treebanks), folder, options, tests, refuse))


def _check_all_written(tests: Iterable[Written | LeftOut]) -> None:
    for test in tests:
        assert isinstance(test, Written), test
