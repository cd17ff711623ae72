"""Asks an encoder what it knows: python probe.py lang=fi encoder=checkpoint encoder.run=… (see --help).

Or scores it on downstream tasks: python probe.py suite=senteval_downstream lang=en encoder=…
Or scores a language model on minimal sets: python probe.py suite=clams lang=fr predictor=lstm predictor.run=…
"""

from src.runs.command.signals import end_clearly

end_clearly()  # before what takes time to import

from pathlib import Path  # noqa: E402

from src.analysis.reports.finished_sweep import report_sweep  # noqa: E402
from src.runs.command.script import command  # noqa: E402


def check(config: dict, typed: list[str]) -> None:
    from src.probing.door import check_effect

    check_effect(config, typed)


@command("probe", report_sweep, check)
def main(config: dict) -> Path | None:
    from src.probing.door import probe_settings
    from src.resources.pace import limit_downloads

    limit_downloads(config["download"])
    asked = probe_settings(config)
    if asked.list:
        from src.display.terminal import Terminal
        from src.probing.listed import listed

        for one in listed(asked):
            Terminal().print(one)
        return None
    from src.analysis.output.tables import show
    from src.analysis.pictures.percent_axes import checked_extent
    from src.analysis.reports.finished_run import report_run
    from src.probing.run import study_of
    from src.runs.machine import check_machine
    from src.runs.study import done

    check_machine(config["trainer"])
    axis = checked_extent(config["pictures"]["axis"])
    run = done(study_of(asked))
    show(report_run(run.path, config.get("expected"), axis))
    if config["logger"]["wandb"] is not None:
        from src.analysis.reports.wandb_dashboard import log_probing_run
        from src.training.settings import LoggerSettings

        log_probing_run(run, LoggerSettings.of(config["logger"]), config)
    return run.path


if __name__ == "__main__":
    main()
