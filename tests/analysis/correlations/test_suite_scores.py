"""Probing runs and runs of SentEval's downstream tasks, made up, over encoders of several kinds."""

import csv
import json

import pytest

from polyprobe.analysis.correlations.downstream import correlate
from polyprobe.analysis.correlations.encoder_scores import vectors_of
from polyprobe.errors import UnknownChoice
from polyprobe.runs.results import ResultRow
from tests.analysis.handmade import as_read, probing
from tests.analysis.told import csv_file

EPOCHS = (0, 1, 2, 5)
MODELS = ("sentence-en-nmt-s1-aa", "sentence-en-nli-s1-bb", "sentence-en-autoencoder-s1-cc")


def probed(test: str, value: float | None, **columns) -> ResultRow:
    usual = {"lang": "en", "suite": "xprobe", "encoder": "checkpoint", "layer": "sentence"}
    return probing(test, value, **{**usual, **columns})


def scored(test: str, value: float | None, **columns) -> ResultRow:
    usual = {"suite": "senteval_downstream", "stage": "downstream_task", "probe": "classifier", "scorer": "polyprobe"}
    return probed(test, value, **{**usual, **columns})


def run(work, name: str, *rows: ResultRow, **settings) -> None:
    folder = work / "runs" / "probe" / name
    as_read(list(rows), folder, name)
    (folder / "config.yaml").write_text(json.dumps({"encoder": settings}))


@pytest.fixture
def work(tmp_path):
    """Twelve encoders: four epochs of three models; WC rises with MR, SentLen falls."""
    for number, model in enumerate(MODELS):
        at = {epoch: 0.5 + number / 100 + place / 1000 for place, epoch in enumerate(EPOCHS)}
        of_model = {"model": model, "options": "epochs=[0,1,2,5]"}
        rows = [probed("WC", value, epoch=epoch, **of_model) for epoch, value in at.items()]
        rows += [probed("SentLen", 1 - value, epoch=epoch, **of_model) for epoch, value in at.items()]
        run(tmp_path, f"p-{model}", *rows, run=model, epochs=list(EPOCHS))
        rows = [scored("MR", value**2, epoch=epoch, **of_model) for epoch, value in at.items()]
        rows += [scored("MR", 0.1, epoch=epoch, metric="f1", **of_model) for epoch in EPOCHS]
        run(tmp_path, f"d-{model}", *rows, run=f"elsewhere/{model}", epochs=None)
    return tmp_path


def correlated(work, **options) -> dict[tuple[str, str], dict[str, str]]:
    path = csv_file(correlate(work, "senteval_downstream", correction="holm", **options))
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["test"], row["task"]): row for row in csv.DictReader(file)}


def test_each_epoch_of_each_model_is_an_encoder(work, capsys):
    found = correlated(work)
    assert {key: (row["n"], float(row["spearman"])) for key, row in found.items()} == {
        ("WC", "MR"): ("12", 1.0),
        ("SentLen", "MR"): ("12", -1.0),
    }
    assert "The 12 encoders are layers and epochs of 3 models." in capsys.readouterr().out


def test_scores_that_a_run_copied_from_its_training_name_no_encoder(work):
    copied = {"lang": "en", "suite": "sentence", "metric": "bleu", "split": "dev", "epoch": 0, "seed": 1}
    row = ResultRow(stage="downstream", value=0.0, n=0, **copied)
    run(work, "p-copied", probed("WC", 0.5, model="copied"), row)
    assert correlated(work)["WC", "MR"]["n"] == "12"


def test_vectors_of_files_and_of_counts_are_encoders_too(work):
    for number, encoder in enumerate(("static_vectors", "tfidf")):
        model = {"model": f"vectors/{encoder}.vec", "encoder": encoder, "layer": "vectors"}
        run(work, f"p-{encoder}", probed("WC", number, **model))
        run(work, f"d-{encoder}", scored("MR", number, **model))
    found = correlated(work)
    assert (found["WC", "MR"]["n"], found["SentLen", "MR"]["n"]) == ("14", "12")


