"""Downstream tasks as a user scores them: rows, predictions, tables, a second encoder beside, a killed run resumed."""

import json

import pytest

from polyprobe.runs.array_records import PredictedScores, Predictions
from tests.commands.forked import run_script
from tests.commands.scripts import only_run
from tests.probing.downstream import small_tasks


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    root = tmp_path_factory.mktemp("data")
    small_tasks.write_reviews(root)
    small_tasks.write_similarities(root)
    small_tasks.write_benchmark(root)
    small_tasks.write_questions(root)
    return root


def arguments(data, work, *more):
    return [
        "suite=senteval_downstream",
        "lang=en",
        f"paths.data={data}",
        f"paths.work={work}",
        *small_tasks.QUICK,
        *more,
    ]


def averaged(run):
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    return {(row["test"], row["split"], row["probe"], row["metric"]): row for row in rows if "seed" not in row}


def test_an_encoder_of_vectors_is_scored_on_every_kind_of_task(data, work):
    tests = "tests=[MR,TREC,STSB,STS14]"
    done = run_script("probe", *arguments(data, work, tests, "encoder=char_ngrams", "encoder.width=40"))
    assert done.returncode == 0, done.stderr
    run = only_run(work, "probe")
    rows = averaged(run)
    accuracy = rows["MR", "test", "linear_grid", "accuracy"]
    assert accuracy["value"] > 0.8 > accuracy["majority"] == 0.5
    assert accuracy["n"] == 60
    assert accuracy["interval_low"] <= accuracy["value"] <= accuracy["interval_high"]
    assert rows["TREC", "test", "linear_grid", "accuracy"]["n"] == 18
    assert rows["STSB", "test", "cosine", "pearson"]["value"] > 0.8
    assert rows["STS14", "images", "cosine", "spearman"]["n"] == 24
    assert rows["STS14", "test", "cosine", "pearson_of_joined_rows"]["n"] == 6 * 24
    assert "6 pairs without a score left out" in rows["STS14", "test", "cosine", "pearson"]["note"]
    reviews = Predictions.read(run / "predictions/MR.npz")
    assert reviews.predicted.shape == (1, 1, 60)
    assert float(reviews.correct(str(reviews.layers[0])).mean()) == pytest.approx(accuracy["value"])
    similar = PredictedScores.read(run / "predicted_scores/STSB.npz")
    assert similar.manners.tolist() == ["score_regression", "cosine"]
    assert similar.predicted.shape == (2, 1, 1, 40)
    errors = [(predicted - gold) ** 2 for predicted, gold in zip(similar.predicted[0, 0, 0], similar.gold, strict=True)]
    assert rows["STSB", "test", "score_regression", "mse"]["value"] == pytest.approx(sum(errors) / 40)
    assert sum(errors) < ((similar.gold - similar.gold.mean()) ** 2).sum()  # a constant would give this
    assert "Downstream tasks (%): en, senteval_downstream, char_ngrams" in done.stdout
    assert (run / "pictures/downstream_tasks.png").is_file()
    again = run_script("probe", *arguments(data, work, tests, "encoder=char_ngrams", "encoder.width=40"))
    assert "is finished; its results:" in again.stdout


def test_several_seeds_have_a_row_each_and_one_together_on_the_same_folds(data, work):
    done = run_script("probe", *arguments(data, work, "tests=[CR]", "encoder.width=40", "seeds=2"))
    assert done.returncode == 0, done.stderr
    run = only_run(work, "probe")
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row.get("seed") for row in rows] == [1, 2, None]
    assert rows[2]["n_seeds"] == 2
    assert rows[2]["value"] == pytest.approx((rows[0]["value"] + rows[1]["value"]) / 2)
    assert rows[2]["note"] == "2 blank lines left out"


def test_counts_are_fitted_by_their_own_classifier_and_have_cosines_alone(data, work):
    done = run_script("probe", *arguments(data, work, "tests=[MR,STSB,STS14]", "encoder=tfidf", "protocol=released"))
    assert done.returncode == 0, done.stderr
    rows = averaged(only_run(work, "probe"))
    assert rows["MR", "test", "logistic_regression", "accuracy"]["value"] > 0.9
    assert rows["MR", "test", "logistic_regression", "accuracy"]["scorer"] == "released"
    assert {probe for test, _, probe, _ in rows if test == "STSB"} == {"cosine"}


def test_what_was_fitted_is_not_fitted_again(data, work):
    first = run_script("probe", *arguments(data, work, "tests=[MR]", "encoder.width=40"))
    assert first.returncode == 0, first.stderr
    (kept,) = (work / "cache/probes").rglob("*.npz")
    written = kept.stat().st_mtime_ns
    both = run_script("probe", *arguments(data, work, "tests=[MR,CR]", "encoder.width=40"))
    assert both.returncode == 0, both.stderr
    assert len(list((work / "cache/probes").rglob("*.npz"))) == 2
    assert kept.stat().st_mtime_ns == written


def test_the_listing_says_what_is_done_with_rows_and_reads_no_more(data, work):
    done = run_script("probe", *arguments(data, work, "list=true"))
    assert done.returncode == 0, done.stderr
    assert "2 blank" in done.stdout
    assert not work.exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["protocol=fixed"], 'protocol "fixed" is unknown'),
        (["tests=[STS41]"], 'test "STS41" is unknown'),
        (["lang=fi"], "suite=senteval_downstream has no tasks in lang=fi. Expected lang=en."),
        (["protocol=released", "seeds=2"], "seeds must be 1 with protocol=released"),
        (["predictor=lstm", "predictor.run=x"], "suite=senteval_downstream has tests to train probes on"),
    ],
)
def test_wrong_choices_are_refused_in_a_line(data, work, more, said):
    done = run_script("probe", *arguments(data, work, *more))
    assert done.returncode == 1
    assert said in done.stderr
