"""Two encoders on the same downstream tasks, compared item by item."""

import csv

import numpy as np
import pytest

from polyprobe.analysis.comparisons.compare import compare
from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.side_by_side import scores_side_by_side
from polyprobe.errors import PolyprobeError
from polyprobe.metrics.correlation import correlation
from polyprobe.runs.array_records import PredictedScores
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import ResultRow
from tests.analysis.handmade import predictions
from tests.analysis.told import csv_file

N = 60
RANDOM = np.random.default_rng(5)
GOLD = RANDOM.uniform(0, 5, size=N).round(1)
CLOSE, FAR = GOLD + RANDOM.normal(size=N) / 2, GOLD + 4 * RANDOM.normal(size=N)
SETS = {"one": slice(0, 40), "two": slice(40, N)}


def scores(test, predicted, manners=("cosine",), words="pair") -> PredictedScores:
    """Predicted scores of one layer and seed, `predicted` for each manner."""
    return PredictedScores(
        test=test,
        inputs=np.array([f"{words} {number}\tother" for number in range(N)]),
        lines=np.arange(1, N + 1),
        sets=np.array(list(SETS)),
        set_of_item=np.repeat([0, 1], [40, 20]),
        gold=GOLD,
        manners=np.array(manners),
        layers=np.array(["x"]),
        seeds=np.array([1]),
        predicted=np.array(predicted)[:, None, None],
    )


def finished(work, name, *records) -> None:
    run = RunDirectory(work / "runs/probe" / name)
    run.open("seed: 1\nencoder: {}\n")
    run.begin({})
    rows = []
    for record in records:
        is_scored = isinstance(record, PredictedScores)
        record.write(run.predicted_scores if is_scored else run.predictions)
        about = {"stage": "downstream_task", "lang": "en", "suite": "senteval_downstream", "split": "test"}
        metric = "pearson" if is_scored else "accuracy"
        rows.append(ResultRow(**about, test=record.test, encoder=name, layer="x", metric=metric, value=0.5, n=N))
    run.finish(rows, {})
    run.close()


def compared(work, *references):
    with open(csv_file(compare(work, list(references), None)), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_labels_are_compared_by_accuracy_and_scores_by_the_mean_correlation_over_sets(tmp_path, capsys):
    finished(tmp_path, "a", predictions("MR", {"x": [[1] * 20 + [0] * 20]}), scores("STS", [FAR]))
    finished(tmp_path, "b", predictions("MR", {"x": [[1] * 35 + [0] * 5]}), scores("STS", [CLOSE]))
    reviews, similar = compared(tmp_path, "a", "b")
    assert (reviews["metric"], float(reviews["first"]), float(reviews["second"])) == ("accuracy", 0.5, 0.875)
    means = [np.mean([correlation("pearson", GOLD[s], one[s]) for s in SETS.values()]) for one in (FAR, CLOSE)]
    assert (similar["metric"], similar["manner"], similar["n"]) == ("pearson", "cosine", str(N))
    assert [float(similar["first"]), float(similar["second"])] == pytest.approx(means)
    assert float(similar["difference"]) == pytest.approx(means[1] - means[0])
    assert float(similar["interval_low"]) < means[1] - means[0] < float(similar["interval_high"])
    assert float(similar["p"]) < 0.01
    assert "Difference of scores (%): en, senteval_downstream" in capsys.readouterr().out


def test_a_regression_is_compared_where_both_have_one_else_cosines(tmp_path):
    finished(tmp_path, "a", scores("STSB", [CLOSE, FAR], ("score_regression", "cosine")))
    finished(tmp_path, "b", scores("STSB", [FAR, FAR], ("score_regression", "cosine")))
    finished(tmp_path, "counts", scores("STSB", [CLOSE]))
    both, one = compared(tmp_path, "a", "b", "counts")
    assert (both["manner"], one["manner"]) == ("score_regression", "cosine")
    assert float(both["difference"]) < 0 < float(one["difference"])


def test_pairs_without_a_score_in_either_run_are_left_out_of_both(tmp_path):
    lacking = CLOSE.copy()
    lacking[[3, 50]] = np.nan
    finished(tmp_path, "a", scores("STS", [FAR]))
    finished(tmp_path, "b", scores("STS", [lacking]))
    (row,) = compared(tmp_path, "a", "b")
    assert row["n"] == str(N - 2)


def test_other_items_are_refused(tmp_path):
    finished(tmp_path, "a", scores("STS", [FAR]))
    finished(tmp_path, "b", scores("STS", [FAR], words="couple"))
    with pytest.raises(PolyprobeError, match="STS: a and b have other items"):
        compared(tmp_path, "a", "b")


def test_side_by_side_a_task_that_differs_from_the_first_run_is_marked_after_holm(tmp_path, capsys):
    right = {"a": [[1, 0] * 40], "b": [[1] * 80]}
    for name, labels in right.items():
        finished(tmp_path, name, predictions("MR", {"x": labels}), scores("STS14", [CLOSE]))
    show(scores_side_by_side(tmp_path, ["a", "b:all"]))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-2:] for line in lines if line.split()[:1] in (["MR"], ["STS14"])][:2] == [
        ["•50.0", "•50.0+"],
        ["•50.0", "•50.0"],
    ]
    assert [line for line in lines if line.startswith("+ better and - worse than the first run")]


def test_all_layers_can_be_named_as_in_tables(tmp_path):
    for name in "ab":
        finished(tmp_path, name, scores("STS14", [CLOSE]))
    assert compared(tmp_path, "a:all", "b:all") == compared(tmp_path, "a", "b")
