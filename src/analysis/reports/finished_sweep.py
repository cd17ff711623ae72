"""What a script says when a sweep is done."""

from pathlib import Path


def report_sweep(folder: Path) -> int:
    """Prints the tables of a sweep, writes them into its folder, and returns how many jobs have come to no end.

    Imported by every script, so what it needs is imported when it is called: `--help` does without.
    """
    from polyprobe.analysis.output.tables import show
    from polyprobe.analysis.reports.sweep_tables import report
    from polyprobe.runs.command.sweep import Sweep

    print()
    said, n_failed = report(Sweep(folder))
    show(said)
    return n_failed
