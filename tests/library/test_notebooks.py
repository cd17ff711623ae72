"""The notebooks run, cell by cell, in an empty folder: as code, since the tests go without Jupyter."""

import ast
import json
from pathlib import Path

import pytest

from tests.commands.scripts import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def shown_by(code: str, namespace: dict) -> object:
    """Executes a cell; returns the value of its last line, which a notebook shows."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), namespace)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_runs_are_shown_as_tables(path: Path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    namespace = {"__name__": "notebook"}
    shown = [shown_by("".join(cell["source"]), namespace) for cell in cells]
    tables = [one._repr_html_() for one in shown if hasattr(one, "_repr_html_")]
    assert tables
    assert all("<table" in table for table in tables)
    assert all(one._repr_png_().startswith(b"\x89PNG") for one in shown if hasattr(one, "_repr_png_"))
    assert str(shown[-1]).startswith("python probe.py ")
