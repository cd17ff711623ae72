"""Makes minimal sets and probing tests: python generate.py suite=clams lang=de (see --help)."""

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.library.command_work import GENERATE
from polyprobe.runs.command.script import command


@command("generate", report_sweep, GENERATE.begin)
def main(config: dict) -> None:
    from polyprobe.analysis.output.tables import show
    from polyprobe.analysis.reports.generated import published_beside, report_made
    from polyprobe.generation.door import generate_settings

    published = published_beside(generate_settings(config))  # checked first
    show(report_made(GENERATE.work(config), published))


if __name__ == "__main__":
    main()
