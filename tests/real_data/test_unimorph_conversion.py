"""Universal Dependencies as UniMorph, beside the released converter: the 150 most frequent analyses of 6 languages."""

import csv
from pathlib import Path

import pytest

from polyprobe.generation.token_tests.treebank_words import basic_labels, bundle_of, language_labels

pytestmark = pytest.mark.real_data


def test_all_900_cases_equal_the_released_converter_in_both_columns(data_folder: Path):
    with open(data_folder / "unimorph/ud/ud_to_um_cases.tsv", encoding="utf-8", newline="") as file:
        cases = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert len(cases) == 900
    assert sum(case["basic"] != case["language_specific"] for case in cases) == 247
    different = []
    for case in cases:
        basic = basic_labels(case["upos"], case["ufeats"])
        found = bundle_of(basic), bundle_of(language_labels(case["lang"], case["form"], basic))
        if found != (case["basic"], case["language_specific"]):
            different.append(
                (case["lang"], case["form"], case["ufeats"], found, case["basic"], case["language_specific"])
            )
    assert not different