def test_an_encoder_with_one_side_alone_or_without_a_score_does_not_count(work):
    run(work, "p-alone", probed("WC", 0.1, model="x"))
    run(work, "p-failed", probed("WC", 0.1, model="y"))
    run(work, "d-failed", scored("MR", None, model="y"))
    assert correlated(work)["WC", "MR"]["n"] == "12"


def test_one_layer_counts_where_one_is_chosen(work):
    for kind, make, test in (("p", probed, "WC"), ("d", scored, "MR")):
        rows = [make(test, int(layer) / 10, layer=layer, model="bert", encoder="transformer") for layer in "123"]
        run(work, f"{kind}-bert", *rows)
    assert correlated(work)["WC", "MR"]["n"] == "15"
    assert correlated(work, layer_of={"transformer": 2})["WC", "MR"]["n"] == "13"
    with pytest.raises(UnknownChoice, match='encoder of layer_of "transformer bert" is unknown'):
        correlated(work, layer_of={"transformer bert": 2})
    assert correlated(work, except_encoders=["transformer bert 3"])["WC", "MR"]["n"] == "14"


def test_tests_of_one_name_in_two_suites_are_told_apart(work):
    for number, model in enumerate(MODELS):
        run(work, f"q-{model}", probed("WC", number / 10, suite="senteval", epoch=2, model=model), run=model)
    found = correlated(work)
    assert {key: row["n"] for key, row in found.items()} == {
        ("WC xprobe", "MR"): "12",
        ("WC senteval", "MR"): "3",
        ("SentLen", "MR"): "12",
    }


def test_the_same_score_found_by_two_runs_of_other_epochs_is_averaged(work):
    model = MODELS[0]
    run(work, "p-again", probed("WC", 0.504, epoch=2, model=model, options="epochs=[2]"), run=model, epochs=[2])
    assert correlated(work)["WC", "MR"]["n"] == "12"


def test_options_that_change_vectors_tell_encoders_apart_and_others_do_not():
    row = {"encoder": "checkpoint", "model": "m", "layer": "sentence", "epoch": 2}
    same = [
        "epochs=[0,2]",
        'layers=["sentence"]',
        "layers=[1] epochs=[0,2] suite.path=a/b",
        "suite.cut_by=blanks",
        None,
    ]
    assert {vectors_of({**row, "options": options}) for options in same} == {"checkpoint m sentence/2"}
    assert vectors_of({**row, "options": "seed=2 layers=[1]"}) == "checkpoint m seed=2 sentence/2"


def test_of_regression_and_cosine_the_regression_stands_for_a_task_and_of_data_sets_the_whole(tmp_path):
    for number, model in enumerate(MODELS):
        of = {"model": model, "metric": "pearson"}
        run(tmp_path, f"p-{model}", probed("WC", number / 10, model=model), run=model)
        cosine = [scored("STSB", -number, probe="cosine", **of), scored("STS12", number, probe="cosine", **of)]
        regression = scored("STSB", number, probe="regression", **of)
        part = scored("STS12", -number, probe="cosine", split="OnWN", **of)
        mean = scored("STS12", -number, probe="cosine", model=model, metric="pearson_weighted_mean")
        seed = scored("STSB", -number, probe="regression", seed=1, **of)
        run(tmp_path, f"d-{model}", part, seed, *cosine, regression, mean, run=model)
    found = correlated(tmp_path)
    assert {task: float(row["spearman"]) for (_, task), row in found.items()} == {"STSB": 1.0, "STS12": 1.0}


def test_tasks_scored_by_another_protocol_are_told_apart(work):
    for number, model in enumerate(MODELS):
        run(work, f"r-{model}", scored("MR", number, epoch=2, model=model, scorer="released"), run=model)
    assert {task: row["n"] for (test, task), row in correlated(work).items() if test == "WC"} == {
        "MR polyprobe": "12",
        "MR released": "3",
    }
