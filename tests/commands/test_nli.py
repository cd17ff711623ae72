"""Inference from the command line: trained, killed and resumed, on two processes; one set for all of it."""

import csv
import json
import random

import pytest

from tests.commands.scripts import only_run, run_script
from tests.training.test_resume import assert_same, killed_after, started

LABELS = ("ENTAILMENT", "NEUTRAL", "CONTRADICTION")
HEADER = "sentence_A\tsentence_B\tentailment_label\tSemEval_set"
SMALL = ["task=nli", "lang=en", "model.hidden_size=6", "encoder.word_size=8", "trainer.threads=1", "seed=2"]
WORDS = ("a", "dog", "cat", "sleeps", "barks", "on", "the", "mat")
SIZES = {"TRAIN": 40, "TRIAL": 9, "TEST": 12}


def sentence(generator: random.Random) -> str:
    return " ".join(generator.choice(WORDS) for _ in range(generator.randint(1, 6)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A data folder with a small set in the layout of SICK, and a test set beside it."""
    generator = random.Random(3)
    folder = tmp_path_factory.mktemp("data")
    rows = [HEADER]
    for part, n in SIZES.items():
        rows += [f"{sentence(generator)}\t{sentence(generator)}\t{generator.choice(LABELS)}\t{part}" for _ in range(n)]
    (folder / "nli/en_sick").mkdir(parents=True)
    (folder / "nli/en_sick/SICK.txt").write_bytes("\r\n".join(rows).encode())
    beside = "language\tgold_label\tsentence1\tsentence2\nes\tneutral\tsí\tno\nen\tneutral\tyes\tno\n"
    (folder / "nli/esxnli").mkdir()
    (folder / "nli/esxnli/esxnli.tsv").write_text(beside, encoding="utf-8")
    return folder


def arguments(folder, work, *more: str) -> list[str]:
    return [*SMALL, f"paths.data={folder}", f"paths.work={work}", *more]


def trained(folder, work, *more: str):
    done = run_script("train", *arguments(folder, work, *more))
    assert done.returncode == 0, done.stderr
    return only_run(work, "train")


def test_a_run_leaves_accuracy_confusion_and_baselines_of_every_test_set(folder, tmp_path):
    run = trained(folder, tmp_path, "trainer.max_epochs=2")
    assert run.name.startswith("nli-en-learned-s2-")
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    sizes = {(row["stage"], row["split"]): row["n"] for row in rows if row["metric"] == "accuracy"}
    for stage in ("test", "baseline"):
        assert [sizes[stage, split] for split in ("dev", "test", "esxnli")] == [9, 12, 1]
    metrics = {row["metric"] for row in rows if row["stage"] == "baseline"}
    assert metrics == {"accuracy", "confusion", "majority", "oov"}
    assert any(row["test"] == "neutral as entailment" for row in rows)


def test_a_killed_run_ends_with_the_numbers_of_an_uninterrupted_one(folder, tmp_path):
    cut_off = arguments(folder, tmp_path / "cut", "trainer.max_epochs=12", "trainer.early_stopping=null")
    moments = random.Random(1)
    assert sum(killed_after(started(cut_off), moments.uniform(0, 0.4)) for _ in range(3))
    run = trained(folder, tmp_path / "cut", *cut_off[-2:])
    assert_same(run, trained(folder, tmp_path / "whole", *cut_off[-2:]))


def test_two_processes_count_and_learn_as_one(folder, tmp_path):
    same = ["model.dropout=0.0", "trainer.max_epochs=2"]
    parallel = ["trainer=ddp", "trainer.devices=2", "trainer.accelerator=cpu"]
    one, two = (trained(folder, tmp_path / name, *same, *more) for name, more in (("one", []), ("two", parallel)))
    assert one.name == two.name
    first, second = (list(csv.DictReader((run / "metrics.csv").read_text().splitlines())) for run in (one, two))
    assert first[0] == second[0]
    for single, double in zip(first[1:], second[1:], strict=True):
        assert float(double["train/loss"]) == pytest.approx(float(single["train/loss"]), rel=1e-4)
        assert float(double["dev/accuracy"]) == pytest.approx(float(single["dev/accuracy"]), abs=0.12)
