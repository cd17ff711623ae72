"""What a run says of the probing tests that it made: sizes and shares, filters, labels, sources.

The lines come from the record of the run, whatever suite made the tests; a column is there where a test has the figure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from polyprobe.analysis.output.tables import Table


def counts_in_parts(labels: Mapping[str, Mapping[str, int]]) -> dict[str, list[int]]:
    """Counts each label in every part, labels with the most items first (ties: in the order of the parts).

    Args:
        labels: of each part, the items of each label.
    """
    names = dict.fromkeys(name for of_part in labels.values() for name in of_part)
    counts = {name: [of_part.get(name, 0) for of_part in labels.values()] for name in names}
    return dict(sorted(counts.items(), key=lambda pair: -sum(pair[1])))


MOST_LABELS = 10  # of a test on the terminal; statistics.json has all
MOST_FILES = 4  # of one licence and revision
IN_FILES = "statistics.json of each test has all"
Test = Mapping[str, Any]  # of the record of a run


def tables_of_tests(record: Mapping[str, Any]) -> list[Table]:
    """Makes the tables of a finished run: tests, labels of their parts, filters, what they are made from."""
    tests = record["tests"]
    tables = [_tests_table(tests, record.get("left_out", [])), _labels_table(tests), _filters_table(tests)]
    return [*(table for table in tables if table is not None), _sources_table(record)]


def percent_of(share: float | None) -> str:
    """Writes a share from 0 to 1 in percent; nothing where there is none."""
    return "" if share is None else f"{100 * share:.2f}"


def _tests_table(tests: Mapping[str, Test], left_out: Sequence[str]) -> Table:
    columns = {header: cell for header, cell in _columns(tests).items() if any(map(cell, tests.values()))}
    right = {header: lambda one, cell=cell: cell(one[1]) for header, cell in columns.items()}
    table = Table.of(tests.items(), {"test": lambda one: one[0]}, right, folds=True)
    return table.titled("Probing tests", [*_notes(columns), *left_out])


def _columns(tests: Mapping[str, Test]) -> dict[str, Callable[[Test], str]]:
    """Returns what is said of a test, by header."""
    shared = dict.fromkeys(what for test in tests.values() for what in test.get("shared_with_train", {}))
    return {
        "items": lambda test: f"{sum(test['items'].values()):,}",
        "labels": lambda test: f"{len(counts_in_parts(test['labels'])):,}",
        "duplicates": lambda test: f"{test['duplicates']:,}" if test.get("duplicates") is not None else "",
        "ambiguous\n(%)": lambda test: percent_of(test.get("ambiguity", {}).get("several_labels")),
        "repeated\n(%)": lambda test: percent_of(test.get("ambiguity", {}).get("repeated")),
        "frequent\n(%)": lambda test: percent_of(test.get("frequent_share", {}).get("train")),
        **{f"{what.replace('_', ' ')} of\ntrain (%)": _shared(what) for what in shared},
        "majority\n(%)": lambda test: percent_of(test.get("majority", {}).get("accuracy")),
        "memoriser\n(%)": lambda test: percent_of(test.get("memoriser")),
    }


def _shared(what: str) -> Callable[[Test], str]:
    return lambda test: percent_of(test.get("shared_with_train", {}).get(what, {}).get("test"))


def _notes(columns: Mapping[str, Any]) -> list[str]:
    """Explains the columns that are there."""
    said = {
        "duplicates": "Duplicates: rows identical to an earlier one.",
        "ambiguous\n(%)": "Ambiguous: forms of the feature with several labels.",
        "repeated\n(%)": "Repeated: forms with several occurrences of the feature.",
        "frequent\n(%)": "Frequent: share of frequent words in train.",
    }
    of_train = [header.partition(" of\n")[0] for header in columns if " of\n" in header]
    shares = (
        f"{', '.join(of_train)} of train: share of test items for which it also occurs in train." if of_train else ""
    )
    sentences = [*(said[header] for header in columns if header in said), *([shares.capitalize()] if shares else [])]
    return [" ".join(sentences)] if sentences else []


def _labels_table(tests: Mapping[str, Test]) -> Table | None:
    if not tests:
        return None
    parts = list(dict.fromkeys(part for test in tests.values() for part in test["labels"]))
    table = Table(["test", f"label and its items in {', '.join(parts)}"])
    for names, test in tests_alike(tests, lambda test: test["labels"]):
        counts = counts_in_parts(test["labels"])
        written = [f"{label}: {_numbers(of_label)}" for label, of_label in list(counts.items())[:MOST_LABELS]]
        if len(counts) > MOST_LABELS:
            others = list(counts.values())[MOST_LABELS:]
            written.append(f"{len(others):,} more: {_numbers([sum(column) for column in zip(*others, strict=True)])}")
        table.add_row(names, "; ".join(written))
    is_cut = any(len(counts_in_parts(test["labels"])) > MOST_LABELS for test in tests.values())
    notes = [f"The {MOST_LABELS} labels with the most items; {IN_FILES}."] if is_cut else []
    return table.titled("Labels", notes)


def _numbers(counts: Sequence[int]) -> str:
    return "/".join(f"{count:,}" for count in counts)


def _filters_table(tests: Mapping[str, Test]) -> Table | None:
    table = Table(["test", "filter"], ["of", "removed", "removed (%)", "left"])
    for names, test in tests_alike(tests, lambda test: test.get("filters", [])):
        for shown, cells in zip(chain([names], repeat("")), _filter_rows(test.get("filters", [])), strict=False):
            table.add_row(shown, *cells)
    notes = [f"Filters that removed nothing are not shown; {IN_FILES}."]
    return table.titled("Items removed per filter", notes) if table.rows else None


def _filter_rows(steps: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[str]]:
    """Writes the filters that took something; of one that added items, how many there were and are."""
    n_before = unit = None
    for step in steps:
        came = n_before if step["unit"] == unit else step["taken"] + step["left"]
        if came != step["left"]:
            taken = [f"{step['taken']:,}", percent_of(step["share"])] if step["taken"] else ["", ""]
            yield step["filter"], f"{came:,} {step['unit']}", *taken, f"{step['left']:,}"
        n_before, unit = step["left"], step["unit"]
    if steps and all(step["taken"] == 0 for step in steps):
        yield "(none)", f"{n_before:,} {steps[-1]['unit']}", "", "", f"{n_before:,}"


def tests_alike(tests: Mapping[str, Test], what: Callable[[Test], Any]) -> list[tuple[str, Test]]:
    """Joins the names of tests of which the same is to be said: TagCount and CharacterBin have the same filters."""
    names: dict[str, list[str]] = {}
    for name, test in tests.items():
        names.setdefault(repr(what(test)), []).append(name)
    return [(", ".join(of_one), tests[of_one[0]]) for of_one in names.values()]


def _sources_table(record: Mapping[str, Any]) -> Table:
    files: dict[tuple[str, str], list[str]] = {}
    for source in record.get("made_from", []):
        files.setdefault((source["licence"], source["revision"]), []).append(source["file"])
    table = Table(["made from", "licence", "revision"])
    for (licence, revision), names in files.items():
        more = f" and {len(names) - MOST_FILES} more" if len(names) > MOST_FILES else ""
        table.add_row(", ".join(names[:MOST_FILES]) + more, licence, revision)
    n_malformed = record.get("malformed_rows_left_out", 0)
    return table.titled("Sources", [f"Malformed rows skipped: {n_malformed:,}."] if n_malformed else [])
