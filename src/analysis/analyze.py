"""The jobs of `analyze.py`."""

from pathlib import Path

from src.analysis.collection import collect, find_run, write_csv
from src.analysis.report import draw_run
from src.analysis.tables import show, summary_table
from src.formats.errors import PolyprobeError


def analyze(curves: str | None, work: str) -> None:
    """Draws the curves of the run that is named; without one, collects the results of all runs.

    Args:
        curves: name or folder of a run, or None.
        work: the work folder.

    Raises:
        PolyprobeError: the run is unknown or has no results; or there are no results at all.
    """
    if curves is None:
        summarise(Path(work))
    else:
        draw_run(find_run(Path(work), curves))


def summarise(work: Path) -> None:
    """Writes the rows of all runs to `<work>/results.csv` and prints a line for each run.

    Raises:
        PolyprobeError: no run has results.
    """
    rows = collect(work)
    if not rows:
        raise PolyprobeError(f"No results below {work / 'runs'}. python train.py and python probe.py make some.")
    write_csv(rows, work / "results.csv")
    show(summary_table(rows))
    print(f"{len(rows)} rows in {work / 'results.csv'}")
