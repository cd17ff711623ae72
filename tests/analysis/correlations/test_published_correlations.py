"""Correlations of published scores (LINSPECTOR, Tables 9 and 10), and the claims of its section 6.1."""

import csv
from pathlib import Path

import pytest
import yaml

from src.analysis.correlations.claims import look_at
from src.analysis.correlations.coefficients import correlations
from src.analysis.correlations.encoder_scores import read_scores
from src.runs.command.script import CONF

PUBLISHED = Path(__file__).parent / "published"
REFUTED = [
    "German Case with POS and DEP (p 0.2)",
    "Russian SameFeat, OddFeat, Person and Tense alone with XNLI (p 0.2)",
    "Spanish Pseudo alone with SRL and DEP (p 0.2)",
    "Turkish single-feature tests with SRL and POS (p 0.2)",
    "Finnish tests but SameFeat with SRL and NER (p 0.1)",
    "all correlations are positive",
]


@pytest.fixture(scope="module")
def found():
    return correlations(
        read_scores(PUBLISHED / "type_level.csv", "test"), read_scores(PUBLISHED / "downstream.csv", "task")
    )


@pytest.fixture(scope="module")
def findings(found):
    claims = yaml.safe_load((CONF / "claims" / "linspector.yaml").read_text(encoding="utf-8"))
    return {one.says: one for one in look_at(claims, found)}


def test_all_253_coefficients_and_their_p_values_are_the_known_ones(found):
    with open(PUBLISHED / "correlations.csv", encoding="utf-8", newline="") as file:
        known = {tuple(row[:3]): tuple(row[3:]) for row in csv.reader(file)}
    del known["language", "test", "task"]
    assert len(known) == 253
    assert {(row.language, row.test, row.task): (f"{row.spearman:.4f}", f"{row.p:.4f}") for row in found} == known


def test_the_counts_below_the_levels_of_the_paper(found):
    assert sum(row.p < 0.1 for row in found) == 39
    assert sum(row.p < 0.2 for row in found) == 102
    negative = [row for row in found if row.spearman < 0]
    assert (len(negative), sum(row.task == "NER" for row in negative)) == (40, 32)
    assert sum(row.spearman == 0 for row in found) == 2


def test_five_encoders_give_no_corrected_exact_p_below_one(found):
    assert {row.p_exact_holm for row in found} == {1.0}
    assert min(row.p_exact for row in found) == pytest.approx(2 / 120)


def test_claims_that_do_not_hold_are_told_from_those_that_do(findings):
    assert [says for says, one in findings.items() if not one.holds] == REFUTED
    assert len(findings) == 16


def test_what_speaks_against_a_claim_is_named(findings):
    russian = findings["Russian SameFeat, OddFeat, Person and Tense alone with XNLI (p 0.2)"]
    assert (russian.n_meeting, russian.n) == (3, 4)
    assert russian.exceptions == [
        "russian Tense with XNLI: 0.67",
        "also russian Gender with XNLI: 0.70",
        "also russian POS with XNLI: 0.70",
        "also russian CharacterBin with XNLI: 0.70",
    ]
    assert findings["all correlations are positive"].n_meeting == 211
