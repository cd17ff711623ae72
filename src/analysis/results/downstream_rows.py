"""Selects the result rows about downstream tasks that a table or picture shows."""

from collections.abc import Iterable

from src.analysis.results.rows import Row

DOWNSTREAM_TASK = "downstream_task"  # the stage
COSINE = "cosine"  # the manner of which a task with a regression has rows, too
WHOLE = "test"  # the split of a row about all of a task
ONE_SCORE = ("run", "suite", "lang", "test", "split", "layer", "epoch", "probe", "metric")


def task_rows(rows: Iterable[Row]) -> list[Row]:
    """Returns the rows about downstream tasks, seeds averaged."""
    return [row for row in rows if row["stage"] == DOWNSTREAM_TASK and row.get("seed") is None]


def headline_rows(rows: Iterable[Row]) -> list[Row]:
    """Returns the one score of each task, layer and epoch that stands for it.

    That is accuracy; or Pearson's correlation of what a regression predicts, or else of cosines, for a task of several
    data sets the mean over them.
    """
    chosen: dict[tuple, Row] = {}
    for row in task_rows(rows):
        if row["metric"] not in ("accuracy", "pearson") or row["split"] != WHOLE:
            continue
        key = tuple(row.get(column) for column in ONE_SCORE if column not in ("probe", "metric"))
        if key not in chosen or chosen[key].get("probe") == COSINE:
            chosen[key] = row
    return list(chosen.values())
