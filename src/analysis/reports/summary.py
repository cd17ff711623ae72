"""Formats a summary of runs of all kinds as a table."""

from collections.abc import Iterable

from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.reports.result_kinds import RESULT_KINDS
from polyprobe.analysis.results.rows import WHICH, Row, distinct, joined


def summary_table(rows: Iterable[Row]) -> Table:
    """Formats a summary of the collected runs: a line each."""
    rows = list(rows)
    which = [column for column in WHICH if any(row.get(column) for row in rows)]
    table = Table(["run", "lang", "suite", *which, "summary"], ["rows"])
    for (run,) in sorted(distinct(rows, "run")):
        of_run = [row for row in rows if row["run"] == run]
        averages = [row for row in of_run if row.get("seed") is None and row.get("model")] or of_run
        said = [
            *(joined(of_run, column) for column in ("lang", "suite")),
            *(joined(averages, column) for column in which),
        ]
        brief = [kind.in_brief(of_run) for kind in RESULT_KINDS if kind.is_in(of_run)]
        table.add_row(run, *said, next(filter(None, brief), ""), str(len(of_run)))
    return table.titled("Runs")
