"""Which downstream tasks there are: `python probe.py suite=senteval_downstream lang=en list=true`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from src.display.terminal import Terminal
from src.errors import check_choice
from src.formats.reading.malformed import handler_named
from src.probing.suites.chosen import chosen_tasks_suite
from src.probing.suites.downstream_tasks import (
    PROTOCOLS,
    DownstreamSuite,
    TaskStatus,
    available_tasks,
    chosen_tasks,
    load_task,
)
from src.resources.data_root import data_root
from src.runs.workspace import Workspace


def print_tasks(config: Mapping[str, Any]) -> None:
    """Prints the tasks with their numbers of items, what is fitted, and what is done with rows; nothing is fetched.

    Raises:
        PolyprobeError: the language has no such tasks, or a file is not what it should be.
    """
    lang, suite = config["lang"], chosen_tasks_suite(config["suite"])
    check_choice("protocol", config["protocol"], PROTOCOLS)
    root = data_root(lang, Workspace.of(config["paths"]))
    statuses = available_tasks(suite, lang, root)
    names = statuses if config["tests"] is None else chosen_tasks(statuses, config["tests"])
    table = Table(title=f"{suite.name}, {lang['name']}, protocol={config['protocol']}")
    for column in ("task", "items", "fit", "words", "files", "rows"):
        table.add_column(column)
    for status in statuses:
        if status in names or status.name in names:
            table.add_row(*_cells(suite, status, root, config))
    console = Terminal()
    console.print(table)
    console.print(f"Files below {root}; conf/suite/{suite.name}.yaml names them. tests=[…] chooses tasks.")


def _cells(suite: DownstreamSuite, status: TaskStatus, root: Path, config: Mapping[str, Any]) -> tuple[str, ...]:
    settings = suite.tasks[status.name]
    files = f"{status.state}: {' '.join(status.absent)}" if status.absent else status.state
    if status.absent:
        return status.name, "?", settings.fit, settings.words, files, "?"
    handler = handler_named(config["data"]["on_malformed"])
    task = load_task(suite, status.name, root, None, config["protocol"], handler)
    numbers = ", ".join(f"{part} {len(items):,}" for part, items in task.parts.items())
    return status.name, numbers, settings.fit, settings.words, files, task.note or "all kept"
