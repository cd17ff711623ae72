"""Taggers, entity taggers and parsers as a user trains and probes them."""

import functools
import json
import shutil

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run, small_training


@pytest.fixture(scope="module")
def run_of(small_data, tmp_path_factory):
    """Returns the folder of the finished run of a task, which no test changes."""

    def trained(task):
        work = tmp_path_factory.mktemp(task)
        done = run_script("train", *small_training(small_data, work, "trainer.max_epochs=3", task=task))
        assert done.returncode == 0, done.stderr
        assert ("gold tags that are read: " in done.stdout) == (task == "dep")
        return only_run(work, "train")

    return functools.cache(trained)


def rows(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def test_rows_of_a_tagger_have_the_accuracy_each_tag_the_baseline_and_the_unseen_words(run_of):
    assert run_of("pos").name.startswith("pos-mini-learned-s1-")
    found = rows(run_of("pos"))
    assert [row["epoch"] for row in found if row["stage"] == "training"] == [0, 1, 2, 3]
    for stage in ("test", "baseline"):
        scores = [row for row in found if row["stage"] == stage]
        assert {row["split"] for row in scores if row["metric"] == "accuracy"} == {"dev", "test"}
        assert {"NOUN", "VERB", "PUNCT"} <= {row["test"] for row in scores if row["metric"] == "f1"}
    assert {row["metric"] for row in found if row["stage"] == "baseline"} == {"accuracy", "f1", "oov"}


def test_rows_of_an_entity_tagger_have_span_f1_that_of_each_type_the_gazetteer_and_the_unseen_words(run_of):
    assert run_of("ner").name.startswith("ner-mini-learned-s1-")
    found = rows(run_of("ner"))
    assert [row["epoch"] for row in found if row["stage"] == "training"] == [0, 1, 2, 3]
    for stage in ("test", "baseline"):
        scores = [row for row in found if row["stage"] == stage and row["metric"] == "span_f1"]
        assert {row["split"] for row in scores} == {"dev", "test"}
        assert {"", "LOC", "PER"} == {row["test"] for row in scores}
        assert {row["scorer"] for row in scores} == {"conlleval"}
    assert {row["metric"] for row in found if row["encoder"] == "gazetteer"} == {"span_f1", "oov"}


def test_rows_of_a_parser_have_attachment_each_way_each_relation_the_baseline_and_the_unseen_words(run_of):
    assert run_of("dep").name.startswith("dep-mini-learned-s1-")
    found = rows(run_of("dep"))
    assert [row["epoch"] for row in found if row["stage"] == "training" and row["metric"] == "las"] == [0, 1, 2, 3]
    scores = {(row["metric"], row["scorer"]) for row in found if row["stage"] == "test" and not row["test"]}
    ours, theirs = {"las", "uas", "clas"}, {"las_without_punctuation", "uas_without_punctuation"}
    assert scores == {*((name, "CoNLL-2018") for name in ours), *((name, "AllenNLP") for name in theirs)}
    assert {"nsubj", "root", "punct"} <= {row["test"] for row in found if row["stage"] == "test"}
    assert {row["encoder"] for row in found if row["stage"] == "baseline"} == {"next_word"}
    assert {row["metric"] for row in found if row["stage"] == "baseline"} == {*ours, *theirs, "oov"}
    assert {row["note"] for row in found} == {"UPOS: gold"}


@pytest.mark.parametrize(
    ("task", "suite", "layers", "metric"),
    [
        ("pos", "linspector_type", {"words"}, "accuracy"),
        ("ner", "linspector_token", {"words", "bilstm_1", "bilstm_2"}, "span_f1"),
        ("dep", "linspector_token", {"words", "bilstm_1", "bilstm_2"}, "las"),
    ],
)
def test_every_layer_of_a_model_is_probed_at_its_level(task, suite, layers, metric, run_of, small_data, tmp_path):
    arguments = ["encoder=checkpoint", f"encoder.run={run_of(task)}", "encoder.epochs=[3]", f"suite={suite}"]
    more = ["tests=[Case]", "probe.max_epochs=2"]
    done = run_script("probe", *on_small_data(small_data, tmp_path), *arguments, *more)
    assert done.returncode == 0, done.stderr
    found = rows(only_run(tmp_path, "probe"))
    assert {row["layer"] for row in found if row["stage"] == "probing"} == layers
    (downstream,) = [row for row in found if row["stage"] == "downstream"]
    assert (downstream["metric"], downstream["epoch"]) == (metric, 3)


def test_a_corpus_in_latin_1_is_refused_with_file_and_line(small_data, tmp_path):
    data = shutil.copytree(small_data, tmp_path / "data")
    path = data / "ud/mini/dev.conllu"
    path.write_bytes(path.read_bytes().replace(b"\tVERB\t", b"\xfd\tVERB\t", 1))
    refused = run_script("train", *small_training(data, tmp_path / "work", task="pos"))
    assert refused.returncode == 1
    assert "ud/mini/dev.conllu, line 3" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_type_that_train_lacks_and_an_i_after_o_are_counted(small_data, tmp_path):
    data = shutil.copytree(small_data, tmp_path / "data")
    path = data / "ner/mini/dev.txt"
    path.write_text("Hazar\tB-SEA\nve\tO\nAli\tI-PER\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    done = run_script("train", *small_training(data, tmp_path / "work", "trainer.max_epochs=1", task="ner"))
    assert done.returncode == 0, done.stderr
    assert "dev spans without B-: 1\n" in done.stdout
    assert "dev spans of types that train lacks: 1\n" in done.stdout
    found = rows(only_run(tmp_path / "work", "train"))
    missed = [row for row in found if row["test"] == "SEA" and row["stage"] == "test"]
    assert [(row["split"], row["n"], row["value"]) for row in missed] == [("dev", 1, 0.0)]


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
