"""Trains a model: python train.py task=srl lang=fi (see --help)."""

from pathlib import Path

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.runs.command.script import command


def check(config: dict, typed: list[str]) -> None:
    from polyprobe.training.door import check_effect

    check_effect(config, typed)


@command("train", report_sweep, check)
def main(config: dict) -> Path | None:
    from polyprobe.analysis.output.tables import show
    from polyprobe.analysis.pictures.percent_axes import checked_extent
    from polyprobe.analysis.reports.finished_run import report_run
    from polyprobe.named import object_at
    from polyprobe.resources.pace import limit_downloads
    from polyprobe.runs.machine import check_machine

    check_machine(config["trainer"])
    limit_downloads(config["download"])
    if config["predict"] is not None:
        from polyprobe.training.predict import predict

        show(predict(config))
        return None
    axis = checked_extent(config["pictures"]["axis"])
    run = object_at(config["trained_by"], "trained_by")(config)
    if run is None:
        return None
    show(report_run(run.path, config.get("expected"), axis))
    return run.path


if __name__ == "__main__":
    main()
