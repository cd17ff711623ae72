"""Sentence encoders from the command line: every objective on the miniature Turkish, its probes, its answers."""

import json
from pathlib import Path

import pytest

from polyprobe.splits import SPLITS
from tests.commands.forked import run_script
from tests.commands.scripts import on_small_data, only_run

STORIES = {"train": 12, "dev": 4, "test": 4}
PAIRS = {"train": 30, "dev": 15, "test": 15}
ROWS = {"tr": 40, "va": 20, "te": 20}
SMALL = [
    "model.encoder.hidden_size=8", "task.hidden_size=8", "task.merges=30", "encoder.word_size=8", "trainer.threads=1",
    "trainer.max_epochs=2",
]  # fmt: skip
FIRST = {
    "autoencoder": "bleu",
    "nmt": "bleu",
    "seq2tree": "unit_accuracy",
    "skipthought": "perplexity",
    "nli": "accuracy",
}


@pytest.fixture(scope="module")
def data(mini_folder, tmp_path_factory) -> Path:
    """A data folder with the first stories and pairs of lang=mini, and the first rows of a probing test."""
    folder = tmp_path_factory.mktemp("stories")
    for split in SPLITS:
        stories = (mini_folder / f"ordered/mini/{split}/stories.txt").read_text(encoding="utf-8").split("\n\n")
        of_split = "\n\n".join(stories[: STORIES[split]])
        n_sentences = sum(map(bool, of_split.split("\n")))
        write(folder / f"ordered/mini/{split}/stories.txt", f"{of_split}\n")
        for name in (f"trees/mini/{split}.tsv", f"parallel/mini/{split}.mini", f"parallel/mini/{split}.ana"):
            write(folder / name, first_lines(mini_folder / name, n_sentences))
        write(folder / f"nli/mini/{split}.tsv", first_lines(mini_folder / f"nli/mini/{split}.tsv", 1 + PAIRS[split]))
    rows = (mini_folder / "senteval/mini/bigram_shift.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = (row for part, n in ROWS.items() for row in [row for row in rows if row.startswith(f"{part}\t")][:n])
    write(folder / "senteval/mini/bigram_shift.txt", "".join(kept))
    return folder


@pytest.mark.parametrize("objective", ["nmt", "nli"])  # the others: training/test_every_model_learns
def test_every_objective_is_trained_scored_and_probed(data, tmp_path, objective):
    command = ["task=sentence", f"objective={objective}", *on_small_data(data, tmp_path), *SMALL]
    done = run_script("train", *command, "probe_each_epoch=[BShift]")
    assert done.returncode == 0, done.stderr
    run = only_run(tmp_path, "train")
    assert run.name.startswith(f"sentence-{objective}-mini-learned-s1-")
    header, *epochs = (run / "metrics.csv").read_text(encoding="utf-8").splitlines()
    assert {f"dev/{FIRST[objective]}", "probe/sentence/BShift"} <= set(header.split(","))
    assert [line.split(",")[0] for line in epochs] == ["0", "1", "2"]
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {"baseline", "test"} <= {row["stage"] for row in rows if row["metric"] == FIRST[objective]}


def first_lines(path: Path, number: int) -> str:
    return "".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:number])


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
