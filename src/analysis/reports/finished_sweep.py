"""What a script says when a sweep is done."""

from pathlib import Path


def report_sweep(folder: Path) -> None:
    """Prints the tables of a sweep, and writes them into its folder.

    Where an experiment is a table of several runs, what it expects of them stands in one table, too.

    Imported by every script, so what it needs is imported when it is called: `--help` does without.
    """
    from polyprobe.analysis.output.tables import show
    from polyprobe.analysis.published.filled_cells import FinishedRun
    from polyprobe.analysis.published.scoreboard import published_of_runs
    from polyprobe.analysis.reports.expectations import expected_of_run, report_expected_of_runs
    from polyprobe.analysis.reports.sweep_tables import sweep_lines, written_tables
    from polyprobe.runs.command.sweep import Sweep
    from polyprobe.runs.directory import RunDirectory

    print()
    sweep = Sweep(folder)
    lines = sweep_lines(sweep)  # what they are made from is read once: of thousands of runs it takes minutes
    show(written_tables(sweep, lines))
    paths = dict.fromkeys(line.run for line in lines if line.score is not None)
    runs = {path: FinishedRun.read(path) for path in paths}
    show(published_of_runs(runs.values()))
    swept = [RunDirectory(path) for path, run in runs.items() if {"sweep", "expected"} <= run.configuration.keys()]
    if swept:
        expected = swept[0].configuration()["expected"]
        show(report_expected_of_runs([(expected_of_run(expected, run), run.rows()) for run in swept]))
