"""Inference from the command line: what a run leaves, in a set of three splits in one file and a test set beside."""

import json
import random

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import SMALL_MODELS, only_run

LABELS = ("ENTAILMENT", "NEUTRAL", "CONTRADICTION")
HEADER = "sentence_A\tsentence_B\tentailment_label\tSemEval_set"
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


def test_a_run_leaves_accuracy_confusion_and_baselines_of_every_test_set(folder, tmp_path):
    small = ["task=nli", "lang=en", *SMALL_MODELS["nli"], "trainer.threads=1", "seed=2", "trainer.max_epochs=2"]
    done = run_script("train", *small, f"paths.data={folder}", f"paths.work={tmp_path}")
    assert done.returncode == 0, done.stderr
    run = only_run(tmp_path, "train")
    assert run.name.startswith("nli-en-learned-s2-")
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    sizes = {(row["stage"], row["split"]): row["n"] for row in rows if row["metric"] == "accuracy"}
    for stage in ("test", "baseline"):
        assert [sizes[stage, split] for split in ("dev", "test", "esxnli")] == [9, 12, 1]
    metrics = {row["metric"] for row in rows if row["stage"] == "baseline"}
    assert metrics == {"accuracy", "confusion", "majority", "oov"}
    assert any(row["test"] == "neutral as entailment" for row in rows)
