"""Runs or layers against each other, item by item: `python analyze.py compare=[run,run]`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from src.analysis.output.csv_files import write_records
from src.analysis.output.terminal_tables import TitledTable, new_table, show, with_bar
from src.analysis.results.config_differences import differing_keys
from src.analysis.results.probing_run import Predicted, common_tests, n_trained, read_predicted, split_reference
from src.analysis.results.rows import FEWEST_ITEMS, percent
from src.analysis.statistics.significance import SIGNIFICANT, holm, paired_difference, written_p
from src.analysis.tables.probing import FEW_ITEMS, ONE_SEED
from src.display.shown import say
from src.errors import BadValue, PolyprobeError
from src.formats.files import file_names
from src.seeds import derived_seed

LONGEST_NAME = 200  # bytes
AGAINST = "-against-"


@dataclass(frozen=True, slots=True)
class ComparedTest:
    """Two runs on one test, each at one layer.

    Attributes:
        test: its name.
        n: test items.
        n_seeds: the fewer of the two runs.
        first_run, first_layer, second_run, second_layer: what is compared.
        first, second: accuracies, seeds averaged; not a number where every probe failed.
        difference: second minus first.
        interval_low, interval_high: of the difference, 95 %.
        p: two-sided.
        p_holm: corrected over all rows of the comparison.
    """

    test: str
    n: int
    n_seeds: int
    first_run: str
    first_layer: str
    second_run: str
    second_layer: str
    first: float
    second: float
    difference: float
    interval_low: float
    interval_high: float
    p: float
    p_holm: float


def compare_runs(work: Path, references: Sequence[str], tests: Sequence[str] | None) -> Path:
    """Prints how runs differ from the first of them on every test, and writes it to `<work>/comparisons/`.

    Args:
        work: the work folder.
        references: two or more of "run" and "run:layer". Runs of one layer each are compared whatever its name; runs of
            several layers must have the same ones, which are compared one by one.
        tests: names of tests, or None for all that the runs share; Holm's correction runs over these.

    Returns:
        the CSV file, with a row per test, run and layer (the fields of `ComparedTest`).

    Raises:
        PolyprobeError: a run is unknown, unfinished or without predictions, or two runs do not fit.
    """
    if not isinstance(references, Sequence) or isinstance(references, str) or len(references) < 2:
        raise BadValue(
            "compare", references, "a list of at least two runs, such as [runA,runB] or [run:layer,run:layer]"
        )
    first, *others = (read_predicted(work, reference, tests) for reference in references)
    groups = [compared(first, other) for other in others]
    return report_corrected(work, references, groups, lambda rows, place: _table(rows, first, others[place]))


def compared(first: Predicted, second: Predicted) -> list[ComparedTest]:
    """Compares two runs on every test that both have; p-values are not corrected yet.

    Raises:
        PolyprobeError: the tests or the layers of the two do not fit.
    """
    pairs = _layer_pairs(first, second)
    cells = [(test, *pair) for test in common_tests(first, second) for pair in pairs]
    return [_compared(test, first, one, second, other) for test, one, other in with_bar(cells, "resampling")]


def report_corrected(
    work: Path,
    references: Sequence[str],
    groups: Sequence[Sequence[Any]],
    table: Callable[[Sequence[Any], int], TitledTable],
) -> Path:
    """Corrects the p-values of all groups together, prints a table of each, and writes `<work>/comparisons/*.csv`.

    Args:
        work: the work folder.
        references: the first run, then those that it is compared with: they name the file.
        groups: the rows of each of the others: data classes with `p` and `p_holm`.
        table: gives the table of the corrected rows of a group, and of its place.
    """
    rows = corrected([row for group in groups for row in group])
    path = write_records(Path(work) / "comparisons" / f"{file_name(references[::-1], AGAINST)}.csv", rows)
    left = iter(rows)
    for place, group in enumerate(groups):
        show(table([next(left) for _ in group], place))
    say(f"{len(rows)} rows in {path}")
    return path


def corrected(rows: Sequence[ComparedTest]) -> list[ComparedTest]:
    """Corrects the p-values for being in one table; rows without one stay as they are."""
    places = [place for place, row in enumerate(rows) if not np.isnan(row.p)]
    by_place = dict(zip(places, holm([rows[place].p for place in places]), strict=True))
    return [replace(row, p_holm=by_place.get(place, np.nan)) for place, row in enumerate(rows)]


def _layer_pairs(first: Predicted, second: Predicted) -> list[tuple[str, str]]:
    if len(first.layers) == len(second.layers) == 1:
        return [(first.layers[0], second.layers[0])]
    if set(first.layers) == set(second.layers):
        return [(layer, layer) for layer in first.layers]
    layers = "; ".join(f"{one.run.name} has {', '.join(one.layers)}" for one in (first, second))
    raise PolyprobeError(f"The runs have other layers: {layers}. Choose one of each: compare=[run:layer,run:layer]")


def _compared(test: str, first: Predicted, one: str, second: Predicted, other: str) -> ComparedTest:
    before, after = first.tests[test], second.tests[test]
    scores = before.correct(one), after.correct(other)
    means = [float(score.mean()) for score in scores]
    numbers = dict.fromkeys(("difference", "interval_low", "interval_high", "p"), np.nan)
    if not np.isnan(means).any():
        paired = paired_difference(*scores, derived_seed(0, "comparison", test))
        numbers = {name: getattr(paired, name) for name in numbers}
    return ComparedTest(
        test=test,
        n=len(before.gold),
        n_seeds=min(n_trained(before, one), n_trained(after, other)),
        first_run=first.run.name,
        first_layer=one,
        second_run=second.run.name,
        second_layer=other,
        first=means[0],
        second=means[1],
        **numbers,
        p_holm=np.nan,
    )


def _table(rows: Sequence[ComparedTest], first: Predicted, second: Predicted) -> TitledTable:
    by_layer = len(first.layers) > 1
    left, right = ["test", *(["layer"] * by_layer)], ["n", "first", "second", "difference", "95 %", "p", "Holm", ""]
    table = new_table(left, right)
    for row in rows:
        marks = FEW_ITEMS * (row.n < FEWEST_ITEMS) + ONE_SEED * (row.n_seeds < 2)
        table.add_row(*[row.test, *([row.first_layer] * by_layer)], f"{row.n}{marks}", *_numbers(row))
    notes = [
        f"first: {_side(first)}; second: {_side(second)}.",
        "difference: second minus first, with its 95 % interval: paired bootstrap over items, seeds averaged.",
        f"Holm: p corrected over all rows of the comparison; + and - where it is below {SIGNIFICANT}.",
        *marks_in_words(rows),
        *_in_one_alone(first, second),
        *[f"Configured otherwise: {it}" for it in differing_keys(first.run, second.run)],
    ]
    return TitledTable(f"Difference of accuracy (%): {first.lang}, {first.suite}", table, notes)


def _numbers(row: ComparedTest) -> list[str]:
    if np.isnan(row.p):
        return [percent(row.first), percent(row.second), "-", "-", "-", "-", ""]
    interval = f"{signed(row.interval_low)} to {signed(row.interval_high)}"
    mark = ("+" if row.difference > 0 else "-") * (row.p_holm < SIGNIFICANT)
    p_values = [written_p(row.p), written_p(row.p_holm)]
    return [percent(row.first), percent(row.second), signed(row.difference), interval, *p_values, mark]


def signed(fraction: float) -> str:
    """Writes a difference in percent points with its sign."""
    return f"{round(100 * fraction, 1) + 0.0:+.1f}"  # no -0.0


def marks_in_words(rows: Iterable) -> list[str]:
    """Explains the marks of rows with `n` and `n_seeds`."""
    rows = list(rows)
    few, single = any(row.n < FEWEST_ITEMS for row in rows), any(row.n_seeds < 2 for row in rows)
    lines = [f"{FEW_ITEMS} rests on fewer than {FEWEST_ITEMS} test items."] * few
    return lines + [f"{ONE_SEED} rests on one seed."] * single


def _side(predicted: Predicted) -> str:
    layer = f"layer {predicted.layers[0]}" if len(predicted.layers) == 1 else ""
    return ", ".join(filter(None, (predicted.run.name, layer, predicted.which)))


def _in_one_alone(first: Predicted, second: Predicted) -> list[str]:
    alone = sorted(set(first.tests) ^ set(second.tests))
    return [f"In one of the runs alone, hence left out: {', '.join(alone)}."] if alone else []


def file_name(references: Sequence[str], between: str) -> str:
    """Names a file by the runs that it is about, shortened to a digest where file systems would refuse it."""
    parts = [split_reference(reference) for reference in references]
    names = [Path(run).name + (f":{part}" if part else "") for run, part in parts]
    return file_names.file_name(between.join(names).replace("/", "_").replace(":", "_"), LONGEST_NAME)
