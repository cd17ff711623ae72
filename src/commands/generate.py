"""Makes minimal sets and probing tests: python generate.py suite=clams lang=de (see --help)."""

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.library.command_work import begin, generated
from polyprobe.runs.command.script import command


@command("generate", report_sweep)
def main(config: dict) -> None:
    from polyprobe.analysis.door import reported
    from polyprobe.analysis.output.tables import show

    begin(config)
    show(reported(generated(config), config))


if __name__ == "__main__":
    main()
