"""Makes minimal sets and probing tests: python generate.py suite=clams lang=de (see --help)."""

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.library.command_work import begin, generated, shown
from polyprobe.runs.command.script import command


@command("generate", report_sweep)
def main(config: dict) -> None:
    begin(config)
    shown(generated(config), config)


if __name__ == "__main__":
    main()
