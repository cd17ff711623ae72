"""Probing as a user does it: other encoders than a checkpoint, baselines, the user's own tests."""

import json

import numpy as np
import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run, with_mini
from tests.offline_dashboards import offline_run

QUICK = ["probe.max_epochs=2", "trainer.threads=1"]


def rows(run):
    return [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def averaged(run):
    return [row for row in rows(run) if row["stage"] == "probing" and "seed" not in row]


def write_vectors(path, words):
    generator = np.random.default_rng(1)
    lines = [f"{word} {' '.join(f'{value:.4f}' for value in generator.normal(size=8))}" for word in words]
    path.write_text("\n".join([f"{len(lines)} 8", *lines]) + "\n", encoding="utf-8")


def test_vectors_of_words_are_probed_beside_all_baselines_and_the_words_they_lack(small_data, work):
    work.mkdir()
    forms = [
        line.split("\t")[0] for line in (small_data / "linspector/type/mini/Case/train.txt").open(encoding="utf-8")
    ]
    write_vectors(work / "words.vec", sorted({form.lower() for form in forms}))
    arguments = ["encoder=static_vectors", f"encoder.path={work / 'words.vec'}", "tests=[Case,POS]", "baselines=all"]
    done = run_script("probe", *on_small_data(small_data, work), *arguments, *QUICK, "seeds=2")
    assert done.returncode == 0, done.stderr
    run = only_run(work, "probe")
    for row in averaged(run):
        assert {"random", "control", "selectivity", "oov", "majority", "memoriser", "leakage"} <= row.keys()
    oov = {(row["test"], row["split"]): row["value"] for row in rows(run) if row["stage"] == "coverage"}
    assert oov["Case", "train"] < 0.05 < oov["Case", "test"]
    assert sorted(path.name for path in (run / "predictions").iterdir()) == ["Case.npz", "POS.npz"]
    assert "selectivity" in done.stdout


def test_sentences_are_probed_with_a_grid_and_drawn_to_a_dashboard(mini_folder, work):
    with_mini(mini_folder, work)
    arguments = ["suite=senteval", "tests=[BShift]", "probe=senteval", "probe.hidden_size=[8]", "logger=wandb_offline"]
    done = run_script("probe", f"paths.work={work}", *arguments, "probe.max_epochs=4", "trainer.threads=1")
    assert done.returncode == 0, done.stderr
    run = only_run(work, "probe")
    (row,) = averaged(run)
    assert "length" in row
    (of_seed,) = [row for row in rows(run) if row["stage"] == "probing" and "seed" in row]
    assert "weight_decay=" in of_seed["cell"]
    assert offline_run(run).summary[f"accuracy/BShift/{row['layer']}"] == row["value"]


def test_counts_have_a_control_task_and_one_answer_without_chance(mini_folder, work):
    with_mini(mini_folder, work)
    arguments = ["suite=senteval", "tests=[Tense]", "encoder=length", "baselines=all", f"paths.work={work}"]
    refused = run_script("probe", *arguments, "seeds=3")
    assert refused.returncode == 1
    assert "seeds must be 1 with probe=logistic_regression, which draws nothing, got 3" in refused.stderr
    done = run_script("probe", *arguments)
    assert done.returncode == 0, done.stderr
    run = only_run(work, "probe")
    (row,) = averaged(run)
    assert not (run / "report.html").exists()
    again = run_script("probe", *arguments, "report=true")
    assert again.returncode == 0, again.stderr
    assert only_run(work, "probe") == run  # the page is no part of the name
    assert f"report    {run / 'report.html'}" in again.stdout.splitlines()
    assert (run / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert row["selectivity"] == pytest.approx(row["value"] - row["control"])
    assert "random" not in row
    assert "one seed" not in done.stdout


def test_labels_are_coded_online(small_data, work):
    done = run_script("probe", *on_small_data(small_data, work), "tests=[POS]", "probe=mdl", *QUICK)
    assert done.returncode == 0, done.stderr
    (row,) = averaged(only_run(work, "probe"))
    assert row["codelength"] > 0
    assert "compression" in done.stdout


def test_tests_of_ones_own_are_the_same_run_wherever_they_lie(work, tmp_path):
    text = "".join(f"{part}\t{n % 2}\tword{n} here\n" for part in ("tr", "va", "te") for n in range(40))
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Odd.txt").write_text(text, encoding="utf-8")
        arguments = ["suite=own", f"suite.path={tmp_path / folder}", "suite.format=senteval", "encoder=tfidf"]
        done = run_script("probe", f"paths.work={work}", *arguments)
        assert done.returncode == 0, done.stderr
    assert "is finished" in done.stdout
    assert [row["test"] for row in averaged(only_run(work, "probe"))] == ["Odd"]
