"""An entity tagger as a user trains and probes it."""

import json
import shutil

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run, small_training


@pytest.fixture(scope="module")
def run(small_data, tmp_path_factory):
    work = tmp_path_factory.mktemp("entities")
    done = run_script("train", *small_training(small_data, work, "trainer.max_epochs=3", task="ner"))
    assert done.returncode == 0, done.stderr
    return only_run(work, "train")


def rows(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def test_rows_have_span_f1_that_of_each_type_the_gazetteer_and_the_unseen_words(run):
    assert run.name.startswith("ner-mini-learned-s1-")
    found = rows(run)
    assert [row["epoch"] for row in found if row["stage"] == "training"] == [0, 1, 2, 3]
    for stage in ("test", "baseline"):
        scores = [row for row in found if row["stage"] == stage and row["metric"] == "span_f1"]
        assert {row["split"] for row in scores} == {"dev", "test"}
        assert {"", "LOC", "PER"} == {row["test"] for row in scores}
        assert {row["scorer"] for row in scores} == {"conlleval"}
    assert {row["metric"] for row in found if row["encoder"] == "gazetteer"} == {"span_f1", "oov"}


def test_every_layer_of_an_entity_tagger_is_probed(run, small_data, tmp_path):
    arguments = ["encoder=checkpoint", f"encoder.run={run}", "encoder.epochs=[3]", "suite=linspector_token"]
    more = ["tests=[Case]", "probe.max_epochs=2"]
    done = run_script("probe", *on_small_data(small_data, tmp_path), *arguments, *more)
    assert done.returncode == 0, done.stderr
    found = rows(only_run(tmp_path, "probe"))
    assert {row["layer"] for row in found if row["stage"] == "probing"} == {"words", "bilstm_1", "bilstm_2"}


def test_a_type_that_train_lacks_and_an_i_after_o_are_counted(small_data, tmp_path):
    data = shutil.copytree(small_data, tmp_path / "data")
    path = data / "ner/mini/dev.txt"
    path.write_text("Hazar\tB-SEA\nve\tO\nAli\tI-PER\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    done = run_script("train", *small_training(data, tmp_path / "work", "trainer.max_epochs=1", task="ner"))
    assert done.returncode == 0, done.stderr
    assert "dev spans without B-: 1\n" in done.stdout
    assert "dev spans of types that train lacks: 1\n" in done.stdout
    missed = [
        row for row in rows(only_run(tmp_path / "work", "train")) if row["test"] == "SEA" and row["stage"] == "test"
    ]
    assert [(row["split"], row["n"], row["value"]) for row in missed] == [("dev", 1, 0.0)]
