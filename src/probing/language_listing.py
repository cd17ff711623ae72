"""Which languages have which tests of a suite: `python probe.py suite=linspector_type list=languages`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from src.display.plural import plural
from src.display.terminal import Terminal
from src.errors import Impossible
from src.probing.minimal_sets.listing import n_sets
from src.probing.suites.availability import available_tests
from src.probing.suites.chosen import chosen_set_files, chosen_suite, has_minimal_sets
from src.probing.suites.minimal_set_files import available
from src.runs.names.conf_folders import choice_files, choice_settings
from src.runs.workspace import Workspace

PRESENT, DOWNLOADABLE, MISSING, NONE = "x", "o", "!", "."
MARKS = {"present": PRESENT, "downloadable": DOWNLOADABLE, "missing": MISSING}
Cells = Mapping[str, str]  # of a language, by test


def print_languages(config: Mapping[str, Any]) -> None:
    """Prints a line for each test and a column for each language that has any; of minimal sets their numbers.

    Languages whose files are generated are left out: listing them would make the files.

    Raises:
        Impossible: no language has a test of the suite.
    """
    root = Workspace.of(config["paths"]).data
    of_language = _sets if has_minimal_sets(config["suite"]) else _tests
    cells: dict[str, Cells] = {}
    for code in choice_files("lang"):
        lang = choice_settings("lang", code)
        if lang.get("generator") is None and (found := of_language(config, lang, root)):
            cells[code] = found
    name = config["suite"]["name"]
    if not cells:
        raise Impossible(f"No language has tests of suite={name}: none are in {root}, and none can be fetched.")
    _print(config["suite"], cells, root)


def _tests(config: Mapping[str, Any], lang: Mapping[str, Any], root: Path) -> Cells:
    try:
        statuses = available_tests(chosen_suite(config["suite"]), lang, root)
    except Impossible:
        return {}
    return {status.name: MARKS[status.state] for status in statuses}


def _sets(config: Mapping[str, Any], lang: Mapping[str, Any], root: Path) -> Cells:
    files = chosen_set_files(config["suite"])
    try:
        listed = available(files, lang, root)
    except Impossible:
        return {}
    here = {file.name: (root / file.target).is_file() for file in listed}
    return {file.name: f"{n_sets(files, lang, file, root):,}" if here[file.name] else DOWNLOADABLE for file in listed}


def _print(suite: Mapping[str, Any], cells: Mapping[str, Cells], root: Path) -> None:
    tests, are_sets = _in_order(cells, suite.get("tests") or ()), has_minimal_sets(suite)
    console = Terminal()
    for codes in _abreast(cells, max(map(len, tests)), console.width):
        table = Table(title=f"{suite['name']}, {'minimal sets' if are_sets else 'tests'} by language")
        table.add_column("construction" if are_sets else "test")
        for code in codes:
            table.add_column(code, justify="right")
        for test in tests:
            table.add_row(test, *(cells[code].get(test, NONE) for code in codes))
        console.print(table)
    pairs = [mark for of_language in cells.values() for mark in of_language.values()]
    here = len(pairs) - sum(mark in (DOWNLOADABLE, MISSING) for mark in pairs)
    present = "a number" if are_sets else PRESENT
    console.print(
        f"{present}: files are here; {DOWNLOADABLE}: can be fetched; {MISSING}: cannot; {NONE}: no such test.\n"
        f"{plural(len(cells), 'language')}, {plural(len(tests), 'test')}, {plural(len(pairs), 'pair')} of both; the "
        f"files of {here} are in {root}."
    )


def _in_order(cells: Mapping[str, Cells], published: Sequence[str]) -> list[str]:
    """Returns all tests, first those of the published tables in their order."""
    found = dict.fromkeys(test for of_language in cells.values() for test in of_language)
    return [*(test for test in published if test in found), *(test for test in found if test not in published)]


def _abreast(cells: Mapping[str, Cells], longest_test: int, width: int) -> list[Sequence[str]]:
    """Deals the languages out to tables that are no wider than the terminal."""
    tables, left = [[]], 0
    for code, of_language in cells.items():
        column = max(len(code), *map(len, of_language.values())) + 3
        if left < column:
            tables.append([])
            left = width - longest_test - 4
        tables[-1].append(code)
        left -= column
    return [codes for codes in tables if codes]
