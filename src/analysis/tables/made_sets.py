"""What a run says of the probing tests that it made: sizes and shares, filters, labels, sources.

The lines come from the record of the run, whatever suite made the tests; a column is there where a test has the figure.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from statistics import mean
from typing import Any

from polyprobe.analysis.output.tables import Table
from polyprobe.errors import PolyprobeError, check_choice
from polyprobe.generation.made_tests.writing import STATISTICS
from polyprobe.generation.sentence_tests.sentence_splits import ABOUT
from polyprobe.runs.directory import RunDirectory

_READ = ("lexicon", "treebank", "corpus")  # what tests were made from, as their statistics call it


def made_from(run: RunDirectory) -> dict[str, Any]:
    """Returns the counts of what was read, which the statistics of every test say; empty where no test was made."""
    for name in run.record().get("tests", ()):
        folders = (run.sets / name, run.sets / ABOUT / name)
        for path in (run.checked(folder / STATISTICS) for folder in folders if (folder / STATISTICS).exists()):
            statistics = json.loads(path.read_text(encoding="utf-8"))
            return next((statistics[kind] for kind in _READ if kind in statistics), {})
    return {}


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
        **{
            f"{header}\n(%)": _ambiguity(name)
            for name, header in {"several_labels": "ambiguous", "repeated": "repeated"}.items()
        },
        "frequent\n(%)": lambda test: percent_of(test.get("frequent_share", {}).get("train")),
        **{f"{what.replace('_', ' ')} of\ntrain (%)": _shared(what) for what in shared},
        "majority\n(%)": lambda test: percent_of(test.get("majority", {}).get("accuracy")),
        "memoriser\n(%)": lambda test: percent_of(test.get("memoriser")),
    }


def _ambiguity(name: str) -> Callable[[Test], str]:
    return lambda test: percent_of(test.get("ambiguity", {}).get(name))


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


_KEYS = ("source", "rows", "lexicon", "notes")
_COUNTED = {
    "paradigms": "lemmas",
    "forms": "triples",
    "sentences": "sentences",
    "tokens": "tokens",
}  # in statistics.json
_LEXICON = (*_COUNTED, "ambiguous")
_OF_TOKENS = "forms_of_several_bundles"


@dataclass(frozen=True, slots=True)
class PublishedSets:
    """What is known of published tests of a language."""

    source: str
    """A paper and its table."""
    labels: Mapping[str, Mapping[str, int]]
    """Of each test, the items of each label in all parts."""
    lexicon: Mapping[str, float]
    """What they were made from: `paradigms` and `forms`, or `sentences` and `tokens`; and `ambiguous`, the share of
    ambiguous forms (of paradigms: averaged over the tests). Empty where it is unknown."""
    notes: Sequence[str]
    """Why what is made here differs."""

    @classmethod
    def of_language(cls, expected: Mapping[str, Any], code: str) -> "PublishedSets | None":
        """Reads what `expected` of an experiment for generate.py says under `languages`; None without the code.

        Raises:
            UnknownChoice, PolyprobeError: see `of`.
        """
        of_code = expected["languages"].get(code)
        return None if of_code is None else cls.of({"source": expected.get("source"), **of_code})

    @classmethod
    def of(cls, expected: Mapping[str, Any]) -> "PublishedSets":
        """Reads what is known of the tests of one language.

        Raises:
            UnknownChoice: a key is unknown.
            PolyprobeError: a row is no test with its labels.
        """
        for keys, known, where in ((expected, _KEYS, "expected"), (expected.get("lexicon", {}), _LEXICON, "lexicon")):
            for key in keys:
                check_choice(f"The key of {where}", key, known)
        rows = expected.get("rows") or ()
        for row in rows:
            if not _is_row(row):
                raise PolyprobeError(
                    f"expected.rows: found {row}. Expected entries {{test: …, labels: {{label: items}}}}."
                )
        labels = {row["test"]: {str(label): n for label, n in row["labels"].items()} for row in rows}
        lexicon, notes = expected.get("lexicon", {}), expected.get("notes", ())
        return cls(expected.get("source", "no source given"), labels, lexicon, notes)


def _is_row(row: Any) -> bool:
    if not isinstance(row, Mapping) or set(row) != {"test", "labels"} or not isinstance(row["labels"], Mapping):
        return False
    return bool(row["labels"]) and all(type(n_items) is int and n_items >= 0 for n_items in row["labels"].values())


def published_tables(
    published: PublishedSets, tests: Mapping[str, Mapping[str, Any]], lexicon: Mapping[str, Any]
) -> list[Table]:
    """Makes the tables of what was published and what was made; none of what is not known of the published tests.

    Args:
        lexicon: counts of what the run read, as in statistics.json; empty where they are unknown.
    """
    tables = [_published_labels_table(published.labels, tests)] if published.labels else []
    if published.lexicon:
        tables.append(_lexicon_table(published.lexicon, tests, lexicon))
    sources = [*published.notes, f"Source: {published.source}"]
    return [*(table.with_notes(*sources) for table in tables[:1]), *tables[1:]]


def _published_labels_table(
    published: Mapping[str, Mapping[str, int]], tests: Mapping[str, Mapping[str, Any]]
) -> Table:
    table = Table(["test", "label: items published/made"], ["published", "made", "unlike (%)"])
    for test, labels in published.items():
        table.add_row(*_cells(test, labels, _labels(tests[test]) if test in tests else None))
    notes = ["Unlike: total variation distance of the two label distributions (%)."]
    return table.titled("Published and made", notes)


def _cells(test: str, published: Mapping[str, int], made: Mapping[str, int] | None) -> Iterator[str]:
    yield test
    names = [*published, *(label for label in made or () if label not in published)]
    yield "; ".join(
        f"{name}: {published.get(name, 0):,}/{'-' if made is None else f'{made.get(name, 0):,}'}" for name in names
    )
    yield f"{sum(published.values()):,}"
    if made is None:
        yield from ("not made", "")
    else:
        yield from (f"{sum(made.values()):,}", f"{100 * distance(published, made):.1f}")


def distance(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Returns how far two distributions of labels lie apart: half the sum of the differences of all shares, 0 to 1."""
    n_one, n_other = sum(one.values()), sum(other.values())
    return sum(abs(one.get(label, 0) / n_one - other.get(label, 0) / n_other) for label in {**one, **other}) / 2


