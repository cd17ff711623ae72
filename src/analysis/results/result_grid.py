"""Arranges the rows of a kind of result as lines by columns, for tables, pictures and dashboards."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from polyprobe.analysis.results.kinds import ACCURACY, AVERAGE, Kind
from polyprobe.analysis.results.rows import Row, distinct, epoch_order, labels_of_runs
from polyprobe.display.shown import shown
from polyprobe.runs.results import FEW_ITEMS

Line = tuple[str, str]  # suite, test
Column = tuple  # of the values of `Kind.column`: the run first, the epoch last


@dataclass(frozen=True)
class Grid:
    """One row for each line and column, as far as there is one."""

    kind: Kind
    lines: list[Line]
    """Suite and test, in the order of the rows."""
    columns: list[Column]
    """Run by run in the order of the rows, epochs ascending."""
    cells: dict[tuple[Line, Column], Row]
    all_rows: list[Row]
    """Those of this kind: single seeds, averages over lines and other metrics among them."""

    @property
    def rows(self) -> list[Row]:
        """The rows of all cells."""
        return list(self.cells.values())

    @property
    def is_of_one_language(self) -> bool:
        """Whether columns can be compared: none is of another language, where they may be of several."""
        return "lang" not in self.kind.column or len({row["lang"] for row in self.rows}) == 1

    @property
    def is_of_one_run(self) -> bool:
        """Whether columns are layers and epochs of one run."""
        return "layer" in self.kind.column and len({run for run, *_ in self.columns}) == 1

    @property
    def common(self) -> list[Line]:
        """The lines that every column has a value of, and groups of them that are alike.

        There are none where the lines are averages themselves.
        """
        if self.kind.noun == AVERAGE:
            return []
        lines = zip(self.lines, self.values("value"), strict=True)
        return [line for line, values in lines if not np.isnan(values).any() and self.is_alike(line)]

    def is_alike(self, line: Line) -> bool:
        """Says whether a group has sets of the same constructions in all columns of one language."""
        rows = self.known(line)
        return len({(row["lang"], row.get("constructions")) for row in rows}) == len({row["lang"] for row in rows})

    def of(self, line: Line) -> list[Row | None]:
        """Returns the rows of a line, one for each column, None where there is none."""
        return [self.cells.get((line, column)) for column in self.columns]

    def of_column(self, column: Column) -> list[Row | None]:
        """Returns the rows of a column, one for each line, None where there is none."""
        return [self.cells.get((line, column)) for line in self.lines]

    def known(self, line: Line) -> list[Row]:
        """Returns the rows of a line that there are."""
        return [row for row in self.of(line) if row is not None]

    def values(self, name: str) -> np.ndarray:
        """Returns a column of the rows as float64 `[lines, columns]`, NaN where there is none."""
        numbers = [[np.nan if row is None else row.get(name) for row in self.of(line)] for line in self.lines]
        return np.array(numbers, dtype=np.float64).reshape(len(self.lines), len(self.columns))

    def has(self, name: str) -> bool:
        """Says whether any row has a value in a column."""
        return any(row.get(name) is not None for row in self.rows)

    def averages(self) -> np.ndarray:
        """Returns the unweighted mean over the common lines: float64 `[columns]`."""
        places = [self.lines.index(line) for line in self.common]
        return self.values("value")[places].mean(axis=0) if places else np.full(len(self.columns), np.nan)

    def whole(self, column: Column) -> Row | None:
        """Returns the run's own row about all lines of a column; None where it has none."""
        rows = [row for row in self.all_rows if not row.get("test") and row.get("seed") is None]
        return next((row for row in rows if row["metric"] == self.kind.metric and self._column(row) == column), None)

    def names(self) -> list[str]:
        """Returns the names of the lines, with the suite where there are several."""
        several = len({suite for suite, _ in self.lines}) > 1
        return [f"{suite} {test}" if several else test for suite, test in self.lines]

    def titles(self) -> list[str]:
        """Returns the names of the lines, of those but tasks with the number of items where that is small."""
        if not self.kind.has_sizes:
            return self.names()
        fewest = [min(row["n"] for row in self.known(line)) for line in self.lines]
        return [f"{name} (n={n})" if n < FEW_ITEMS else name for name, n in zip(self.names(), fewest, strict=True)]

    def headers(self, with_epochs: bool = True) -> list[str]:
        """Returns of each column, in lines, what distinguishes it from others: language, model, layer, epoch."""
        parts = self._models() if self.kind.is_of_sets else self._layers()
        parts = parts if with_epochs else [lines[:-1] for lines in parts]
        return ["\n".join(filter(None, lines)) or ACCURACY for lines in parts]

    def one_line_headers(self) -> list[str]:
        """Returns the headers without line feeds, as files and legends have them."""
        return [header.replace("\n", ", ") for header in self.headers()]

    def _layers(self) -> list[list[str]]:
        """Returns run, layer and epoch of each column, "" where all columns have the same."""
        if len(self.columns) == 1:
            return [[""]]
        runs = labels_of_runs(self.rows, self.kind.model)
        several = {run: len({layer for other, layer, _ in self.columns if other == run}) > 1 for run in runs}
        return [
            [
                runs[run] if len(runs) > 1 else "",
                shown(layer or ACCURACY) if len(runs) == 1 or several[run] else "",
                "" if epoch is None else f"epoch {epoch}",
            ]
            for run, layer, epoch in self.columns
        ]

    def _models(self) -> list[list[str]]:
        """Returns language, model and epoch of each column, "" where all columns have the same."""
        labels = self._model_labels()
        has_models = len(set(labels.values())) > 1
        has_epochs = len(self.columns) > len({column[:-1] for column in self.columns})
        return [
            [
                "" if self.is_of_one_language else shown(lang),
                labels[run, model] if has_models else "",
                f"epoch {epoch}" if has_epochs and epoch is not None else "",
            ]
            for run, lang, model, epoch in self.columns
        ]

    def _model_labels(self) -> dict[tuple[str, str | None], str]:
        """Returns a short label of each run and kind of model: the kind, and what distinguishes it from others of its
        kind where two runs have the same kind of model for a language."""
        models = list(dict.fromkeys(column[:-1] for column in self.columns))
        labels: dict[tuple[str, str | None], str] = {}
        for _, *of_kind in models:
            alike = [run for run, *kind in models if kind == of_kind]
            rows = [row for row in self.all_rows if row["run"] in alike and [*self._column(row)[1:-1]] == of_kind]
            of_runs = labels_of_runs(
                [{**row, "model_kind": row.get(self.kind.model) or "model"} for row in rows], "model_kind"
            )
            for run in alike:
                is_shared = len(alike) > 1 or (run, of_kind[1]) not in labels
                labels |= {(run, of_kind[1]): of_runs[run]} if is_shared else {}
        return labels

    def _column(self, row: Row) -> Column:
        return tuple(row.get(name) for name in self.kind.column)


def grid_of(kind: Kind, rows: Iterable[Row]) -> Grid:
    """Arranges the rows of one or more runs; those of other kinds are left out."""
    all_rows = kind.of_stage(rows)
    chosen = kind.rows(all_rows)
    runs, models = distinct(chosen, "run"), distinct(chosen, *kind.column[:-1])
    columns = distinct(sorted(chosen, key=epoch_order), *kind.column)
    columns.sort(key=lambda column: (runs.index(column[:1]), models.index(column[:-1])))
    cells = {((row["suite"], row["test"]), tuple(map(row.get, kind.column))): row for row in chosen}
    return Grid(kind, distinct(chosen, "suite", "test"), columns, cells, all_rows)
