"""What a script says when a sweep is done."""

from pathlib import Path


def report_sweep(folder: Path) -> None:
    """Prints the tables of a sweep, and writes them into its folder.

    Imported by every script, so what it needs is imported when it is called: `--help` does without.
    """
    from src.analysis.tables.sweep import write_and_show_tables

    write_and_show_tables(folder)
