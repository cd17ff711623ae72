"""Compares probing runs or layers item by item with a paired bootstrap: `python analyze.py compare=[run,run]`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from src.analysis.comparisons.paired import (
    HOLM_NOTE,
    check_not_itself,
    difference_cells,
    marked_n,
    notes_on_left_out,
    notes_on_marked,
    p_cells,
    report_corrected,
)
from src.analysis.output.tables import Table
from src.analysis.results.config_differences import differences_in_words
from src.analysis.results.probing_run import Predicted, common_tests, n_trained, read_predicted
from src.analysis.results.rows import Row, chosen_layer, layer_of_row, percent
from src.analysis.statistics.significance import paired_difference
from src.display.progress import each
from src.errors import BadValue
from src.runs.directory import RunDirectory
from src.seeds import derived_seed


class LayeredRun(Protocol):
    """What a comparison knows of either run: its folder, the layers that are meant and why, its model in words."""

    run: RunDirectory
    layers: tuple[str, ...]
    which: str
    reason: str

    def layer_rows(self) -> list[Row]:
        """Returns a row for each of its tests and layers."""


Run = TypeVar("Run", bound=LayeredRun)


@dataclass(frozen=True, slots=True)
class ComparedTest:
    """Two runs on one test, each at one layer.

    Attributes:
        test: its name.
        n: test items.
        n_seeds: the fewer of the two runs.
        first_run, first_layer, second_run, second_layer: what is compared.
        first, second: accuracies, seeds averaged; NaN where every probe failed.
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

    @property
    def has_one_seed(self) -> bool:
        """Whether it rests on one seed."""
        return self.n_seeds < 2


def compare_runs(work: Path, references: Sequence[str], tests: Sequence[str] | None) -> Path:
    """Prints how runs differ from the first of them on every test, and writes it to `<work>/comparisons/`.

    Args:
        work: the work folder.
        references: two or more of "run", "run:all" and "run:layer". Runs of one layer each are compared whatever its
            name, runs of the same layers one by one; of other runs each is compared at one layer
            (`with_layers_that_pair`).
        tests: names of tests, or None for all that the runs share; Holm's correction runs over these.

    Returns:
        the CSV file, with a row per test, run and layer (the fields of `ComparedTest`).

    Raises:
        BadValue: fewer than two runs are named, or a run is compared with itself.
        PolyprobeError: a run is unknown, unfinished or without predictions, or two runs do not fit.
    """
    if not isinstance(references, Sequence) or isinstance(references, str) or len(references) < 2:
        raise BadValue(
            "compare", references, "a list of at least two runs, such as [runA,runB] or [run:layer,run:layer]"
        )
    first, *others = (read_predicted(work, reference, tests) for reference in references)
    check_not_itself(references, first.run.name, [(one.run, one.layers) for one in (first, *others)])
    pairs = [with_layers_that_pair(first, other) for other in others]
    groups = [compared(*pair) for pair in pairs]
    return report_corrected(work, references, groups, lambda rows, place: _table(rows, *pairs[place]))


def compared(first: Predicted, second: Predicted) -> list[ComparedTest]:
    """Compares two runs, of one layer each or of the same ones, on every test that both have; p is not corrected yet.

    Raises:
        PolyprobeError: the tests of the two do not fit.
    """
    pairs = layer_pairs(first, second)
    cells = [(test, *pair) for test in common_tests(first, second) for pair in pairs]
    return [_compared(test, first, one, second, other) for test, one, other in each(cells, "resampling", "comparisons")]


def with_layers_that_pair(first: Run, second: Run) -> tuple[Run, Run]:
    """Returns two runs as they are if their layers pair, else each at one: the best on dev, or the last."""
    if len(first.layers) == len(second.layers) == 1 or set(first.layers) == set(second.layers):
        return first, second
    return at_one_layer(first), at_one_layer(second)


def at_one_layer(run: Run) -> Run:
    """Returns a run at one of its layers that are meant: see `chosen_layer`."""
    chosen = chosen_layer([row for row in run.layer_rows() if layer_of_row(row) in run.layers])
    return replace(run, layers=(chosen.name,), reason=chosen.reason)


def layer_pairs(first: LayeredRun, second: LayeredRun) -> list[tuple[str, str]]:
    """Pairs the layers of two runs: the one of each, or those of one name."""
    if len(first.layers) == len(second.layers) == 1:
        return [(first.layers[0], second.layers[0])]
    assert set(first.layers) == set(second.layers), (first.layers, second.layers)
    return [(layer, layer) for layer in first.layers]


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


def _table(rows: Sequence[ComparedTest], first: Predicted, second: Predicted) -> Table:
    has_layers = len(first.layers) > 1
    left = ["test", "layer"] if has_layers else ["test"]
    table = Table(left, ["n", "first", "second", "difference", "95 %", "p", "Holm", ""])
    for row in rows:
        named = [row.test, row.first_layer] if has_layers else [row.test]
        n = marked_n(row)
        table.add_row(*named, n, percent(row.first), percent(row.second), *difference_cells(row), *p_cells(row))
    notes = [
        f"first: {side_in_words(first)}; second: {side_in_words(second)}.",
        "difference: second minus first, with its 95 % interval: paired bootstrap over items, seeds averaged.",
        HOLM_NOTE,
        *notes_on_marked(rows, "test items"),
        *notes_on_left_out(first.tests, second.tests),
        *[f"Configured otherwise: {difference}" for difference in differences_in_words(first.run, second.run)],
    ]
    return table.titled(f"Difference of accuracy (%): {first.lang}, {first.suite}", notes)


def side_in_words(predicted: LayeredRun) -> str:
    """Says what is on one side of a comparison: the run, its layer where it has one, and its model."""
    reason = f" ({predicted.reason})" if predicted.reason else ""
    layer = f"layer {predicted.layers[0]}{reason}" if len(predicted.layers) == 1 else ""
    return ", ".join(filter(None, (predicted.run.name, layer, predicted.which)))
