"""A tagger as a user trains and probes it."""

import json
import shutil

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run, small_training


@pytest.fixture(scope="module")
def run(small_data, tmp_path_factory):
    work = tmp_path_factory.mktemp("tagging")
    done = run_script("train", *small_training(small_data, work, "trainer.max_epochs=3", task="pos"))
    assert done.returncode == 0, done.stderr
    return only_run(work, "train")


def rows(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def test_rows_have_the_accuracy_each_tag_the_baseline_and_the_unseen_words(run):
    assert run.name.startswith("pos-mini-learned-s1-")
    found = rows(run)
    assert [row["epoch"] for row in found if row["stage"] == "training"] == [0, 1, 2, 3]
    for stage in ("test", "baseline"):
        scores = [row for row in found if row["stage"] == stage]
        assert {row["split"] for row in scores if row["metric"] == "accuracy"} == {"dev", "test"}
        assert {"NOUN", "VERB", "PUNCT"} <= {row["test"] for row in scores if row["metric"] == "f1"}
    assert {row["metric"] for row in found if row["stage"] == "baseline"} == {"accuracy", "f1", "oov"}


@pytest.mark.parametrize(
    ("suite", "layers"), [("linspector_type", {"words"}), ("linspector_token", {"words", "bilstm"})]
)
def test_every_layer_of_a_tagger_is_probed_at_its_level(run, small_data, tmp_path, suite, layers):
    arguments = ["encoder=checkpoint", f"encoder.run={run}", "encoder.epochs=[3]", f"suite={suite}", "tests=[Case]"]
    done = run_script("probe", *on_small_data(small_data, tmp_path), *arguments, "probe.max_epochs=2")
    assert done.returncode == 0, done.stderr
    found = rows(only_run(tmp_path, "probe"))
    assert {row["layer"] for row in found if row["stage"] == "probing"} == layers
    (downstream,) = [row for row in found if row["stage"] == "downstream"]
    assert (downstream["metric"], downstream["epoch"]) == ("accuracy", 3)


def test_a_corpus_in_latin_1_is_refused_with_file_and_line(small_data, tmp_path):
    data = shutil.copytree(small_data, tmp_path / "data")
    path = data / "ud/mini/dev.conllu"
    path.write_bytes(path.read_bytes().replace(b"\tVERB\t", b"\xfd\tVERB\t", 1))
    refused = run_script("train", *small_training(data, tmp_path / "work", task="pos"))
    assert refused.returncode == 1
    assert "ud/mini/dev.conllu, line 3" in refused.stderr
    assert "Traceback" not in refused.stderr
