"""The tests that are made from UD treebanks."""

from collections.abc import Callable, Mapping

import numpy as np

from src.generation.made_tests.outcomes import TooFew
from src.generation.sentence_tests.from_dependencies.clause_types import conjunction_type, impersonality
from src.generation.sentence_tests.from_dependencies.dependency_rules import DependencyRules
from src.generation.sentence_tests.from_dependencies.main_clause_words import (
    argument_target,
    aspect_target,
    found_targets,
    marked_voice_target,
    marks_active,
    marks_passive,
    tense_target,
    voice_target,
)
from src.generation.sentence_tests.from_dependencies.neighbour_shift import found_shifts
from src.generation.sentence_tests.from_dependencies.sieves import Sieved, with_common_labels
from src.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence
from src.generation.sentence_tests.labelled_sentences import Corpus, Found, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions

_Corpus = Corpus[TreebankSentence]
_Find = Callable[[_Corpus, SentenceOptions, np.random.Generator], Found]
_ARGUMENTS = {
    "SubjNumber": ("nsubj", "Number"),
    "SubjGender": ("nsubj", "Gender"),
    "ObjNumber": ("obj", "Number"),
    "ObjGender": ("obj", "Gender"),
}


def dependency_tests(rules: DependencyRules) -> tuple[SentenceTest, ...]:
    """Returns the tests of UD treebanks that no other treebanks have.

    Args:
        rules: of the language.
    """
    finders: Mapping[str, _Find] = {
        "NShift": lambda corpus, _, generator: found_shifts(corpus, rules.shifts, generator),
        "Tense": lambda corpus, options, _: _tense(corpus, options, rules),
        "Voice": lambda corpus, options, _: _voice(corpus, options, rules),
        "Aspect": lambda corpus, options, _: _aspect(corpus, options, rules),
        **{test: _argument_finder(test, rules) for test in _ARGUMENTS},
        "ConjType": lambda corpus, options, _: _conjunction_type(corpus, options, rules),
        "ImpersonalSent": lambda corpus, options, _: _impersonality(corpus, options, rules),
    }
    return tuple(SentenceTest(name, find, "equal") for name, find in finders.items())


def _tense(corpus: _Corpus, options: SentenceOptions, rules: DependencyRules) -> Found:
    labels = rules.labels["tense"]
    return found_targets(corpus, "Tense", lambda one: tense_target(one, labels), options, rules)


def _aspect(corpus: _Corpus, options: SentenceOptions, rules: DependencyRules) -> Found:
    labels = rules.labels["aspect"]
    return found_targets(corpus, "Aspect", lambda one: aspect_target(one, labels), options, rules)


def _voice(corpus: _Corpus, options: SentenceOptions, rules: DependencyRules) -> Found:
    labels = rules.labels["voice"]
    if not marks_passive(corpus):
        raise TooFew("Voice: no word of the treebank has Voice=Pass or the relation aux:pass.")
    target = marked_voice_target if marks_active(corpus) else voice_target
    return found_targets(corpus, "Voice", lambda one: target(one, labels), options, rules)


def _argument_finder(test: str, rules: DependencyRules) -> _Find:
    relation, feature = _ARGUMENTS[test]
    labels = rules.labels[feature.lower()]

    def find(corpus: _Corpus, options: SentenceOptions, _: np.random.Generator) -> Found:
        return found_targets(corpus, test, lambda one: argument_target(one, relation, feature, labels), options, rules)

    return find


def _conjunction_type(corpus: _Corpus, options: SentenceOptions, rules: DependencyRules) -> Found:
    labelled = Sieved(corpus.sentences).turned_by(
        "no conjunction that joins clauses, or both kinds", lambda one: conjunction_type(one, rules.clause_links)
    )
    return with_common_labels(labelled, "ConjType", options.least_label_share)


def _impersonality(corpus: _Corpus, options: SentenceOptions, rules: DependencyRules) -> Found:
    if not rules.impersonal:
        raise TooFew("ImpersonalSent: there are no rules for the language (dependency_rules.yaml: impersonal).")
    labelled = Sieved(corpus.sentences).turned_by(
        "no subject, and not surely impersonal", lambda one: impersonality(one, rules.impersonal)
    )
    return with_common_labels(labelled, "ImpersonalSent", options.least_label_share)
