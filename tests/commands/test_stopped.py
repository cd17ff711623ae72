"""Commands that are killed or asked to end, at moments that a count fixes, and that end with the same bytes."""

import os
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM, SIGUSR1

import pytest
import torch

import polyprobe.analysis.reports.finished_run
import polyprobe.datamodules.corpora.corpus_files
import polyprobe.probing.probing_run
import polyprobe.training.training_run
from polyprobe.models.language_model import LanguageModel
from polyprobe.models.tagger import Tagger
from polyprobe.probing.bank.chunk import Chunk
from polyprobe.training.callbacks.history import History
from tests.commands.forked import ended, signal_at
from tests.commands.scripts import on_small_data, only_run, small_training

KILLED, LANGUAGE_MODEL, PROBES, TAGGER = -SIGKILL, "lm", "probes", "pos"
SCRIPTS = {LANGUAGE_MODEL: "train", PROBES: "probe", TAGGER: "train"}
SMALL = {
    LANGUAGE_MODEL: ["task=lm", "model.word_size=8", "model.hidden_size=8", "model.optimizer.lr=5"],
    PROBES: ["encoder=random", "baselines=all", "tests=[Case,Person]", "probe.max_epochs=3", "bank.chunk_size=2"],
}
# Where a command is, and at which call there it ends.
MOMENTS = {
    LANGUAGE_MODEL: [
        (LanguageModel, "validation_step", 2),
        (LanguageModel, "training_step", 3),
        (History, "add_epoch", 2),
        (os, "replace", 9),
    ],
    PROBES: [(Chunk, "advance", 1), (Chunk, "advance", 3), (os, "replace", 5)],
}


def arguments(command: str, data: Path, work: Path) -> list[str]:
    if command == TAGGER:
        return small_training(data, work, task="pos")
    of_training = ["trainer.max_epochs=3"] if SCRIPTS[command] == "train" else []
    return [*on_small_data(data, work), *SMALL[command], *of_training, "trainer.threads=1"]


def finished(command: str, data: Path, work: Path) -> Path:
    """Returns the folder of a command's only run, after the command has come to its end."""
    done = ended(SCRIPTS[command], arguments(command, data, work), work.with_suffix(".said"))
    assert done.exitcode == 0, done.said
    return only_run(work, SCRIPTS[command])


def assert_same(run: Path, expected: Path) -> None:
    """Compares results, metrics, predictions and the last weights."""
    files = [path.relative_to(expected) for path in expected.rglob("*") if path.suffix in (".jsonl", ".csv", ".npz")]
    assert Path("results.jsonl") in files
    for file in files:
        assert (run / file).read_bytes() == (expected / file).read_bytes(), file
    if (expected / "last").exists():
        ours, theirs = (torch.load(one / "last", weights_only=True)["state_dict"] for one in (run, expected))
        assert all(torch.equal(ours[name], theirs[name]) for name in ours.keys() | theirs.keys())
    assert not list(run.rglob(".*.tmp"))


@pytest.fixture(scope="module")
def whole_tagger(small_data, tmp_path_factory):
    return finished(TAGGER, small_data, tmp_path_factory.mktemp("whole") / "work")


@pytest.mark.parametrize("command", MOMENTS)
def test_a_command_that_is_killed_again_and_again_ends_with_the_same_bytes(command, small_data, tmp_path):
    killed = tmp_path / "killed"
    for owner, name, number in MOMENTS[command]:
        prepare = signal_at(owner, name, number, SIGKILL)
        done = ended(SCRIPTS[command], arguments(command, small_data, killed), tmp_path / "said", prepare)
        assert done.exitcode == KILLED, (name, number, done.said)
    run = finished(command, small_data, killed)
    assert_same(run, finished(command, small_data, tmp_path / "whole"))


SIGNALS = {SIGINT: (130, "Interrupted."), SIGTERM: (143, "Ended by SIGTERM."), SIGUSR1: (143, "Ended by SIGUSR1.")}
PARTS = {
    "reading": (polyprobe.datamodules.corpora.corpus_files, "read_corpus"),
    "validation": (Tagger, "validation_step"),
    "training": (Tagger, "training_step"),
    "writing": (os, "replace"),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_signal_in_any_part_of_a_run_is_one_line_and_the_run_goes_on_the_same(
    part, whole_tagger, small_data, tmp_path
):
    owner, name = PARTS[part]
    for sent, (code, line) in SIGNALS.items():
        number = 3 if part == "writing" else 1
        prepare = signal_at(owner, name, number, sent)
        done = ended("train", arguments(TAGGER, small_data, tmp_path / "work"), tmp_path / "said", prepare)
        assert done.exitcode == code, done.said
        assert line in done.said
        assert done.said.count("repeat the command") == 1
        assert "Traceback" not in done.said
    assert_same(finished(TAGGER, small_data, tmp_path / "work"), whole_tagger)
