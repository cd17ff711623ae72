"""Sets the labels of published probing tests beside those of the tests that a run made: `expected` of an experiment."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from src.analysis.output.terminal_tables import TitledTable, new_table
from src.errors import PolyprobeError, check_choice

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
    """What is known of published tests of a language.

    Attributes:
        source: a paper and its table.
        labels: of each test, the items of each label in all parts.
        lexicon: what they were made from: `paradigms` and `forms`, or `sentences` and `tokens`; and `ambiguous`, the
            share of ambiguous forms (of paradigms: averaged over the tests). Empty where it is unknown.
        notes: why what is made here differs.
    """

    source: str
    labels: Mapping[str, Mapping[str, int]]
    lexicon: Mapping[str, float]
    notes: Sequence[str]

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
) -> list[TitledTable]:
    """Makes the tables of what was published and what was made; none of what is not known of the published tests.

    Args:
        published: of the language.
        tests: of the record of a run.
        lexicon: counts of what the run read, as in statistics.json; empty where they are unknown.
    """
    tables = [_labels_table(published.labels, tests)] if published.labels else []
    if published.lexicon:
        tables.append(_lexicon_table(published.lexicon, tests, lexicon))
    for first in tables[:1]:
        first.notes.extend([*published.notes, f"Source: {published.source}"])
    return tables


def _labels_table(published: Mapping[str, Mapping[str, int]], tests: Mapping[str, Mapping[str, Any]]) -> TitledTable:
    table = new_table(["test", "label: items published/made"], ["published", "made", "unlike (%)"])
    for test, labels in published.items():
        table.add_row(*_cells(test, labels, _labels(tests[test]) if test in tests else None))
    notes = ["Unlike: of 100 items, those that would need another label for both to have the same shares."]
    return TitledTable("Published and made", table, notes)


def _cells(test: str, published: Mapping[str, int], made: Mapping[str, int] | None) -> Iterator[str]:
    yield test
    names = [*published, *(label for label in made or () if label not in published)]
    yield "; ".join(f"{name}: {published.get(name, 0):,}/{_made(name, made)}" for name in names)
    yield f"{sum(published.values()):,}"
    if made is None:
        yield from ("not made", "")
    else:
        yield from (f"{sum(made.values()):,}", f"{100 * distance(published, made):.1f}")


def _made(label: str, made: Mapping[str, int] | None) -> str:
    return "-" if made is None else f"{made.get(label, 0):,}"


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
) -> TitledTable:
    table = new_table(["made from"], ["published", "here"])
    for key, name in _COUNTED.items():
        if key in published:
            table.add_row(key, f"{published[key]:,}", f"{lexicon[name]:,}" if name in lexicon else "")
    notes = []
    if "ambiguous" in published:
        of_tokens = {"forms of several bundles (%)": lexicon[_OF_TOKENS]} if _OF_TOKENS in lexicon else {}
        here = {**of_tokens, **_ambiguity(tests)}
        notes = [_ABOUT_AMBIGUITY, *([_ABOUT_PARADIGMS] if "paradigms" in published else [])]
        for name, share in here.items():
            table.add_row(name, f"{100 * published['ambiguous']:.2f}", f"{100 * share:.2f}")
    return TitledTable("Made from, published and here", table, notes)


_ABOUT_AMBIGUITY = (
    "Published (article, section 3.5): forms that may express several bundles, averaged over the tests; of tokens, "
    "surface forms with different tag sets. Here forms that occur again are more than these, forms of several labels "
    "fewer; both are averages over the tests."
)
_ABOUT_PARADIGMS = "Here paradigms are lemmas that have a form without blank, and forms are triples."


def _ambiguity(tests: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Averages both kinds of ambiguity over the tests that have them."""
    known = [test["ambiguity"] for test in tests.values() if test.get("ambiguity")]
    names = {"repeated": "forms that occur again (%)", "several_labels": "forms of several labels (%)"}
    return {name: mean(of_test[key] for of_test in known) for key, name in names.items()} if known else {}
