"""Correlations of published scores.

LINSPECTOR, Tables 9 and 10; Conneau et al. (2018), Tables 2, 4 and 5.
"""

import csv
from pathlib import Path

import pytest

from polyprobe.analysis.correlations.coefficients import Correlation, correlations
from polyprobe.analysis.correlations.downstream import published_scores
from polyprobe.analysis.correlations.encoder_scores import EncoderScores, without_encoders

KNOWN = Path(__file__).parent
NAMES = {"de": "german", "es": "spanish", "fi": "finnish", "ru": "russian", "tr": "turkish", "nli": "XNLI"}


@pytest.fixture(scope="module")
def found():
    return correlations(*both_sides("published_linspector"))


def both_sides(source: str) -> list[list[EncoderScores]]:
    return list(published_scores(source))


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


PROBES = {"mlp": "published_senteval", "logreg": "published_senteval_logistic_regression"}
LEFT_OUT = {"25": [], "24": ["BoV-fastText"]}


def of_senteval(probe: str, left_out: list[str]) -> list[Correlation]:
    return correlations(*without_encoders(both_sides(PROBES[probe]), left_out))


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