def _labels(test: Mapping[str, Any]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for of_part in test["labels"].values():
        for label, n_items in of_part.items():
            counts[label] = counts.get(label, 0) + n_items
    return counts


def _lexicon_table(
    published: Mapping[str, float], tests: Mapping[str, Mapping[str, Any]], lexicon: Mapping[str, Any]
) -> Table:
    table = Table(["made from"], ["published", "here"])
    for key, name in _COUNTED.items():
        if key in published:
            table.add_row(key, f"{published[key]:,}", f"{lexicon[name]:,}" if name in lexicon else "")
    notes = []
    if "ambiguous" in published:
        of_tokens = {"forms of several bundles (%)": lexicon[_OF_TOKENS]} if _OF_TOKENS in lexicon else {}
        here = {**of_tokens, **_mean_ambiguity(tests)}
        notes = [_ABOUT_AMBIGUITY, *([_ABOUT_PARADIGMS] if "paradigms" in published else [])]
        for name, share in here.items():
            table.add_row(name, f"{100 * published['ambiguous']:.2f}", f"{100 * share:.2f}")
    return table.titled("Sources, published and here", notes)


_ABOUT_AMBIGUITY = (
    "Published (article, section 3.5): forms that may express several bundles, averaged over the tests; of tokens, "
    "surface forms with different tag sets. Here, forms that occur again are more frequent than "
    "these, forms of several labels less; both are averages over the tests."
)
_ABOUT_PARADIGMS = "Here, paradigms are lemmas with a form without blank; forms are triples."


def _mean_ambiguity(tests: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Averages both kinds of ambiguity over the tests that have them."""
    known = [test["ambiguity"] for test in tests.values() if test.get("ambiguity")]
    names = {"repeated": "forms that occur again (%)", "several_labels": "forms of several labels (%)"}
    return {name: mean(of_test[key] for of_test in known) for key, name in names.items()} if known else {}
