"""Trains a model: python train.py task=srl lang=fi (see --help)."""

from pathlib import Path

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.library.command_work import begin, trained
from polyprobe.runs.command.script import command


@command("train", report_sweep)
def main(config: dict) -> Path | None:
    from polyprobe.analysis.door import reported
    from polyprobe.analysis.output.tables import show

    begin(config)
    if config["check"]:
        _check(config)
        return None
    run = trained(config)
    if run is None:
        return None
    report = reported(run, config)
    if config["trainer"].get("fast_dev_run"):  # the folder goes with the process: no line that names a file in it
        report = (*(one for one in report if not isinstance(one, str)), "fast_dev_run: a few batches; nothing is kept")
    show(report)
    return run.path


def _check(config: dict) -> None:
    from polyprobe.display.shown import say
    from polyprobe.training.checked_data import checked_corpus
    from polyprobe.training.door import data_settings

    for line in checked_corpus(data_settings(config)):
        say(line)


if __name__ == "__main__":
    main()
