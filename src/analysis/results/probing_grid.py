"""Arranges probing rows as tests by columns, for tables and heat maps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from src.analysis.results.rows import Row, distinct, labels_of_runs, layers_and_epochs, probing_rows
from src.display.shown import shown

ACCURACY = "accuracy"  # header of the only column
Test = tuple[str, str]  # suite, test
Column = tuple[str, str | None, int | None]  # run, layer, epoch


@dataclass(frozen=True)
class Grid:
    """One probing row for each test and column, as far as there is one.

    Attributes:
        tests: suite and test, in the order of the rows.
        columns: run, layer and epoch; layers in the order of the rows, epochs ascending.
        cells: the rows by test and column.
    """

    tests: list[Test]
    columns: list[Column]
    cells: dict[tuple[Test, Column], Row]

    @property
    def rows(self) -> list[Row]:
        return list(self.cells.values())

    def of_test(self, test: Test) -> list[Row | None]:
        """Returns the rows of a test, one for each column, None where there is none."""
        return [self.cells.get((test, column)) for column in self.columns]

    def first(self, test: Test) -> Row:
        """Returns a row of a test, for what is the same in all columns."""
        return next(row for row in self.of_test(test) if row is not None)

    def values(self, name: str) -> np.ndarray:
        """Returns a column of the rows as float64 `[tests, columns]`, NaN where there is none."""
        numbers = [[np.nan if row is None else row.get(name) for row in self.of_test(test)] for test in self.tests]
        return np.array(numbers, dtype=np.float64).reshape(len(self.tests), len(self.columns))

    def has(self, name: str) -> bool:
        """Says whether any row has a value in a column."""
        return any(row.get(name) is not None for row in self.rows)

    def test_names(self) -> list[str]:
        """Builds the names of the tests, with the suite where there are several."""
        several = len({suite for suite, _ in self.tests}) > 1
        return [f"{suite} {test}" if several else test for suite, test in self.tests]

    def headers(self) -> list[str]:
        """Returns the header of each column: run, layer and epoch in lines, as far as they distinguish columns."""
        if len(self.columns) == 1:
            return [ACCURACY]
        runs = labels_of_runs(self.rows, "encoder")
        return ["\n".join(_header(column, runs, self.columns)) for column in self.columns]


def grid_of(rows: Iterable[Row]) -> Grid:
    """Arranges the probing rows of one or more runs; rows of other stages are left out."""
    return arranged(probing_rows(rows))


def arranged(rows: Sequence[Row]) -> Grid:
    """Arranges rows of one or more runs, one for each test, layer and epoch of a run."""
    of_runs = {run: [row for row in rows if row.get("run") == run] for (run,) in distinct(rows, "run")}
    columns = [(run, *column) for run, of_run in of_runs.items() for column in layers_and_epochs(of_run)]
    cells = {((row["suite"], row["test"]), _column(row)): row for row in rows}
    return Grid(distinct(rows, "suite", "test"), columns, cells)


def _column(row: Row) -> Column:
    return row.get("run"), row.get("layer"), row.get("epoch")


def _header(column: Column, runs: dict[str, str], columns: Sequence[Column]) -> list[str]:
    run, layer, epoch = column
    of_run = {other[1] for other in columns if other[0] == run}
    lines = [runs[run]] if len(runs) > 1 else []
    if len(runs) == 1 or len(of_run) > 1:
        lines.append(shown(layer or ACCURACY))
    return [*lines, *([] if epoch is None else [f"epoch {epoch}"])]
