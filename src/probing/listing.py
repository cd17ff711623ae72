"""Which tests a suite has for a language: `python probe.py lang=fi list=true`."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table

from src.display.plural import plural
from src.display.terminal import Terminal
from src.formats.reading.malformed import Skipped
from src.probing.suites.availability import TestStatus, available_tests, chosen_tests
from src.probing.suites.chosen import chosen_suite
from src.probing.suites.tests import load_test
from src.resources.data_root import data_root
from src.runs.workspace import Workspace
from src.splits import SPLITS

# Of one probe with one layer and seed on 7,000 training examples, on two cores: from benchmarks/probe_bank.py.
SECONDS_PER_PROBE = 1.3
ROWS_OF_THAT_PROBE = 7000


def print_tests(config: Mapping[str, Any]) -> None:
    """Prints the tests of the configured suite and language, their files, and about how long they take.

    Raises:
        PolyprobeError: the language has no test of the suite, or not the requested one.
    """
    lang, suite = config["lang"], chosen_suite(config["suite"])
    root = data_root(lang, Workspace.of(config["paths"]))
    statuses = available_tests(suite, lang, root)
    names = chosen_tests(statuses, config["tests"])
    chosen = [status for status in statuses if status.name in names]
    if suite.columns is not None:  # sizes are known when the rows are made
        tests = [load_test(suite, lang, one.name, root, None, Skipped()) for one in chosen]
        sizes = [{split: len(getattr(test, split).items) for split in SPLITS} for test in tests]
        chosen = [replace(one, sizes=of_test) for one, of_test in zip(chosen, sizes, strict=True)]
    console = Terminal()
    console.print(_table(f"{suite.name}, {lang['name']}", chosen))
    n_rows = sum(status.sizes.get("train", suite.train_rows) for status in chosen)
    seconds = n_rows / ROWS_OF_THAT_PROBE * SECONDS_PER_PROBE * config["seeds"]
    console.print(f"Files: {config['suite'].get('path') or root}")
    if any(len(status.sizes) < 3 for status in chosen):
        console.print(f"A size ? is taken for {suite.train_rows:,} rows, as published.")
    console.print(
        f"About {max(1, round(seconds))} s on two cores with probe=mlp for each layer and epoch, "
        f"{plural(config['seeds'], 'seed')}, without encoding. A grid takes that for each of its cells, and longer "
        "for more epochs; counts and lengths have other probes."
    )


def _table(title: str, statuses: list[TestStatus]) -> Table:
    table = Table(title=title)
    for column in ("test", "train", "dev", "test", "files"):
        table.add_column(column, justify="left" if column == "files" else "right")
    for status in statuses:
        sizes = [str(status.sizes.get(split, "?")) for split in SPLITS]
        absent = " ".join(Path(target).name for target in status.absent)
        files = f"{status.state}: {absent}" if absent else status.state
        table.add_row(status.name, *sizes, files)
    return table
