"""Asks an encoder what it knows: python probe.py lang=fi encoder=checkpoint encoder.run=… (see --help).

Or scores it on downstream tasks: python probe.py suite=senteval_downstream lang=en encoder=…
Or scores a language model on minimal sets: python probe.py suite=clams lang=fr predictor=lstm predictor.run=…
"""

from pathlib import Path

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.runs.command.script import command


def check(config: dict, typed: list[str]) -> None:
    from polyprobe.probing.door import check_effect

    check_effect(config, typed)


@command("probe", report_sweep, check)
def main(config: dict) -> Path | None:
    from polyprobe.probing.door import probe_settings
    from polyprobe.resources.pace import limit_downloads

    limit_downloads(config["download"])
    asked = probe_settings(config)
    if asked.list:
        from polyprobe.display.terminal import Terminal
        from polyprobe.probing.listed import listed

        for one in listed(asked):
            Terminal().print(one)
        return None
    from polyprobe.analysis.output.tables import show
    from polyprobe.analysis.pictures.percent_axes import checked_extent
    from polyprobe.analysis.reports.finished_run import report_run
    from polyprobe.probing.run import study_of
    from polyprobe.runs.machine import check_machine
    from polyprobe.runs.study import done

    check_machine(config["trainer"])
    axis = checked_extent(config["pictures"]["axis"])
    run = done(study_of(asked))
    show(report_run(run.path, config.get("expected"), axis))
    if config["logger"]["wandb"] is not None:
        from polyprobe.analysis.reports.wandb_dashboard import log_probing_run
        from polyprobe.training.settings import LoggerSettings

        log_probing_run(run, LoggerSettings.of(config["logger"]), config)
    return run.path


if __name__ == "__main__":
    main()
