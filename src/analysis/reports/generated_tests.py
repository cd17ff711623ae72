"""Reports the probing tests that `python generate.py` made: the same for every suite, from the record of the run."""

import json
from pathlib import Path
from typing import Any

from src.analysis.output.table_files import say_files, write_tables
from src.analysis.output.terminal_tables import show
from src.analysis.tables.made_sets import tables_of_tests
from src.analysis.tables.published_sets import PublishedSets, published_tables
from src.display.short_paths import short_path
from src.display.shown import say
from src.generation.made_tests.writing import STATISTICS
from src.runs.directory import RunDirectory


def report_generated_tests(run: RunDirectory, published: PublishedSets | None) -> None:
    """Prints the tables of a finished run, draws its labels, and says where everything is.

    Args:
        run: that made the tests.
        published: tests that are set beside those of the run, or None.
    """
    record = run.record()
    tables = {"tests": tables_of_tests(record)}
    if published is not None:
        tables["published"] = published_tables(published, record["tests"], _lexicon(run))
    show(*(table for of_name in tables.values() for table in of_name))
    for name, of_name in tables.items():
        say_files(write_tables(run.pictures / name, of_name))
    for picture in _draw(run):
        say(f"picture   {short_path(picture)}")
    say(f"tests     {short_path(run.sets)}")


def _lexicon(run: RunDirectory) -> dict[str, Any]:
    """Returns the counts of the lexicon or treebank that was read, which every test says."""
    for name in run.record()["tests"]:
        statistics = json.loads(run.checked(run.sets / name / STATISTICS).read_text(encoding="utf-8"))
        return statistics.get("lexicon") or statistics.get("treebank") or {}
    return {}


def _draw(run: RunDirectory) -> list[Path]:
    from src.analysis.pictures.label_shares import draw_label_shares  # matplotlib

    tests = run.record()["tests"]
    return draw_label_shares(tests, run.name, run.pictures / "labels") if tests else []
