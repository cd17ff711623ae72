"""docs/add_metric.md: with its edits a metric stands in rows, tables and files, and is documented."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.scripts import ROOT, on_small_data, only_run

EDIT = re.compile(
    r"^### `(?P<file>[\w./]+)` after (?P<ticks>`+)(?P<line>[^\n]+)(?P=ticks)\n\n```\w+\n(?P<added>.*?)^```",
    re.DOTALL | re.MULTILINE,
)
COPIED = ("src", "conf", "published", "docs", "tests", "probe.py", "pyproject.toml")


@pytest.fixture(scope="module")
def edited(tmp_path_factory) -> Path:
    """A copy of polyprobe with the edits of the page."""
    copy = tmp_path_factory.mktemp("edited")
    for name in COPIED:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, copy / name)
    (copy / "polyprobe").symlink_to("src")
    page = (ROOT / "docs/add_metric.md").read_text(encoding="utf-8")
    edits = [*EDIT.finditer(page)]
    assert len(edits) == 4
    for edit in edits:
        lines = (copy / edit["file"]).read_text(encoding="utf-8").splitlines(keepends=True)
        (place,) = (n for n, line in enumerate(lines) if line.strip() == edit["line"].strip())
        lines.insert(place + 1, edit["added"])
        (copy / edit["file"]).write_text("".join(lines), encoding="utf-8")
    return copy


def test_the_metric_stands_in_rows_tables_and_files(edited, small_data):
    options = ["tests=[Case,Tense]", "seeds=2", "probe.max_epochs=2", *on_small_data(small_data, edited / "work")]
    done = subprocess.run(
        [sys.executable, "probe.py", *options], capture_output=True, text=True, cwd=edited, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "MCC" in done.stdout
    run = only_run(edited / "work", "probe")
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    found = [row["matthews"] for row in rows if row["stage"] == "probing"]
    assert len(found) == 6  # two tests, two seeds and their mean
    assert all(-1 <= value <= 1 for value in found)


def test_the_copy_documents_its_columns(edited):
    command = [sys.executable, "-m", "pytest", "-q", "tests/runs/test_results.py", "-k", "docs or document or explain"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=edited, check=False)
    assert done.returncode == 0, done.stdout
