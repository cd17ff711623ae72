"""Which constructions a suite of minimal sets has: `python probe.py suite=clams lang=fr list=true`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table

from src.display.terminal import Terminal
from src.formats.reading.malformed import Skipped
from src.probing.suites.chosen import chosen_set_files
from src.probing.suites.minimal_set_files import REGIONS, ConstructionFile, SetFiles, available, chosen, load, root_of
from src.probing.suites.region_tests import load_regions
from src.runs.workspace import Workspace


def print_constructions(config: Mapping[str, Any]) -> None:
    """Prints the constructions of the configured suite and language with their numbers of sets; nothing is fetched.

    Raises:
        PolyprobeError: the language has none, or not the requested ones.
    """
    lang, files = config["lang"], chosen_set_files(config["suite"])
    root = root_of(files, lang, Workspace.of(config["paths"]))
    listed = available(files, lang, root)
    scored = chosen(listed, files, config["tests"])
    table = Table(title=f"{files.name}, {lang['name']}")
    for column in ("construction", "sets", "file", "scored"):
        table.add_column(column, justify="right" if column == "sets" else "left")
    for file in listed:
        is_here = (root / file.target).is_file()
        counted = f"{n_sets(files, lang, file, root):,}" if is_here else "?"
        table.add_row(file.name, counted, "present" if is_here else "downloadable", "yes" if file in scored else "")
    console = Terminal()
    console.print(table)
    console.print(f"Files below {root}. tests=[…] chooses others than those scored.")


def n_sets(files: SetFiles, lang: Mapping[str, Any], file: ConstructionFile, root: Path) -> int:
    """Counts the sets of a construction whose file is here; lines that cannot be read are passed over."""
    read = load_regions if files.format == REGIONS else load
    (construction,) = read(files, lang, [file], root, None, Skipped()).constructions
    return construction.n_sets
