"""A parser as a user trains and probes it."""

import json
import shutil

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run, small_training


@pytest.fixture(scope="module")
def run(small_data, tmp_path_factory):
    work = tmp_path_factory.mktemp("parsing")
    done = run_script("train", *small_training(small_data, work, "trainer.max_epochs=3", task="dep"))
    assert done.returncode == 0, done.stderr
    assert "gold tags that are read: " in done.stdout
    return only_run(work, "train")


def rows(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def test_rows_have_attachment_each_way_each_relation_the_baseline_and_the_unseen_words(run):
    assert run.name.startswith("dep-mini-learned-s1-")
    found = rows(run)
    assert [row["epoch"] for row in found if row["stage"] == "training" and row["metric"] == "las"] == [0, 1, 2, 3]
    scores = {(row["metric"], row["scorer"]) for row in found if row["stage"] == "test" and not row["test"]}
    ours, theirs = {"las", "uas", "clas"}, {"las_without_punctuation", "uas_without_punctuation"}
    assert scores == {*((name, "CoNLL-2018") for name in ours), *((name, "AllenNLP") for name in theirs)}
    assert {"nsubj", "root", "punct"} <= {row["test"] for row in found if row["stage"] == "test"}
    assert {row["encoder"] for row in found if row["stage"] == "baseline"} == {"next_word"}
    assert {row["metric"] for row in found if row["stage"] == "baseline"} == {*ours, *theirs, "oov"}
    assert {row["note"] for row in found} == {"UPOS: gold"}


@pytest.mark.parametrize(
    ("suite", "layers"), [("linspector_type", {"words"}), ("linspector_token", {"words", "bilstm_1", "bilstm_2"})]
)
def test_every_layer_of_a_parser_is_probed_at_its_level(run, small_data, tmp_path, suite, layers):
    arguments = ["encoder=checkpoint", f"encoder.run={run}", "encoder.epochs=[3]", f"suite={suite}", "tests=[Case]"]
    done = run_script("probe", *on_small_data(small_data, tmp_path), *arguments, "probe.max_epochs=2")
    assert done.returncode == 0, done.stderr
    assert {row["layer"] for row in rows(only_run(tmp_path, "probe")) if row["stage"] == "probing"} == layers


def test_a_cycle_is_refused_with_file_and_line_and_left_out_on_demand(small_data, tmp_path):
    data = shutil.copytree(small_data, tmp_path / "data")
    path = data / "ud/mini/dev.conllu"
    bad = "1\ta\t_\tX\t_\t_\t1\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    path.write_text(bad + path.read_text(encoding="utf-8"), encoding="utf-8")
    refused = run_script("train", *small_training(data, tmp_path / "refused", task="dep"))
    assert refused.returncode == 1
    assert "ud/mini/dev.conllu, line 1: the heads of word 1 lead back to it (a cycle)" in refused.stderr
    assert "Traceback" not in refused.stderr
    skipped = ["data.on_malformed=skip", "trainer.max_epochs=1"]
    done = run_script("train", *small_training(data, tmp_path / "skipped", *skipped, task="dep"))
    assert done.returncode == 0, done.stderr
    assert "malformed lines skipped: 1" in done.stdout
