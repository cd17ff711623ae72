"""Run folders that are removed while a command works, and commands that are refused before they work."""

import os
import shutil
from pathlib import Path

import pytest

import polyprobe.probing.probing_run
import polyprobe.training.training_run  # noqa: F401  (loaded here, once for all that is forked)
from polyprobe.models.tagger import Tagger
from polyprobe.probing.bank.chunk import Chunk
from tests.commands.forked import call_at, ended
from tests.commands.scripts import on_small_data, small_training

PROBING = ["encoder=random", "tests=[Case]", "probe.max_epochs=2", "trainer.threads=1"]


def runs(work: Path) -> list[Path]:
    return [path for kind in ("train", "probe") for path in (work / "runs" / kind).glob("*")]


def removed(folder: Path):
    return lambda: shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("sweep", [[], ["-m"]])
@pytest.mark.parametrize(
    ("script", "owner", "name", "number"),
    [("train", Tagger, "training_step", 2), ("probe", Chunk, "advance", 2), ("train", os, "fsync", 12)],
)
def test_a_work_folder_that_is_removed_while_a_command_works_is_one_clear_line(
    sweep, script, owner, name, number, small_data, tmp_path
):
    work = tmp_path / "work"
    training, probing = small_training(small_data, work, task="pos"), [*on_small_data(small_data, work), *PROBING]
    options = {"train": training, "probe": probing}
    arguments = [*sweep, *options[script], *(["seed=1,2"] if sweep else [])]
    done = ended(script, arguments, tmp_path / "said", call_at(owner, name, number, removed(work)))
    assert done.exitcode == 1, done.said
    assert done.said.count("during the sweep" if sweep else "during the run") == 1, done.said
    assert "Traceback" not in done.said
    assert "finished:" not in done.said
    assert runs(work) == []


@pytest.mark.parametrize(
    ("script", "wrong"),
    [
        ("train", ["seed=-1"]),
        ("train", ["monitor=dev/acuracy"]),
        ("train", ["probe_each_epoch=[Cse]"]),
        ("train", ["task=word_vectors", "model=fasttext", "model.workers=0"]),
        ("probe", ["cache.number=float8"]),
        ("probe", ["trainer.accelerator=tpu"]),
        ("probe", ["encoder=static_vectors", "encoder.path=nowhere.vec"]),
    ],
)
def test_a_start_that_is_refused_leaves_no_run_folder(script, wrong, small_data, tmp_path):
    common = on_small_data(small_data, tmp_path / "work")
    chosen = {"train": ["task=pos"], "probe": PROBING}[script]
    done = ended(script, [*common, *chosen, *wrong], tmp_path / "said")
    assert done.exitcode in (1, 2), done.said
    assert "Traceback" not in done.said
    assert runs(tmp_path / "work") == []
