"""Correlations of published scores and what the articles claim of them.

LINSPECTOR, Tables 9 and 10 and section 6.1; Conneau et al. (2018), Tables 2, 4 and 5 and Figure 2.
"""

import csv
from pathlib import Path

import pytest
import yaml

from polyprobe.analysis.correlations.claims import Verdict, look_at
from polyprobe.analysis.correlations.coefficients import Correlation, Levels, correlations
from polyprobe.analysis.correlations.downstream import published_scores
from polyprobe.analysis.correlations.encoder_scores import EncoderChoice, EncoderScores
from polyprobe.runs.command.script import CONF

KNOWN = Path(__file__).parent
NAMES = {"de": "german", "es": "spanish", "fi": "finnish", "ru": "russian", "tr": "turkish", "nli": "XNLI"}
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
    return correlations(*both_sides("published_linspector"))


def both_sides(source: str) -> list[list[EncoderScores]]:
    return list(published_scores(source))


@pytest.fixture(scope="module")
def findings(found):
    claims = yaml.safe_load((CONF / "claims" / "linspector.yaml").read_text(encoding="utf-8"))
    return {one.says: one for one in look_at(claims, found, Levels(None))}


@pytest.mark.parametrize(
    ("source", "n_tests", "n_tasks", "n_encoders"),
    [
        ("published_linspector", 55, 23, 5),
        ("published_senteval", 10, 11, 25),
        ("published_senteval_logistic_regression", 10, 11, 25),
    ],
)
def test_so_many_tests_tasks_and_encoders_are_correlated(source, n_tests, n_tasks, n_encoders):
    probing, downstream = both_sides(source)
    assert (len(probing), len(downstream)) == (n_tests, n_tasks)
    assert {len(set(one.scores) & set(other.scores)) for one in probing for other in downstream} == {n_encoders}


def test_all_253_coefficients_and_their_p_values_are_the_known_ones(found):
    with open(KNOWN / "linspector_coefficients.csv", encoding="utf-8", newline="") as file:
        known = {tuple(row[:3]): tuple(row[3:]) for row in csv.reader(file)}
    del known["language", "test", "task"]
    assert len(known) == 253
    printed = {
        (NAMES[row.language], row.test, NAMES.get(row.task, row.task.upper())): (f"{row.spearman:.4f}", f"{row.p:.4f}")
        for row in found
    }
    assert printed == known


def test_the_counts_below_the_levels_of_the_paper(found):
    assert sum(row.p < 0.1 for row in found) == 39
    assert sum(row.p < 0.2 for row in found) == 102
    negative = [row for row in found if row.spearman < 0]
    assert (len(negative), sum(row.task == "ner" for row in negative)) == (40, 32)
    assert sum(row.spearman == 0 for row in found) == 2


def test_five_encoders_give_no_corrected_exact_p_below_one(found):
    assert {row.p_exact_holm for row in found} == {1.0}
    assert min(row.p_exact for row in found) == pytest.approx(2 / 120)


def test_claims_that_do_not_hold_are_told_from_those_that_do(findings):
    assert [says for says, one in findings.items() if one.verdict == Verdict.FAILS] == REFUTED
    assert len(findings) == 16


def test_what_speaks_against_a_claim_is_named(findings):
    russian = findings["Russian SameFeat, OddFeat, Person and Tense alone with XNLI (p 0.2)"]
    assert (russian.n_meeting, russian.n) == (3, 4)
    assert russian.exceptions == [
        "ru Tense with nli: 0.67",
        "also ru Gender with nli: 0.70",
        "also ru POS with nli: 0.70",
        "also ru CharacterBin with nli: 0.70",
    ]
    assert findings["all correlations are positive"].n_meeting == 211


PROBES = {"mlp": "published_senteval", "logreg": "published_senteval_logistic_regression"}
LEFT_OUT = {"25": [], "24": ["BoV-fastText"]}
HOLDS, FAILS = Verdict.HOLDS, Verdict.FAILS


def of_senteval(probe: str, left_out: list[str]) -> list[Correlation]:
    return correlations(*EncoderChoice({}, left_out).kept(both_sides(PROBES[probe])))


def known_of_senteval() -> list[dict[str, str]]:
    with open(KNOWN / "senteval_coefficients.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("embeddings", LEFT_OUT)
@pytest.mark.parametrize("probe", PROBES)
def test_all_coefficients_of_senteval_and_their_corrected_p_values_are_the_known_ones(probe, embeddings):
    known = [row for row in known_of_senteval() if (row["probe"], row["embeddings"]) == (probe, embeddings)]
    found = of_senteval(probe, LEFT_OUT[embeddings])
    assert len(known) == len(found) == 110
    assert {row.n for row in found} == {int(embeddings)}
    columns = ("probing_task", "downstream_task", "spearman", "p", "p_bonferroni", "p_holm", "p_bh")
    printed = [(row.test, row.task, f"{row.spearman:.4f}", *map(three_digits, corrected(row))) for row in found]
    assert printed == [tuple(row[column] for column in columns) for row in known]


def corrected(row: Correlation) -> tuple[float, ...]:
    return row.p, row.p_bonferroni, row.p_holm, row.p_benjamini_hochberg


def three_digits(p: float) -> str:
    return f"{p:.3g}"


def test_so_many_coefficients_of_senteval_survive_each_correction():
    found = of_senteval("mlp", [])
    assert [sum(p < 0.05 for p in column) for column in zip(*map(corrected, found), strict=True)] == [34, 10, 11, 22]


def verdicts_of_senteval(correction: str) -> list[Verdict]:
    claims = yaml.safe_load((CONF / "claims" / "senteval.yaml").read_text(encoding="utf-8"))
    return [one.verdict for one in look_at(claims, of_senteval("mlp", []), Levels(correction))]


def test_what_the_article_on_senteval_says_holds_in_sign_more_than_in_significance():
    # WC, SentLen: sign and significance; SOMO, CoordInv: significance; TopConst and numbers: both; TREC: leads, most.
    by_rate = [HOLDS, FAILS, HOLDS, HOLDS, FAILS, FAILS, HOLDS, FAILS, HOLDS, FAILS]
    assert verdicts_of_senteval("benjamini_hochberg") == by_rate
    by_holm = [HOLDS, FAILS, HOLDS, FAILS, FAILS, FAILS, HOLDS, FAILS, FAILS, FAILS]
    assert verdicts_of_senteval("holm") == by_holm


def test_the_claims_of_linspector_name_languages_and_tasks_as_our_runs_do():
    claims = yaml.safe_load((CONF / "claims" / "linspector.yaml").read_text(encoding="utf-8"))["rows"]
    for key, group in (("languages", "lang"), ("tasks", "task")):
        named = {name for claim in claims for name in claim.get(key, ())}
        assert named
        assert named <= {file.stem for file in (CONF / group).glob("*.yaml")}
