"""Arranges accuracies in minimal sets as constructions by columns, for tables and pictures."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from src.analysis.results.minimal_set_rows import AVERAGE, MINIMAL_SETS, minimal_set_rows
from src.analysis.results.rows import Row, distinct, epoch_order, labels_of_runs
from src.display.shown import shown as escaped

CONSTRUCTION = "construction"
Construction = tuple[str, str]  # suite, test
Column = tuple[str, str, str | None, int | None]  # run, lang, predictor, epoch


@dataclass(frozen=True)
class MinimalSetGrid:
    """One row for each construction and column, as far as there is one.

    Attributes:
        constructions: suite and name, in the order of the rows.
        columns: run, language, predictor and epoch; epochs ascending.
        cells: the rows by construction and column.
        metric: what `value` is in them.
        all_rows: those of this stage: single seeds, averages over constructions and other metrics among them.
        unit: what the lines are: "construction", or the name of a grouping of constructions.
        has_items: whether the sets are items of SyntaxGym, which are right by their predictions.
    """

    constructions: list[Construction]
    columns: list[Column]
    cells: dict[tuple[Construction, Column], Row]
    metric: str
    all_rows: list[Row]
    unit: str = CONSTRUCTION
    has_items: bool = False

    @property
    def rows(self) -> list[Row]:
        """The rows of all cells."""
        return list(self.cells.values())

    @property
    def is_of_one_language(self) -> bool:
        """Whether every column is of the same language."""
        return len({lang for _, lang, _, _ in self.columns}) == 1

    @property
    def common(self) -> list[Construction]:
        """The constructions that every column has an accuracy of, and groups of them that are alike.

        There are none where the lines are averages themselves.
        """
        if self.unit == AVERAGE:
            return []
        lines = zip(self.constructions, self.values("value"), strict=True)
        return [one for one, line in lines if not np.isnan(line).any() and self.is_alike(one)]

    def is_alike(self, construction: Construction) -> bool:
        """Says whether a group has sets of the same constructions in all columns of one language."""
        rows = [row for row in self.of(construction) if row is not None]
        return len({(row["lang"], row.get("constructions")) for row in rows}) == len({row["lang"] for row in rows})

    def of(self, construction: Construction) -> list[Row | None]:
        """Returns the rows of a construction, one for each column, None where a column has none."""
        return [self.cells.get((construction, column)) for column in self.columns]

    def values(self, name: str) -> np.ndarray:
        """Returns a column of the rows as float64 `[constructions, columns]`, NaN where a cell has none."""
        cells = [[np.nan if row is None else row.get(name) for row in self.of(one)] for one in self.constructions]
        return np.array(cells, dtype=np.float64).reshape(len(self.constructions), len(self.columns))

    def averages(self) -> np.ndarray:
        """Returns the unweighted mean over the common constructions: float64 `[columns]`."""
        places = [self.constructions.index(one) for one in self.common]
        return self.values("value")[places].mean(axis=0) if places else np.full(len(self.columns), np.nan)

    def whole(self, column: Column) -> Row | None:
        """Returns the run's own row about all constructions of a column; None where it has none."""
        rows = [row for row in self.all_rows if not row.get("test") and row.get("seed") is None]
        return next((row for row in rows if row["metric"] == self.metric and _column(row) == column), None)

    def names(self) -> list[str]:
        """Returns the names of the constructions, with the suite where there are several."""
        several = len({suite for suite, _ in self.constructions}) > 1
        return [f"{suite} {test}" if several else test for suite, test in self.constructions]

    def headers(self) -> list[str]:
        """Returns each column's language, predictor and epoch in lines, as far as they distinguish columns."""
        has_languages, labels = not self.is_of_one_language, self._model_labels()
        has_models = len(set(labels.values())) > 1
        has_epochs = len(self.columns) > len({column[:3] for column in self.columns})
        headers = []
        for run, lang, predictor, epoch in self.columns:
            lines = [
                escaped(lang) if has_languages else "",
                labels[run, predictor] if has_models else "",
                f"epoch {epoch}" if has_epochs and epoch is not None else "",
            ]
            headers.append("\n".join(filter(None, lines)) or "accuracy")
        return headers

    def _model_labels(self) -> dict[tuple[str, str | None], str]:
        """Returns a short label of each run and predictor: the predictor, and what distinguishes it from others of its
        kind where two runs have the same predictor for a language."""
        models = list(dict.fromkeys((run, lang, predictor) for run, lang, predictor, _ in self.columns))
        labels: dict[tuple[str, str | None], str] = {}
        for _, *of_kind in models:
            alike = [run for run, *kind in models if kind == of_kind]
            rows = [row for row in self.all_rows if row["run"] in alike and _column(row)[1:3] == tuple(of_kind)]
            labels_of_kind = labels_of_runs(
                [{**row, "predictor": row.get("predictor") or "model"} for row in rows], "predictor"
            )
            for run in alike:
                is_shared = len(alike) > 1 or (run, of_kind[1]) not in labels
                labels |= {(run, of_kind[1]): labels_of_kind[run]} if is_shared else {}
        return labels


def minimal_set_grid(rows: Iterable[Row], metric: str, unit: str = CONSTRUCTION) -> MinimalSetGrid:
    """Arranges the rows of one or more runs of minimal sets; other metrics and stages are left out.

    Args:
        rows: of constructions, or what `group_rows` makes of those of groups.
        metric: what is shown.
        unit: what the rows are about.
    """
    all_rows = [row for row in rows if row["stage"] == MINIMAL_SETS]
    shown = minimal_set_rows(all_rows, metric)
    runs = distinct(shown, "run", "lang", "predictor")
    columns = distinct(sorted(shown, key=epoch_order), "run", "lang", "predictor", "epoch")
    columns.sort(key=lambda column: runs.index(column[:3]))
    cells = {((row["suite"], row["test"]), _column(row)): row for row in shown}
    return MinimalSetGrid(distinct(shown, "suite", "test"), columns, cells, metric, all_rows, unit)


def _column(row: Row) -> Column:
    return row.get("run"), row["lang"], row.get("predictor"), row.get("epoch")
