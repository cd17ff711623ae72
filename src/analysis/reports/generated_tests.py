"""Reports the probing tests that `python generate.py` made: the same for every suite, from the record of the run."""

from pathlib import Path

from src.analysis.output.table_files import say_files, write_tables
from src.analysis.output.terminal_tables import show
from src.analysis.tables.made_sets import tables_of_tests
from src.display.short_paths import short_path
from src.display.shown import say
from src.runs.directory import RunDirectory


def report_generated_tests(run: RunDirectory) -> None:
    """Prints the tables of a finished run, draws its labels, and says where everything is."""
    record = run.record()
    tables = tables_of_tests(record)
    show(*tables)
    say_files(write_tables(run.pictures / "tests", tables))
    for picture in _draw(run):
        say(f"picture   {short_path(picture)}")
    say(f"tests     {short_path(run.sets)}")


def _draw(run: RunDirectory) -> list[Path]:
    from src.analysis.pictures.label_shares import draw_label_shares  # matplotlib

    return draw_label_shares(run.record()["tests"], run.name, run.pictures / "labels")
