"""Compares a run with published or measured values: `expected` of the files in conf/experiment/."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from polyprobe.analysis.output.tables import Printable, Table
from polyprobe.analysis.results.config_differences import best_epoch, choice_or_setting, trained_runs
from polyprobe.analysis.results.rows import Row, percent
from polyprobe.errors import PolyprobeError, UnknownChoice, check_choice
from polyprobe.metrics.probe_metrics import columns_of_layers
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.metric_units import OF_METRIC, metric_in_words, metric_of
from polyprobe.runs.results import UNITS, ResultRow

WHERE = "where"
SELECTABLE = {"run", *(field.name for field in fields(ResultRow))} - {"value"}
KEYS_OF_CLAIMS = {"row", "value", "at_least", "at_most", "shape", "column", "tolerance", "from_epoch", "to_epoch", "by"}
VERDICTS = {True: "yes", False: "NO", None: "-"}
ROUNDING = 1e-9
BASELINES = ("majority", "memoriser")
OF_THE_INTERVALS = "intervals"  # a change by more than the half widths of both ends together
EXPECTATIONS, OF_BASELINES = "expectations", "baselines"
KINDS = {"rises": "claimed rises", "does_not_rise": "claims of no rise", "falls": "claimed falls"}


def expected_of_run(expected: Mapping[str, Any], run: RunDirectory) -> dict[str, Any]:
    """Leaves the entries of `expected["rows"]` whose `where` the run meets, without it.

    `where` names choices and settings: {model: bilstm_max, objective: nmt, data.target: fr}. A run meets it by its own
    configuration or, where it probed a checkpoint, by that of the run that trained it. What is expected of a checkpoint
    is compared at the best epoch of its training, where several were probed.
    """
    if not any(WHERE in entry for entry in expected["rows"]):
        return dict(expected)
    own = run.configuration()
    trained = next(iter(trained_runs(own)), None)
    configurations = [own, *([trained.configuration_if_any()] if trained else [])]
    epoch = best_epoch(trained, run.rows()) if trained else {}
    rows = []
    for entry in expected["rows"]:
        wanted = entry.get(WHERE, {})  # whose values name the entry, in its place
        if all(any(choice_or_setting(one, key) == value for one in configurations) for key, value in wanted.items()):
            name = {"row": " ".join(map(str, wanted.values()))} if wanted else {}
            rows.append({**epoch, **name, **{key: value for key, value in entry.items() if key != WHERE}})
    return {**expected, "rows": rows}


@dataclass(frozen=True, slots=True)
class CheckedExpectation:
    """One expected value with the one found."""

    expectation: "Expectation"
    expected: str
    found: str
    """As printed, fractions in percent; what is found says so where no row or several match."""
    difference: float | None
    """Found minus expected, for a shape the change; in the unit of the column. None without a row."""
    holds: bool | None
    """Whether the expectation is met; None where it is about other data."""

    @property
    def change(self) -> str:
        """The difference with its sign."""
        if self.difference is None:
            return "-"
        if self.expectation.is_in_percent:
            return f"{100 * self.difference:+.1f}"
        return f"{'-' if self.difference < 0 else '+'}{_number(abs(self.difference))}"


class _NotOneRow(Exception):
    """A selector matches no row or several."""


def report_expected(expected: Mapping[str, Any], rows: Sequence[Row]) -> Iterator[Printable]:
    """Makes a table of what an experiment expects and what a run found.

    Args:
        expected: `source` and `rows`, as conf/experiment/*.yaml has them. With `about`, such as {suite: senteval}, runs
            with other rows are told the values, but not whether they hold, and runs of another language not even that.
            An entry with `encoder` is about that encoder alone.
    """
    about = _entries_about(expected, rows)
    yield from report_expected_of_runs([(expected, rows)])
    left_out = len(_about_encoders(expected, rows)) - len(about)
    if left_out and about:
        yield f"{left_out} expectations are about tests that were not run."


def report_expected_of_runs(runs: Sequence[tuple[Mapping[str, Any], Sequence[Row]]]) -> Iterator[Printable]:
    """Makes one table of what an experiment expects of several runs and what they found; no verdict on other items.

    Args:
        runs: what is expected of each, as for `report_expected`, and its rows.
    """
    found = [one for expected, rows in runs for one in compare({"rows": _entries_about(expected, rows)}, rows)]
    expected = runs[0][0]
    about = expected.get("about", {})
    others = any(_differ(about, rows) for _, rows in runs)
    if found:
        found = [replace(one, holds=None) for one in found] if others else found
        yield expected_table(found, expected.get("source", "no source given"))
    if others:
        words = " ".join(f"{column}={wanted}" for column, wanted in about.items())
        yield f"Expected values are about {words}: other data than this run's, so none of them is checked."
    elif found:
        yield f"{'; '.join(_counted(found))}."


def _counted(found: Sequence[CheckedExpectation]) -> list[str]:
    """Counts each kind apart: a majority that the data fix says nothing about what an article claims of a model."""
    counted = []
    for kind in (*KINDS.values(), EXPECTATIONS, OF_BASELINES):
        those = [bool(one.holds) for one in found if one.expectation.kind == kind]
        verbs = ("equals its source", "equal their source") if kind == OF_BASELINES else ("holds", "hold")
        if those:
            counted.append(f"{sum(those)} of {len(those)} {kind} {verbs[sum(those) != 1]}")
    return counted


def _entries_about(expected: Mapping[str, Any], rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Returns the entries about the encoder and the tests of a run; none for a run of another language."""
    lang = {column: wanted for column, wanted in expected.get("about", {}).items() if column == "lang"}
    tests = {"", *(row.get("test", "") for row in rows)}
    entries = [] if _differ(lang, rows) else _about_encoders(expected, rows)
    return [entry for entry in entries if entry.get("test", "") in tests]


def _about_encoders(expected: Mapping[str, Any], rows: Sequence[Row]) -> list[dict[str, Any]]:
    encoders = {"", *(row.get("encoder", "") for row in rows)}
    return [entry for entry in single_entries(expected["rows"]) if entry.get("encoder", "") in encoders]


def single_entries(entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Writes entries with `tests`, the expected values by test, as an entry for each test; others stay as they are."""
    return [
        {**{key: one for key, one in entry.items() if key != "tests"}, **of_test}
        for entry in entries
        for of_test in (
            [{"test": test, "value": value} for test, value in entry["tests"].items()] if "tests" in entry else [{}]
        )
    ]


def _differ(about: Mapping[str, Any], rows: Sequence[Row]) -> bool:
    """Says whether any row has another value in a column than the expectations are about; rows without it have none."""
    return any(row.get(column, wanted) != wanted for row in rows for column, wanted in about.items())


def expected_table(comparisons: Iterable[CheckedExpectation], source: str) -> Table:
    """Formats comparisons: a line each."""
    comparisons = list(comparisons)
    right = {
        "expected": lambda one: one.expected,
        "found": lambda one: one.found,
        "difference": lambda one: one.change,
        "holds": lambda one: VERDICTS[one.holds],
    }
    table = Table.of(comparisons, {"what": lambda one: one.expectation.named}, right)
    kinds = {one.expectation.is_in_percent for one in comparisons}
    others = ["Perplexities, counts and bits are not percentages."] if kinds == {True, False} else []
    title = "Expected and found (%)" if True in kinds else "Expected and found"
    return table.titled(title, [*others, f"Source: {source}"])


def compare(expected: Mapping[str, Any], rows: Sequence[Row]) -> list[CheckedExpectation]:
    """Compares what an experiment expects with the rows of a run.

    Every entry of `expected["rows"]` selects one row by the values of its columns (null: the row lacks the column)
    and claims something of one `column` (`value` unless said otherwise); one with `tests` stands for an entry for each
    test, and its `row` names it in the table. Where it names no seed, an average over seeds goes before single seeds.
    Claims: `value` within `tolerance`; `at_least`; `at_most`; or a `shape` between the rows of `from_epoch` and
    `to_epoch`: `rises` for a change of at least `by`, `does_not_rise` for a smaller one, `falls` for one of at most
    minus `by`. With `by: intervals` the change must be at least half the 95 % interval of the one row and half that of
    the other together.
    """
    return [Expectation(entry).held_against(rows) for entry in single_entries(expected["rows"])]


class Expectation:
    """An entry of `expected.rows`: what it claims of one column of the row that it selects."""

    def __init__(self, entry: Mapping[str, Any]):
        self.entry = entry
        claims = [key for key in CLAIMS if key in entry]
        self._check(claims)
        self.claim = claims[0]
        self.column = entry.get("column", "value")
        self.selector = {key: entry[key] for key in entry if key in SELECTABLE}
        own = {column.name: column.unit for column in columns_of_layers()} | UNITS
        unit = own.get(self.column, OF_METRIC)
        self.is_in_percent = (metric_of(entry.get("metric", "")).unit if unit is OF_METRIC else unit).is_in_percent

    def _check(self, claims: Sequence[str]) -> None:
        entry = self.entry
        for key in entry:
            if key not in SELECTABLE | KEYS_OF_CLAIMS:
                raise UnknownChoice("key of expected.rows", key, SELECTABLE | KEYS_OF_CLAIMS)
        if len(claims) != 1:
            raise PolyprobeError(
                f"expected.rows: {dict(entry)} claims {len(claims)} things. Expected one of {', '.join(CLAIMS)}."
            )
        if "shape" in entry:
            check_choice("shape", entry["shape"], SHAPES)
            if isinstance(entry.get("by"), str):
                check_choice("by", entry["by"], [OF_THE_INTERVALS])
        missing = [key for key in CLAIMS[claims[0]] if key not in entry]
        if missing:
            raise PolyprobeError(f"expected.rows: {dict(entry)} lacks {', '.join(missing)}.")

    @property
    def kind(self) -> str:
        """What it is counted among: claims of a shape ("claimed rises"), baselines, or all other expectations."""
        if "shape" in self.entry:
            return KINDS[self.entry["shape"]]
        is_baseline = self.column in BASELINES or self.entry.get("stage") == "baseline"
        return OF_BASELINES if is_baseline else EXPECTATIONS

    @property
    def named(self) -> str:
        """The selector in words, and the column where it is another than `value`: "Case, encoding, epoch 8"."""
        named = {"row": self.entry.get("row"), **self.selector}
        given = {key: value for key, value in named.items() if value not in (None, "")}
        what = ", ".join(f"epoch {value}" if key == "epoch" else str(value) for key, value in given.items())
        return what if self.column == "value" else f"{what}: {metric_in_words(self.column)}"

    def held_against(self, rows: Sequence[Row]) -> CheckedExpectation:
        """Compares it with the rows of a run."""
        return self._shape(rows) if self.claim == "shape" else self._number(rows)

    def _number(self, rows: Sequence[Row]) -> CheckedExpectation:
        """Checks that a value is the expected one within a tolerance, not below a bound, or not above one."""
        number, tolerance = self.entry[self.claim], self.entry.get("tolerance", 0)
        words = f"{self.claim.replace('_', ' ')} {self._written(number)}"
        expected = f"{self._written(number)} ±{self._written(tolerance)}" if self.claim == "value" else words
        try:
            found = self._value(rows)
        except _NotOneRow as error:
            return CheckedExpectation(self, expected, str(error), None, False)
        difference = found - number
        far = {"value": abs(difference) - tolerance, "at_least": -difference, "at_most": difference}[self.claim]
        return CheckedExpectation(self, expected, self._written(found), difference, far <= ROUNDING)

    def _shape(self, rows: Sequence[Row]) -> CheckedExpectation:
        """Checks that a curve rises, does not rise, or falls between two epochs."""
        ends, by = (self.entry["from_epoch"], self.entry["to_epoch"]), self.entry["by"]
        of_intervals = by == OF_THE_INTERVALS
        size = "more than the intervals" if of_intervals else self._written(by)
        expected = f"{self.entry['shape'].replace('_', ' ')} by {{}}, epoch {ends[0]} to {ends[1]}"
        try:
            before, after = (self._value(rows, epoch=epoch) for epoch in ends)
            if of_intervals:
                lows, highs = (
                    [self._value(rows, end, epoch=epoch) for epoch in ends] for end in ("interval_low", "interval_high")
                )
                by = sum((high - low) / 2 for low, high in zip(lows, highs, strict=True))
                size = f"{self._written(by)} (both intervals)"
        except _NotOneRow as error:
            return CheckedExpectation(self, expected.format(size), str(error), None, False)
        change = after - before
        holds = SHAPES[self.entry["shape"]](change, by) and not math.isnan(change)
        found = f"{self._written(before)} to {self._written(after)}"
        return CheckedExpectation(self, expected.format(size), found, change, holds)

    def _value(self, rows: Sequence[Row], column: str | None = None, **further: Any) -> float:
        selector, column = {**self.selector, **further}, column or self.column
        matching = [row for row in rows if all(row.get(key) == wanted for key, wanted in selector.items())]
        averaged = [row for row in matching if row.get("seed") is None]
        if "seed" not in selector and averaged:
            matching = averaged
        if len(matching) != 1:
            raise _NotOneRow(f"{len(matching) or 'no'} rows match")
        if matching[0].get(column) is None:
            raise _NotOneRow(f"the row has no {column}")
        return matching[0][column]

    def _written(self, number: float) -> str:
        return percent(number) if self.is_in_percent else _number(number)


def _number(number: float) -> str:
    return f"{number:,.2f}".rstrip("0").rstrip(".")


def _rises(change: float, by: float) -> bool:
    """Says whether a change is one upwards, and by so much at least: `by` 0 asks for any rise."""
    return change > ROUNDING and change >= by - ROUNDING


SHAPES: Mapping[str, Callable[[float, float], bool]] = {
    "rises": _rises,
    "does_not_rise": lambda change, by: not _rises(change, by),
    "falls": lambda change, by: _rises(-change, by),
}
"""What a curve can do, and whether it does so with a change."""
CLAIMS = {"value": ["tolerance"], "at_least": [], "at_most": [], "shape": ["from_epoch", "to_epoch", "by"]}
"""What an entry can claim, and the keys that it needs for that."""
