"""Compares runs item by item: `python analyze.py job=compare runs=[a,b]`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from polyprobe.analysis.comparisons.differences import ComparedTest, comparison_of
from polyprobe.analysis.output.tables import (
    Cells,
    Printable,
    Table,
    empty_where_none,
    marks,
    notes_on_marks,
    write_table,
)
from polyprobe.analysis.results.collection import comparisons_folder
from polyprobe.analysis.results.config_differences import differing_keys
from polyprobe.analysis.results.kinds import ACCURACY
from polyprobe.analysis.results.paired_runs import (
    PairedRun,
    common_tests,
    kind_of_runs,
    read_paired_run,
    split_reference,
)
from polyprobe.analysis.results.rows import best_layer, layer_of_row, percent
from polyprobe.analysis.statistics.significance import SIGNIFICANT, holm, written_p
from polyprobe.display.progress import each
from polyprobe.errors import BadValue
from polyprobe.formats.files import file_names
from polyprobe.metrics.minimal_sets import RULES
from polyprobe.runs.results import FEW_ITEMS

LONGEST_NAME = 200  # bytes
AGAINST = "-against-"
Row = TypeVar("Row")  # a data class with n, has_one_seed, p and p_holm


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two runs, and how far the second differs from the first on each of their tests; p is corrected over all pairs."""

    first: PairedRun
    second: PairedRun
    rows: list[ComparedTest]


def compare(
    work: Path, references: Sequence[str], tests: object = None, rule: str | None = None
) -> Iterator[Printable]:
    """Tells how runs differ from the first of them on every test; a row per test, run and layer is in `comparisons/`.

    Arguments and errors as `compared_runs`.
    """
    pairs = compared_runs(work, references, tests, rule)
    kind, rows = pairs[0].first.kind, [row for pair in pairs for row in pair.rows]
    folder = comparisons_folder(work, pairs[0].first.run.path)
    path = folder / f"{comparison_name(references[::-1], AGAINST)}.csv"
    columns = comparison_of(kind).columns
    cells = ([empty_where_none(getattr(row, name)) for name in ("test", *columns)] for row in rows)
    write_table(path, [kind.choice, *columns], cells)
    for pair in pairs:
        keys = differing_keys(pair.first.run, pair.second.run)
        notes = [f"Settings that differ: {key}: {one}, {other}" for key, one, other in keys]
        yield table_of_pair(pair).with_notes(*notes)
    yield f"{len(rows)} rows in {path}"


def compared_runs(
    work: Path, references: Sequence[str], tests: object = None, rule: str | None = None
) -> list[ComparedPair]:
    """Compares runs with the first of them on every test.

    Args:
        references: two or more of "run", "run:all" and "run:layer"; of minimal sets "run" and "run:model". Runs of one
            layer each are compared whatever its name, runs of the same layers one by one; of other runs each is
            compared at one layer: the best on dev, or the last.
        tests: names of tests, or None for all that the runs share; Holm's correction runs over these.
        rule: by which minimal sets are compared, one of `RULES`; None: the sum, or the focus for a predictor that
            scores no sentences.

    Raises:
        BadValue: fewer than two runs are named, or there is no such rule.
        PolyprobeError: a run is unknown, unfinished or without predictions, or two runs do not fit.
    """
    kind = kind_of_runs(work, references)
    if len(references) < 2:
        example = comparison_of(kind).example
        raise BadValue("runs", references, f"a list of at least two runs, such as [runA,runB] or {example}")
    first, *others = (read_paired_run(work, kind, reference, tests) for reference in references)
    pairs = [_with_layers_that_pair(first, other) for other in others]
    if rule is not None and kind.is_of_sets and rule not in RULES:
        raise BadValue("rule", rule, f"{', '.join(RULES)} or null")
    groups = [compared(*pair, rule) for pair in pairs]
    rows = iter(corrected([row for group in groups for row in group]))
    return [ComparedPair(*pair, [next(rows) for _ in group]) for pair, group in zip(pairs, groups, strict=True)]


def compared(first: PairedRun, second: PairedRun, rule: str | None = None) -> list[ComparedTest]:
    """Compares two runs, of one layer each or of the same ones, on all tests of both; p is not corrected yet."""
    pairs = [(first, second)]
    if len(first.layers) > 1 or len(second.layers) > 1:
        assert set(first.layers) == set(second.layers), (first.layers, second.layers)
        pairs = [(replace(first, parts=(layer,)), replace(second, parts=(layer,))) for layer in first.layers]
    cells = [(test, *pair) for test in common_tests(first, second) for pair in pairs]
    difference = comparison_of(first.kind).difference
    return [difference(*cell, rule) for cell in each(cells, "resampling", "comparisons")]


def corrected(rows: Sequence[Row]) -> list[Row]:
    """Corrects the p-values of rows for multiple testing (Holm); a row whose p is NaN stays as it is."""
    return [replace(row, p_holm=p) for row, p in zip(rows, holm([row.p for row in rows]), strict=True)]


