"""Sentence-level tests from UD treebanks, made from the files at hand.

What rules take and how many sentences are left is worked out nowhere else: the figures hold what
docs/sentence_tests.md tells the user, and whoever changes a rule changes both.
"""

from pathlib import Path

import pytest

from polyprobe.formats.reading.malformed import Refused
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.maker import Written
from polyprobe.generation.sentence_level import SentenceTests, dependency_trees
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options

pytestmark = pytest.mark.real_data

RUSSIAN = {
    "SentLen": {str(label): 910 // 6 + (label < 910 % 6) for label in range(6)},
    "NShift": {"I": 945, "O": 945},
    "Tense": {"PAST": 455, "PRES": 455},
    "Aspect": {"IMPERF": 700, "PERF": 700},
    "SubjNumber": {"NN": 175, "NNS": 175},
    "SubjGender": {"F": 70, "M": 70, "N": 70},
    "ObjNumber": {"NN": 105, "NNS": 105},
    "ConjType": {"CCONJ": 105, "SCONJ": 105},
}
FINNISH = {
    "NShift": {"I": 420, "O": 420},
    "Tense": {"PAST": 245, "PRES": 245},
    "Voice": {"ACT": 140, "PASS": 140},
    "SubjNumber": {"NN": 105, "NNS": 105},
    "ObjNumber": {"NN": 105, "NNS": 105},
    "ImpersonalSent": {"0": 105, "1": 105},
}
TAKEN = {  # from Russian Taiga, of 4,964 sentences; of Finnish TDT at hand, of 2,919
    ("ru", "Tense"): [1107, 12, 1922, 0, 53, 0, 213, 357],
    ("ru", "SubjNumber"): [1107, 12, 2699, 0, 12, 0, 127, 507],
    ("ru", "NShift"): [1107, 12, 809, 0, 336],
    ("ru", "ConjType"): [1107, 12, 3267, 0, 0, 278],
    ("fi", "Voice"): [453, 4, 786, 0, 12, 0, 209, 1055],
    ("fi", "ImpersonalSent"): [453, 4, 591, 0, 0, 1571],
}


@pytest.mark.parametrize(
    ("language", "treebank", "labels", "left_out"),
    [
        ("ru", "ru_taiga", RUSSIAN, {"Voice", "ObjGender", "ImpersonalSent"}),
        ("fi", "fi_tdt", FINNISH, {"Aspect", "SubjGender", "ObjGender", "ConjType"}),
    ],
)
def test_a_treebank_has_the_tests_that_its_features_and_size_allow(
    data_folder: Path, tmp_path: Path, language, treebank, labels, left_out
):
    sources = [Source(path) for path in sorted((data_folder / "ud" / treebank).glob("*.conllu"))]
    analysis, options = dependency_trees(language, "unicode"), sentence_options("treebanks", 1)
    outcomes = list(SentenceTests(options, {"treebanks": sources}, Refused(), analysis).make(tmp_path, None))
    made = {one.name: one.statistics for one in outcomes if isinstance(one, Written)}
    assert {one.name for one in outcomes} - set(made) == left_out
    assert {test: dict(sorted(made[test]["labels"]["train"].items())) for test in labels} == labels
    for (of_language, test), taken in TAKEN.items():
        if of_language == language:
            assert [step["taken"] for step in made[test]["filters"]] == taken
