"""Which languages have which tests of a suite: `python probe.py suite=linspector_type list=languages`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from src.display.plural import plural
from src.display.terminal import Terminal
from src.errors import Impossible, MalformedLine, PolyprobeError
from src.probing.minimal_sets.listing import n_sets
from src.probing.suites.availability import available_tests
from src.probing.suites.chosen import chosen_set_files, chosen_suite, has_minimal_sets
from src.probing.suites.minimal_set_files import ConstructionFile, SetFiles, available
from src.runs.names.conf_folders import choice_files, choice_settings
from src.runs.workspace import Workspace

PRESENT, DOWNLOADABLE, MISSING, NONE, DAMAGED = "x", "o", "!", ".", "damaged"
MARKS = {"present": PRESENT, "downloadable": DOWNLOADABLE, "missing": MISSING}
Cells = Mapping[str, str]  # of a language, by test


def print_languages(config: Mapping[str, Any]) -> None:
    """Prints a line for each test and a column for each language that has any; of minimal sets their numbers.

    Languages whose files are generated are left out: listing them would make the files. One whose constructions cannot
    be told, since the file that names them is damaged, is told below the tables.

    Raises:
        Impossible: no language has a test of the suite.
    """
    root = Workspace.of(config["paths"]).data
    of_language = _sets if has_minimal_sets(config["suite"]) else _tests
    cells: dict[str, Cells] = {}
    damaged: dict[str, MalformedLine] = {}
    for code in choice_files("lang"):
        lang = choice_settings("lang", code)
        if lang.get("generator") is not None:
            continue
        try:
            found = of_language(config, lang, root)
        except MalformedLine as place:
            damaged[code] = place
        else:
            cells |= {code: found} if found else {}
    if not cells and not damaged:
        raise Impossible(
            f"No language has tests of suite={config['suite']['name']}: none are in {root}, and none can be fetched."
        )
    if cells:
        _print(config["suite"], cells, root)
    for code, place in damaged.items():
        Terminal().print(f"{DAMAGED}: lang={code}: {place}")


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
    return {file.name: _count(files, lang, file, root) for file in listed}


def _count(files: SetFiles, lang: Mapping[str, Any], file: ConstructionFile, root: Path) -> str:
    if not (root / file.target).is_file():
        return DOWNLOADABLE
    try:
        return f"{n_sets(files, lang, file, root):,}"
    except PolyprobeError:
        return DAMAGED


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
    present = f"a number: files are here; {DAMAGED}: none can be read" if are_sets else f"{PRESENT}: files are here"
    console.print(
        f"{present}; {DOWNLOADABLE}: can be fetched; {MISSING}: cannot; {NONE}: no such test.\n"
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
