"""What `python probe.py list=…` shows: tests of a language, which languages have which, or what is in the files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table

from polyprobe.display.shown import plural
from polyprobe.display.terminal import Terminal
from polyprobe.errors import Impossible, PolyprobeError, UnknownChoice
from polyprobe.formats.reading.malformed import Skipped, handler_named
from polyprobe.named import built
from polyprobe.probing.settings import ProbeSettings, check_tests
from polyprobe.probing.suites.availability import available_tests, chosen_tests
from polyprobe.probing.suites.chosen import (
    chosen_set_files,
    chosen_suite,
    has_downstream_tasks,
    has_minimal_sets,
)
from polyprobe.probing.suites.downstream_tasks import (
    available_tasks,
    chosen_tasks,
    load_task,
)
from polyprobe.probing.suites.minimal_set_files import (
    ConstructionFile,
    SetFiles,
    available,
    chosen,
    load,
    root_of,
)
from polyprobe.probing.suites.tests import load_test
from polyprobe.probing.test_statistics import statistics
from polyprobe.resources.data_root import data_root
from polyprobe.runs.names.conf_folders import choice_files, choice_settings
from polyprobe.splits import SPLITS

LANGUAGES, STATISTICS = "languages", "statistics"
Shown = list[Table | str]  # one below the other


def listed(asked: ProbeSettings) -> Shown:
    """Returns what `list` asks for, as tables and lines; nothing is fetched.

    Args:
        asked: of probe.py; `list` is true, "languages" or "statistics".

    Raises:
        BadValue: `tests` is an empty list, or none.
        UnknownChoice: `list` is another word.
        PolyprobeError: the suite has nothing of the kind, or the language has no test of the suite.
    """
    what, suite = asked.list, asked.suite.options
    check_tests(asked.tests, "[Case,Tense], of the names that list=true prints")
    has_sets, has_tasks = has_minimal_sets(suite), has_downstream_tasks(suite)
    if what is True:
        return constructions(asked) if has_sets else downstream_tasks(asked) if has_tasks else probing_tests(asked)
    if what not in (LANGUAGES, STATISTICS):
        raise UnknownChoice("list", str(what), ["true", "false", LANGUAGES, STATISTICS])
    if has_tasks or (has_sets and what == STATISTICS):
        found = "minimal sets" if has_sets else "downstream tasks"
        raise PolyprobeError(f"suite={suite['name']} has {found}: list={what} does not cover them. Expected list=true.")
    if what == STATISTICS:
        return statistics(asked)
    if "path" in suite:
        raise PolyprobeError(
            f"suite={suite['name']} has the files of suite.path, whatever the language: list={what} says nothing of "
            f"them. Expected list=true."
        )
    return languages(asked)


def probing_tests(asked: ProbeSettings) -> Shown:
    """Returns the tests of the configured suite and language, with their sizes and files."""
    lang, suite = asked.lang, chosen_suite(asked.suite.options)
    root = data_root(lang, asked.workspace)
    statuses = available_tests(suite, lang, root)
    names = chosen_tests(statuses, asked.tests)
    chosen = [status for status in statuses if status.name in names]
    if suite.columns is not None:  # sizes are known when the rows are made
        read = [load_test(suite, lang, one.name, root, None, Skipped()) for one in chosen]
        sizes = [{split: len(getattr(test, split).items) for split in SPLITS} for test in read]
        chosen = [replace(one, sizes=of_test) for one, of_test in zip(chosen, sizes, strict=True)]
    table = Table(title=f"{suite.name}, {lang['name']}")
    for column in ("test", "train", "dev", "test", "files"):
        table.add_column(column, justify="left" if column == "files" else "right")
    for status in chosen:
        absent = " ".join(Path(target).name for target in status.absent)
        files = f"{status.state}: {absent}" if absent else status.state
        table.add_row(status.name, *(str(status.sizes.get(split, "?")) for split in SPLITS), files)
    return [table, f"Files: {asked.suite.options.get('path') or root}"]


def constructions(asked: ProbeSettings) -> Shown:
    """Returns the constructions of the configured suite and language with their numbers of sets; nothing is fetched."""
    lang, files = asked.lang, chosen_set_files(asked.suite.options)
    root = root_of(files, lang, asked.workspace)
    found = available(files, lang, root)
    scored = chosen(found, files, asked.tests)
    table = Table(title=f"{files.name}, {lang['name']}")
    for column in ("construction", "sets", "file", "scored"):
        table.add_column(column, justify="right" if column == "sets" else "left")
    for file in found:
        is_here = (root / file.target).is_file()
        counted = _n_sets(files, lang, file, root) if is_here else "?"
        table.add_row(file.name, counted, "present" if is_here else "downloadable", "yes" if file in scored else "")
    return [table, f"Files below {root}. Choose others with tests=[…]."]


def _n_sets(files: SetFiles, lang: Mapping[str, Any], file: ConstructionFile, root: Path) -> str:
    """Returns the number of sets of a construction whose file is here, without those of bad lines."""
    (construction,) = load(files, lang, [file], root, None, Skipped()).constructions
    return f"{len(construction.sets):,}"


def downstream_tasks(asked: ProbeSettings) -> Shown:
    """Returns the tasks with their numbers of items, what is fitted, and what is done with rows; nothing is fetched."""
    lang, suite = asked.lang, built(asked.suite.options, "suite")
    root = data_root(lang, asked.workspace)
    statuses = available_tasks(suite, lang, root)
    names = [one.name for one in statuses] if asked.tests is None else chosen_tasks(statuses, asked.tests)
    table = Table(title=f"{suite.name}, {lang['name']}, protocol={asked.protocol}")
    for column in ("task", "items", "fit", "words", "files", "rows"):
        table.add_column(column)
    for status in statuses:
        if status.name not in names:
            continue
        settings, n_items, note, files = suite.tasks[status.name], "?", "?", status.state
        if status.absent:
            files = f"{status.state}: {' '.join(status.absent)}"
        else:
            handler = handler_named(asked.on_malformed)
            task = load_task(suite, status.name, root, None, asked.protocol, handler)
            n_items = ", ".join(f"{part} {len(items):,}" for part, items in task.parts.items())
            note = task.note or "all kept"
        table.add_row(status.name, n_items, settings.fit, settings.words, files, note)
    return [table, f"Files below {root}; conf/suite/{suite.name}.yaml names them. tests=[…] chooses tasks."]


PRESENT, DOWNLOADABLE, MISSING, NONE = "x", "o", "!", "."
MARKS = {"present": PRESENT, "downloadable": DOWNLOADABLE, "missing": MISSING}
Cells = Mapping[str, str]  # of a language, by test


def languages(asked: ProbeSettings) -> Shown:
    """Returns a line for each test and a column for each language that has any; of minimal sets their numbers.

    Languages whose files are generated are left out: listing them would make the files.
    """
    root = asked.workspace.data
    of_language = _sets if has_minimal_sets(asked.suite.options) else _tests
    cells: dict[str, Cells] = {}
    for code in choice_files("lang"):
        lang = choice_settings("lang", code)
        if lang.get("generator") is not None:
            continue
        if found := of_language(asked, lang, root):
            cells[code] = found
    if not cells:
        found = f"No language has tests of suite={asked.suite.options['name']}"
        raise Impossible(f"{found}: none are in {root}, and none can be fetched.")
    return _tables_of_languages(asked.suite.options, cells, root)


def _tests(asked: ProbeSettings, lang: Mapping[str, Any], root: Path) -> Cells:
    try:
        statuses = available_tests(chosen_suite(asked.suite.options), lang, root)
    except Impossible:
        return {}
    return {status.name: MARKS[status.state] for status in statuses}


def _sets(asked: ProbeSettings, lang: Mapping[str, Any], root: Path) -> Cells:
    files = chosen_set_files(asked.suite.options)
    try:
        found = available(files, lang, root)
    except Impossible:
        return {}
    return {
        file.name: _n_sets(files, lang, file, root) if (root / file.target).is_file() else DOWNLOADABLE
        for file in found
    }


def _tables_of_languages(suite: Mapping[str, Any], cells: Mapping[str, Cells], root: Path) -> Shown:
    tests, are_sets = _in_order(cells, suite.get("tests") or ()), has_minimal_sets(suite)
    tables: list[Table] = []
    for codes in _abreast(cells, max(map(len, tests)), Terminal().width):
        table = Table(title=f"{suite['name']}, {'minimal sets' if are_sets else 'tests'} by language")
        table.add_column("construction" if are_sets else "test")
        for code in codes:
            table.add_column(code, justify="right")
        for test in tests:
            table.add_row(test, *(cells[code].get(test, NONE) for code in codes))
        tables.append(table)
    pairs = [mark for of_language in cells.values() for mark in of_language.values()]
    here = len(pairs) - sum(mark in (DOWNLOADABLE, MISSING) for mark in pairs)
    present = "a number: files are here" if are_sets else f"{PRESENT}: files are here"
    return [
        *tables,
        f"{present}; {DOWNLOADABLE}: can be fetched; {MISSING}: cannot; {NONE}: no such test.\n"
        f"{plural(len(cells), 'language')}, {plural(len(tests), 'test')}, {plural(len(pairs), 'pair')} of both; the "
        f"files of {here} are in {root}.",
    ]


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
