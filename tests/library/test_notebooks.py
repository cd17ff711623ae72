"""The notebooks run in a kernel, cell by cell, in an empty folder."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.commands.scripts import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_runs_are_shown_as_tables(path: Path, tmp_path, monkeypatch):
    folders = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(folders))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("<caption>" in one.get("text/html", "") for one in shown)
    assert {key for one in shown for key in one} >= ({"image/png"} if "figure" in path.read_text() else set())
    assert "python probe.py data=" in shown[-1]["text/plain"]