def comparison_name(references: Sequence[str], between: str) -> str:
    """Names a file by the runs that it is about, shortened to a digest where file systems would refuse it."""
    parts = [split_reference(reference) for reference in references]
    names = [Path(run).name + (f":{part}" if part else "") for run, part in parts]
    return file_names.file_name(between.join(names).replace("/", "_").replace(":", "_"), LONGEST_NAME)


def marked_n(row: Row) -> str:
    """Writes how many items a row rests on, with its marks."""
    return f"{row.n}{marks(row.n < FEW_ITEMS, row.has_one_seed)}"


def notes_on_marked(rows: Sequence[Row], items: str) -> list[str]:
    """Explains the marks that rows have; `items` is what they rest on, such as "test items"."""
    has_few = any(row.n < FEW_ITEMS for row in rows)
    return notes_on_marks(items if has_few else None, any(row.has_one_seed for row in rows))


def signed(fraction: float) -> str:
    """Writes a difference in percent points with its sign."""
    return f"{round(100 * fraction, 1) + 0.0:+.1f}"  # no -0.0


def _with_layers_that_pair(first: PairedRun, second: PairedRun) -> tuple[PairedRun, PairedRun]:
    """Returns two runs as they are if their layers pair, else each at one: the best on dev, or the last."""
    is_paired = len(first.layers) == len(second.layers) == 1 or set(first.layers) == set(second.layers)
    return (first, second) if is_paired else (_at_one(first), _at_one(second))


def _at_one(run: PairedRun) -> PairedRun:
    rows = [row for row in run.kind.rows(run.run.rows()) if row["test"] in run.tests]
    layer, reason = best_layer([row for row in rows if layer_of_row(row) in run.layers])
    return replace(run, parts=(layer,), reason=reason)


def table_of_pair(pair: ComparedPair) -> Table:
    """Formats a pair of runs: a line for each test, and layer where there are several."""
    first, second, rows = pair.first, pair.second, pair.rows
    kind, how = first.kind, comparison_of(first.kind)
    left: Cells = {kind.noun: lambda row: row.test, **(METRIC if "metric" in how.columns else {})}
    left |= {"layer": lambda row: row.first_layer} if len(first.layers) > 1 else {}
    has_skipped = any(row.skipped for row in rows)
    shown = [name for name in how.columns if name in CELLS and (name != "skipped" or has_skipped)]
    right: Cells = {**dict(CELLS[name] for name in shown), "": _sign}
    alone = sorted(set(first.tests) ^ set(second.tests))
    notes = [
        f"first: {_side_in_words(first)}; second: {_side_in_words(second)}.",
        *how.notes(rows, first, second),
        f"Holm: p corrected over all rows of the table; + and - mark p below {SIGNIFICANT}.",
        *notes_on_marked(rows, kind.items),
        *([f"Skipped, as only one of the runs has them: {', '.join(alone)}."] if alone else []),
    ]
    return Table.of(rows, left, right).titled(f"{kind.difference} (%): {first.lang}, {first.suite}", notes)


def if_tested(written: Callable[[ComparedTest], str]) -> Callable[[ComparedTest], str]:
    """Returns what writes a cell of a row that has a p-value, "-" in others."""
    return lambda row: "-" if np.isnan(row.p) else written(row)


def _interval(row: ComparedTest) -> str:
    return "-" if np.isnan(row.interval_low) else f"{signed(row.interval_low)} to {signed(row.interval_high)}"


def _sign(row: ComparedTest) -> str:
    """Returns the sign of a significant difference; NaN is none."""
    return ("+" if row.difference > 0 else "-") if row.p_holm < SIGNIFICANT else ""


METRIC: Cells = {
    "metric": lambda row: row.metric if row.metric == ACCURACY else f"Pearson, {row.manner.removeprefix('score_')}"
}
CELLS = {
    "n": ("n", marked_n),
    "skipped": ("skipped", lambda row: str(row.skipped)),
    "n_lemmas": ("lemmas", lambda row: str(row.n_lemmas)),
    "first": ("first", lambda row: percent(row.first)),
    "second": ("second", lambda row: percent(row.second)),
    "difference": ("difference", if_tested(lambda row: signed(row.difference))),
    "interval_low": ("95 %", if_tested(_interval)),
    "first_better": ("first better", if_tested(lambda row: str(row.first_better))),
    "second_better": ("second better", if_tested(lambda row: str(row.second_better))),
    "p": ("p", if_tested(lambda row: written_p(row.p))),
    "p_holm": ("Holm", if_tested(lambda row: written_p(row.p_holm))),
}
"""Header and cell of the fields of `ComparedTest` that tables show."""


def _side_in_words(one: PairedRun) -> str:
    """Says what is on one side: the run, its layer where it has one, and its model; of minimal sets its name."""
    if not one.layers:
        return one.name
    reason = f" ({one.reason})" if one.reason else ""
    layer = f"layer {one.layers[0]}{reason}" if len(one.layers) == 1 else ""
    return ", ".join(filter(None, (one.name, layer, one.which)))
