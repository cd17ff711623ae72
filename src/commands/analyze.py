"""Collects, compares and draws what runs left behind. `--help keys` lists every key."""

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.runs.command.script import command


def check(config: dict, typed: list[str]) -> None:
    from polyprobe.analysis.door import check_effect

    check_effect(config, typed)


@command("analyze", report_sweep, check)
def main(config):
    from polyprobe.analysis.door import analyze
    from polyprobe.analysis.output.tables import show

    show(analyze(config))


if __name__ == "__main__":
    main()
