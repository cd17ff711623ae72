"""The whole table of a sweep of runs of probe.py: a line per test or task, a column per run."""

from collections.abc import Iterable, Sequence

from src.analysis.output.terminal_tables import TitledTable
from src.analysis.results.downstream_rows import headline_rows
from src.analysis.results.rows import Row, distinct, probing_rows
from src.analysis.tables.downstream_tasks import downstream_tables
from src.analysis.tables.probing import probing_table
from src.analysis.tables.sweep_scores import SweepLine
from src.runs.directory import RunDirectory

MOST_COLUMNS = 40


def table_of_runs(lines: Iterable[SweepLine]) -> TitledTable | None:
    """Formats the accuracies of a sweep's probing runs side by side, or its scores on downstream tasks.

    Returns:
        None where fewer than two runs probed, where they asked other tests or tasks, languages or items, or where there
        are too many columns to read.
    """
    runs = list(dict.fromkeys(line.run for line in lines if line.run is not None and line.score is not None))
    found = [row for run in runs for row in RunDirectory(run).rows()]
    probed = probing_rows(found)
    rows = probed or headline_rows(found)
    n_columns = len(distinct(rows, "run", "layer", "epoch"))
    if len(distinct(rows, "run")) < 2 or n_columns > MOST_COLUMNS or not _asked_the_same(rows):
        return None
    return probing_table(rows) if probed else downstream_tables(rows)[0]


def _asked_the_same(rows: Sequence[Row]) -> bool:
    items = {(row["test"], row["n"], row.get("majority")) for row in rows}
    return len(distinct(rows, "suite", "lang")) == 1 and len(items) == len(distinct(rows, "test"))
