"""Correlations of published scores and what the articles claim of them.

LINSPECTOR, Tables 9 and 10 and section 6.1; Conneau et al. (2018), Tables 2, 4 and 5 and Figure 2.
"""

import csv
from pathlib import Path

import pytest
import yaml

from src.analysis.correlations.claims import look_at
from src.analysis.correlations.coefficients import Correlation, correlations
from src.analysis.correlations.encoder_scores import EncoderChoice, read_scores
from src.analysis.correlations.levels import Levels
from src.analysis.correlations.verdicts import Verdict
from src.analysis.published.published_cells import published_cells
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
    return {one.says: one for one in look_at(claims, found, Levels(None))}


@pytest.mark.parametrize(
    ("file", "paper", "n_scores"),
    [
        ("type_level", "linspector", 55 * 6),
        ("downstream", "linspector", 23 * 5),
        ("senteval_mlp", "senteval", 10 * 25),
        ("senteval_logistic_regression", "senteval", 10 * 25),
        ("senteval_downstream", "senteval", 11 * 25),
    ],
)
def test_the_scores_are_those_of_the_published_tables(file, paper, n_scores):
    printed = {(one.table, one.row, one.column.replace("SST-", "SST")): one.text for one in published_cells(paper)}
    with open(PUBLISHED / f"{file}.csv", encoding="utf-8", newline="") as lines:
        scores = [
            (row["table"].removeprefix("Table "), row["language"], row.get("test") or row["task"], encoder, score)
            for row in csv.DictReader(lines)
            for encoder, score in row.items()
            if encoder not in ("language", "test", "task", "table")
        ]
    assert len(scores) == n_scores
    for table, language, test, encoder, score in scores:
        place = (f"{language.title()} {test}", encoder) if paper == "linspector" else (encoder, test)
        assert printed[table, *place] == score


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
    assert [says for says, one in findings.items() if one.verdict == Verdict.FAILS] == REFUTED
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


PROBES = {"mlp": "senteval_mlp.csv", "logreg": "senteval_logistic_regression.csv"}
LEFT_OUT = {"25": [], "24": ["BoV-fastText"]}
HOLDS, FAILS = Verdict.HOLDS, Verdict.FAILS


def of_senteval(probe: str, left_out: list[str]) -> list[Correlation]:
    sides = [read_scores(PUBLISHED / PROBES[probe], "test"), read_scores(PUBLISHED / "senteval_downstream.csv", "task")]
    return correlations(*EncoderChoice({}, left_out).kept(sides))


def known_of_senteval() -> list[dict[str, str]]:
    with open(PUBLISHED / "senteval_correlations.csv", encoding="utf-8", newline="") as file:
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
