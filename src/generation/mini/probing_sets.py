"""Probing sets of the miniature Turkish that are made from its files like those of any language.

In the manner of LINSPECTOR, by the article's rules, with the sizes and tests of `data/probing_sets.yaml`. Type level:
splits share no lemma, and Possession has no class of the possessor 3.pl, for each of its forms has other readings
(evleri is also plural with 3.sg). Token level: splits share no sentence.

In the manner of SentEval, from constituency trees: TopConst, ObjNum, SOMO and CoordInv. The other tests of SentEval are
made in `src/generation/mini/sentence_sets.py`. ObjNum is the smallest: an object has its number in most sentences, but
plural ones are few, and no form of a noun stands in two splits.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from src.formats.reading.malformed import refuse
from src.generation.made_tests.outcomes import LeftOut, Written
from src.generation.made_tests.sources import Source
from src.generation.mini.data_files import LANGUAGE, probing_settings
from src.generation.sentence_level import CONSTITUENCY_TREES, AnalysedFiles, make_sentence_tests
from src.generation.sentence_tests.sentence_options import sentence_options
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


def write_tree_level_sets(trees: Source, folder: Path, seed: int) -> None:
    """Writes a file for each test beside those that are there, and `about/`, from constituency trees."""
    settings = probing_settings()["tree"]
    changes = {"items": probing_settings()["rows"], "sizes": "scaled", **settings["options"]}
    options, files = (
        sentence_options(CONSTITUENCY_TREES.name, seed, **changes),
        AnalysedFiles([trees], CONSTITUENCY_TREES),
    )
    _check_all_written(make_sentence_tests(files, folder, options, list(settings["tests"]), refuse))
    for test, name in settings["tests"].items():
        (folder / f"{test}.txt").rename(folder / f"{name}.txt")


def _check_all_written(tests: Iterable[Written | LeftOut]) -> None:
    for test in tests:
        assert isinstance(test, Written), test
