"""What a script says when a sweep is done."""

from pathlib import Path


def report_sweep(folder: Path) -> None:
    """Prints the tables of a sweep, and writes them into its folder.

    Imported by every script, so what it needs is imported when it is called: `--help` does without.
    """
    from polyprobe.analysis.output.tables import show
    from polyprobe.analysis.reports.sweep_tables import sweep_lines, written_tables
    from polyprobe.runs.command.sweep import Sweep

    print()
    sweep = Sweep(folder)
    show(written_tables(sweep, sweep_lines(sweep)))
