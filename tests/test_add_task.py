"""docs/add_task.md: the task of examples/task is trained and probed with its commands."""

import json
import shutil
from pathlib import Path

import pytest

from tests.commands.scripts import ROOT, only_run
from tests.pages import Page

FASTER = ["trainer.threads=1", "probe.max_epochs=2"]


@pytest.fixture(scope="module")
def page() -> Page:
    return Page("add_task.md")


@pytest.fixture(scope="module")
def folder(page, tmp_path_factory) -> Path:
    return shutil.copytree(ROOT / "examples/task", tmp_path_factory.mktemp("mine") / "task")


def rows(run):
    return [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def test_the_page_names_every_file(page, folder):
    files = {str(path.relative_to(folder)) for path in folder.rglob("*.*") if "__pycache__" not in path.parts}
    assert set(page.listed_files()) == files


def test_the_task_of_the_page_is_trained_and_probed(page, folder, small_data):
    page.type_command(0, folder, small_data, "trainer.threads=1")
    run = only_run(folder / "work", "train")
    assert run.name.startswith("length-mini-learned-s1-")
    of_test = [row for row in rows(run) if row["split"] == "test" and row["metric"] == "accuracy"]
    accuracy, baseline = of_test
    assert (accuracy["encoder"], baseline["encoder"]) == ("learned", "frequent_length")
    assert accuracy["interval_low"] <= accuracy["value"] <= accuracy["interval_high"]
    assert baseline["n"] == accuracy["n"]

    page.type_command(1, folder, small_data, *FASTER)
    probed = [row for row in rows(only_run(folder / "work", "probe")) if row["stage"] == "probing"]
    assert {(row["layer"], row["test"]) for row in probed} >= {("words", "Case")}
