import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.probing.suites.chosen import chosen_set_files, chosen_suite, has_minimal_sets
from polyprobe.runs.names.conf_folders import choice_settings


def test_minimal_sets_are_no_suite_for_probes():
    with pytest.raises(PolyprobeError, match=r"suite=clams has minimal sets.*python probe\.py suite=clams predictor="):
        chosen_suite(choice_settings("suite", "clams"))


def test_tests_for_probes_score_no_language_model():
    with pytest.raises(PolyprobeError, match=r"suite=senteval has tests to train probes on.*Expected suite=clams"):
        chosen_set_files(choice_settings("suite", "senteval"))


@pytest.mark.parametrize(("suite", "expected"), [("clams", True), ("blimp", True), ("senteval", False)])
def test_a_suite_says_whether_it_has_minimal_sets(suite, expected):
    assert has_minimal_sets(choice_settings("suite", suite)) == expected


def test_a_suite_that_is_made_says_how_it_is_made_and_probed():
    settings = {
        "_target_": "polyprobe.probing.suites.chosen.refuse_to_probe",
        "name": "sentences",
        "format": "senteval",
        "level": "sentence",
        "lowercase": False,
    }
    with pytest.raises(PolyprobeError, match=r"generate.py suite=sentences lang=.*suite=own suite.path=.*senteval"):
        chosen_suite(settings)
