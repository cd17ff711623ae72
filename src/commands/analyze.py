"""Collects, compares and draws finished runs: python analyze.py job=… (see --help)."""

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.runs.command.script import command


@command("analyze", report_sweep)
def main(config):
    from polyprobe.analysis.door import analyze
    from polyprobe.analysis.output.tables import show

    show(analyze(config))


if __name__ == "__main__":
    main()
