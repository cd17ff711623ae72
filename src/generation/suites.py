"""What can be made, and by what: suites of probing tests, text, and minimal sets of grammars.

`suite=sentences` makes sentence-level tests, `suite=lm_corpus` text for language models from texts of any origin.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from src.errors import Impossible, PolyprobeError, check_choice, check_flag
from src.formats.reading.case import case_rule
from src.formats.reading.malformed import handler_named
from src.generation import linspector_tests, pseudoword_tests
from src.generation.grammars.evaluation_sets import GrammarStudy
from src.generation.language_sources import one_source, sources
from src.generation.sentence_level import (
    CONSTITUENCY_TREES,
    AnalysedFiles,
    Analysis,
    dependency_trees,
    make_sentence_tests,
)
from src.generation.sentence_tests.labelled_sentences import ANALYSES, sentence_options
from src.generation.tests_run import Making, TestsStudy, check_choices, set_ones
from src.generation.text_corpora.gathered_text import corpus_options
from src.generation.text_corpora.prepared_corpus import prepare_corpus
from src.resources.data_root import data_root as root_of_language
from src.runs.command.overrides import refuse_idle
from src.runs.study import Study
from src.runs.workspace import Workspace

OF_GRAMMARS = ("capitalise", "end_of_sentence", "format", "check_vocabulary")
OF_TESTS = ("rules", "seed", "tests", "on_malformed", "made_from")


def sentence_tests(config: Mapping[str, Any], data_root: Callable[[], Path]) -> Making:
    """Reads how tests are to be made.

    Args:
        config: the resolved configuration of conf/generate.yaml, as plain values.
        data_root: returns the data folder of the language; called only if its files are read.

    Raises:
        PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
        Impossible: the language has no treebank; rules=released.
    """
    _check_rules(config["rules"])
    changes = set_ones(config["sentence_level"])
    analysis = _analysis(changes.pop("analysis", None) or _default_analysis(config), config)
    options = sentence_options(analysis.name, config["seed"], **changes)
    analysed = sources(config, data_root, analysis.name)
    frequency = one_source(config, data_root, "frequency") if options.frequency == "list" else None
    files = AnalysedFiles(analysed, analysis, frequency)
    on_malformed = handler_named(config["on_malformed"], "on_malformed")
    return Making(
        {
            "analysis": analysis.name,
            **{key: config[key] for key in ("tests", "sentence_level", "on_malformed", "dotless_i")},
        },
        [*analysed, *([frequency] if frequency else [])],
        lambda folder: make_sentence_tests(files, folder, options, config["tests"], on_malformed),
        on_malformed,
    )


def _check_rules(rules: str) -> None:
    """Checks that tests are to be made by the rules of the articles: no program that makes such tests was released."""
    check_choice("rules", rules, ("article", "released"))
    if rules == "released":
        raise Impossible(
            "suite=sentences has no rules=released: SentEval and RuSentEval released tests, and no program that makes "
            "them. Expected rules=article; single rules are options of sentence_level."
        )


def _default_analysis(config: Mapping[str, Any]) -> str:
    """Names the analysis of the files that the command names, otherwise of those of the language: trees first."""
    for named in (config["made_from"], config["lang"].get("made_from") or {}):
        for analysis in ANALYSES:
            if named.get(analysis):
                return analysis
    return "treebanks"


def _analysis(name: str, config: Mapping[str, Any]) -> Analysis:
    check_choice("sentence_level.analysis", name, ANALYSES)
    if name == "trees":
        return CONSTITUENCY_TREES
    check_flag("dotless_i", config["dotless_i"])
    return dependency_trees(config["lang"]["code"], case_rule(True, config["dotless_i"]))


def lm_corpus(config: Mapping[str, Any], data_root: Callable[[], Path]) -> Making:
    """Reads how a corpus is to be prepared.

    Args:
        config: the resolved configuration of conf/generate.yaml, as plain values.
        data_root: returns the data folder of the language; called only if its files are read.

    Raises:
        PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
        Impossible: neither the command nor the language names texts.
    """
    for key, untouched in (("tests", None), ("rules", "article")):
        if config[key] != untouched:
            raise PolyprobeError(f"{key}={config[key]} has no effect on suite=lm_corpus, which makes one corpus.")
    options = corpus_options(config["lang"]["code"], config["seed"], config["lm_corpus"])
    texts = sources(config, data_root, "texts")
    on_malformed = handler_named(config["on_malformed"], "on_malformed")
    return Making(
        {key: config[key] for key in ("lm_corpus", "on_malformed")},
        texts,
        lambda folder: prepare_corpus(texts, folder, options, on_malformed),
        on_malformed,
    )


MAKERS: Mapping[str, Callable[[Mapping[str, Any], Callable[[], Path]], Making]] = {
    "linspector_type": linspector_tests.type_level,
    "sentences": sentence_tests,
    "linspector_token": linspector_tests.token_level,
    "pseudowords": pseudoword_tests.making,
    "lm_corpus": lm_corpus,
}


def study_of(config: Mapping[str, Any], words_of_run: Callable[[Path], Collection[str]]) -> Study:
    """Returns what a configuration asks: tests or text by their maker, else minimal sets of grammars.

    Args:
        config: the resolved configuration of conf/generate.yaml, as plain values.
        words_of_run: returns the vocabulary of the model of a run; called only if one is to be checked.

    Raises:
        PolyprobeError: there is a fault in an option or in a file.
    """

    def root() -> Path:
        return root_of_language(config["lang"], Workspace.of(config["paths"]))

    maker = MAKERS.get(config["choices"]["suite"])
    if maker is None:
        return GrammarStudy(config, root, words_of_run)
    check_choices(config)
    return TestsStudy(config, maker(config, root))


def check_effect(config: Mapping[str, Any], typed: Sequence[str]) -> None:
    """Checks that the keys typed on the command line are about what is made.

    Groups of keys such as `type_level` may be those of another suite: a sweep over suites has several.

    Args:
        config: the resolved configuration of conf/generate.yaml.
        typed: as typed, "capitalise=true".

    Raises:
        PolyprobeError: a key has no effect.
    """
    suite = config["choices"]["suite"]
    keys, made = OF_TESTS, "minimal sets from grammars"
    if suite in MAKERS:
        keys, made = OF_GRAMMARS, "tests or text, without grammars"
    refuse_idle(typed, dict.fromkeys(keys, f": suite={suite} makes {made}. Leave it out."))
