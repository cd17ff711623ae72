"""docs/add_task.md: the task that it writes is trained, labels a file and is probed."""

import json
import re
from pathlib import Path

import pytest

from tests.commands.forked import run_script
from tests.commands.scripts import ROOT, on_small_data, only_run

FILE = re.compile(r"^### `(?P<name>[\w./]+)`\n.*?^```(?:python|yaml)\n(?P<content>.*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^python (\w+)\.py (--config-dir .*)$", re.MULTILINE)
TEXT = "o\nbu adam dün geldi ve gitti ve güldü ve sustu\n"
FASTER = ["trainer.threads=1", "probe.max_epochs=2"]


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs/add_task.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(page, tmp_path_factory) -> Path:
    """A folder with the files of the page."""
    made = tmp_path_factory.mktemp("mine")
    for file in FILE.finditer(page):
        path = made / file["name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file["content"], encoding="utf-8")
    (made / "text.txt").write_text(TEXT, encoding="utf-8")
    return made


def typed(page, number, folder, data, *more):
    """Types a command of the page, on a small data folder."""
    script, arguments = COMMAND.findall(page)[number]
    words = [
        word.replace("<run>", str(only_run(folder / "work", "train"))) if "<run>" in word else word
        for word in arguments.split()
    ]
    done = run_script(script, *words, *on_small_data(data, folder / "work"), *more, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def rows(run):
    return [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def test_the_page_names_every_file_that_it_writes(page):
    named = re.search(r"```\n(.*?)```", page, re.DOTALL)[1]
    written = [file["name"] for file in FILE.finditer(page)]
    assert [line.split()[0] for line in named.splitlines()] == written


def test_the_task_of_the_page_is_trained_predicts_and_is_probed(page, folder, small_data):
    typed(page, 0, folder, small_data, "trainer.threads=1")
    run = only_run(folder / "work", "train")
    assert run.name.startswith("length-mini-learned-s1-")
    of_test = [row for row in rows(run) if row["split"] == "test" and row["metric"] == "accuracy"]
    accuracy, baseline = of_test
    assert (accuracy["encoder"], baseline["encoder"]) == ("learned", "frequent_length")
    assert accuracy["interval_low"] <= accuracy["value"] <= accuracy["interval_high"]
    assert baseline["n"] == accuracy["n"]

    typed(page, 1, folder, small_data, "trainer.threads=1")
    (written,) = (run / "predictions").rglob("text.txt")
    lines = [line.split("\t") for line in written.read_text(encoding="utf-8").splitlines()]
    assert [sentence for _, sentence in lines] == TEXT.splitlines()
    assert {label for label, _ in lines} <= {"short", "medium", "long"}

    typed(page, 2, folder, small_data, *FASTER)
    probed = [row for row in rows(only_run(folder / "work", "probe")) if row["stage"] == "probing"]
    assert {(row["layer"], row["test"]) for row in probed} >= {("words", "Case")}
