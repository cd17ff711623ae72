"""The five tasks, small enough to be trained inside a test process within a second or two."""

import random
from pathlib import Path
from typing import Any

from polyprobe.training.run import train
from tests.commands.scripts import small_training
from tests.runs import composed as of_command

TASKS = ("pos", "dep", "ner", "srl", "nli")
SCORES = {"pos": "accuracy", "dep": "las", "ner": "span_f1", "srl": "role_f1", "nli": "accuracy"}
LABELS = ("ENTAILMENT", "NEUTRAL", "CONTRADICTION")
PAIRS = {"TRAIN": 40, "TRIAL": 9, "TEST": 12}
WORDS = ("a", "dog", "cat", "sleeps", "barks", "on", "the", "mat")


def settings(task: str, data: Path, work: Path, *more: str) -> list[str]:
    """Returns the command line of a small run; pairs are made in the data folder where they are missing."""
    if task != "nli":
        return small_training(data, work, "seed=4", *more, task=task)
    pairs = make_pairs(work / "data")
    small = ["model.hidden_size=6", "encoder.word_size=8", "model.optimizer.lr=0.01", "trainer.threads=1", "seed=4"]
    return ["task=nli", "lang=en", *small, f"paths.data={pairs}", f"paths.work={work}", *more]


def composed(*overrides: str) -> dict[str, Any]:
    """Returns what train.py gets of a command line."""
    return of_command.composed("train", *overrides)


def trained(task: str, data: Path, work: Path, *more: str) -> Path:
    """Trains in this process, and returns the folder of the run."""
    return train(composed(*settings(task, data, work, *more))).path


def make_pairs(folder: Path) -> Path:
    """Makes a small set in the layout of SICK, and one beside it; returns the data folder."""
    generator = random.Random(3)
    rows = ["sentence_A\tsentence_B\tentailment_label\tSemEval_set"]
    for part, n in PAIRS.items():
        rows += [
            f"{_sentence(generator)}\t{_sentence(generator)}\t{generator.choice(LABELS)}\t{part}" for _ in range(n)
        ]
    (folder / "nli/en_sick").mkdir(parents=True, exist_ok=True)
    (folder / "nli/en_sick/SICK.txt").write_bytes("\r\n".join(rows).encode())
    (folder / "nli/esxnli").mkdir(exist_ok=True)
    beside = "language\tgold_label\tsentence1\tsentence2\nes\tneutral\tsí\tno\nen\tneutral\tyes\tno\n"
    (folder / "nli/esxnli/esxnli.tsv").write_text(beside, encoding="utf-8")
    return folder


def _sentence(generator: random.Random) -> str:
    return " ".join(generator.choice(WORDS) for _ in range(generator.randint(1, 6)))
