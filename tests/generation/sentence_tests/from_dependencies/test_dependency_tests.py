import numpy as np
import pytest

from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.sentence_tests.from_dependencies.clause_types import dependency_rules
from polyprobe.generation.sentence_tests.from_dependencies.dependency_tests import dependency_tests
from tests.generation.sentence_tests.from_dependencies.small_treebanks import corpus_from, options_with

ACTIVE = "{} x VERB {} 0 root"


def found(corpus, test, language):
    finder = next(one for one in dependency_tests(dependency_rules(language)) if one.name == test)
    return finder.find(corpus, options_with(), np.random.default_rng(1))


def test_verbs_without_voice_are_active_where_no_active_is_annotated(tmp_path):
    rows = [ACTIVE.format("a", "_"), ACTIVE.format("b", "Voice=Pass")]
    assert [one.label for one in found(corpus_from(tmp_path, *rows), "Voice", "tr").sentences] == ["ACT", "PASS"]
    rows.append(ACTIVE.format("c", "Voice=Act"))
    assert [one.targets for one in found(corpus_from(tmp_path, *rows), "Voice", "tr").sentences] == [("b",), ("c",)]


def test_a_treebank_that_marks_no_passive_has_no_voice(tmp_path):
    with pytest.raises(TooFew, match="aux:pass"):
        found(corpus_from(tmp_path, ACTIVE.format("a", "_")), "Voice", "es")


def test_a_language_without_rules_has_no_impersonal_sentences(tmp_path):
    with pytest.raises(TooFew, match="no rules for the language"):
        found(corpus_from(tmp_path, ACTIVE.format("a", "_")), "ImpersonalSent", "de")


def test_genders_and_numbers_of_subjects_and_objects_are_tests_of_their_own(tmp_path):
    rows = "{} x NOUN Gender={}|Number={} 2 {}\nsieht sehen VERB _ 0 root"
    corpus = corpus_from(
        tmp_path,
        rows.format("a", "Masc", "Sing", "nsubj"),
        rows.format("b", "Fem", "Plur", "nsubj"),
        rows.format("c", "Neut", "Sing", "obj"),
        rows.format("d", "Fem", "Plur", "obj"),
    )
    tests = ("SubjNumber", "SubjGender", "ObjNumber", "ObjGender")
    assert {test: [one.label for one in found(corpus, test, "de").sentences] for test in tests} == {
        "SubjNumber": ["NN", "NNS"],
        "SubjGender": ["M", "F"],
        "ObjNumber": ["NN", "NNS"],
        "ObjGender": ["N", "F"],
    }
