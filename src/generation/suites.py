"""What can be made, and by what: suites of probing tests, text, and minimal sets of grammars.

`suite=sentences` makes sentence-level tests, `suite=lm_corpus` text for language models from texts of any origin.
"""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from polyprobe.errors import Impossible, PolyprobeError, check_choice
from polyprobe.formats.reading.case import case_rule
from polyprobe.formats.reading.malformed import handler_named
from polyprobe.generation import linspector_tests, pseudoword_tests
from polyprobe.generation.grammars.evaluation_sets import GrammarSettings, GrammarStudy
from polyprobe.generation.language_sources import one_source, sources
from polyprobe.generation.sentence_level import (
    CONSTITUENCY_TREES,
    AnalysedFiles,
    Analysis,
    dependency_trees,
    make_sentence_tests,
)
from polyprobe.generation.sentence_tests.labelled_sentences import ANALYSES, sentence_options
from polyprobe.generation.tests_run import Making, MakingSettings, TestsStudy
from polyprobe.generation.text_corpora.gathered_text import corpus_options
from polyprobe.generation.text_corpora.prepared_corpus import prepare_corpus
from polyprobe.runs.study import Study


def sentence_tests(settings: MakingSettings) -> Making:
    """Reads how tests are to be made.

    Raises:
        PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
        Impossible: the language has no treebank; rules=released.
    """
    _check_rules(settings.rules)
    changes = settings.changes("sentence_level")
    analysis = _analysis(changes.pop("analysis", None) or _default_analysis(settings), settings)
    options = sentence_options(analysis.name, settings.seed, **changes)
    analysed = sources(settings.files, analysis.name)
    frequency = one_source(settings.files, "frequency") if options.frequency == "list" else None
    files = AnalysedFiles(analysed, analysis, frequency)
    on_malformed = handler_named(settings.on_malformed, "on_malformed")
    return Making(
        {
            "analysis": analysis.name,
            **settings.known_by("tests", "sentence_level", "on_malformed", "dotless_i"),
        },
        [*analysed, *([frequency] if frequency else [])],
        lambda folder: make_sentence_tests(files, folder, options, settings.tests, on_malformed),
        on_malformed,
    )


def _check_rules(rules: str) -> None:
    """Checks that tests are to be made by the rules of the articles: no program that makes such tests was released."""
    check_choice("rules", rules, ("article", "released"))
    if rules == "released":
        raise Impossible(
            "suite=sentences has no rules=released: SentEval and RuSentEval released tests, but not "
            "the code that generates them. Expected rules=article; single rules are options of sentence_level."
        )


def _default_analysis(settings: MakingSettings) -> str:
    """Names the analysis of the files that the command names, otherwise of those of the language: trees first."""
    for named in (settings.files.made_from, settings.lang.get("made_from") or {}):
        for analysis in ANALYSES:
            if named.get(analysis):
                return analysis
    return "treebanks"


def _analysis(name: str, settings: MakingSettings) -> Analysis:
    check_choice("sentence_level.analysis", name, ANALYSES)
    if name == "trees":
        return CONSTITUENCY_TREES
    return dependency_trees(settings.language, case_rule(True, settings.dotless_i))


def lm_corpus(settings: MakingSettings) -> Making:
    """Reads how a corpus is to be prepared.

    Raises:
        PolyprobeError: there is a fault in an option, or a file is missing and cannot be fetched.
        Impossible: neither the command nor the language names texts.
    """
    for key, untouched in (("tests", None), ("rules", "article")):
        if (value := getattr(settings, key)) != untouched:
            raise PolyprobeError(f"{key}={value} has no effect on suite=lm_corpus, which makes one corpus.")
    options = corpus_options(settings.language, settings.seed, settings.options["lm_corpus"])
    texts = sources(settings.files, "texts")
    on_malformed = handler_named(settings.on_malformed, "on_malformed")
    return Making(
        settings.known_by("lm_corpus", "on_malformed"),
        texts,
        lambda folder: prepare_corpus(texts, folder, options, on_malformed),
        on_malformed,
    )


MAKERS: Mapping[str, Callable[[MakingSettings], Making]] = {
    "linspector_type": linspector_tests.type_level,
    "sentences": sentence_tests,
    "linspector_token": linspector_tests.token_level,
    "pseudowords": pseudoword_tests.making,
    "lm_corpus": lm_corpus,
}


def study_of(settings: MakingSettings | GrammarSettings, words_of_run: Callable[[Path], Collection[str]]) -> Study:
    """Returns what is asked: tests or text by their maker, or minimal sets of grammars.

    Args:
        words_of_run: returns the vocabulary of the model of a run; called only if one is to be checked.

    Raises:
        PolyprobeError: there is a fault in an option or in a file.
    """
    if isinstance(settings, GrammarSettings):
        return GrammarStudy(settings, words_of_run)
    return TestsStudy(settings, MAKERS[settings.suite.name](settings))
