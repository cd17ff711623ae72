"""Trains a model: python train.py task=srl lang=fi (see --help)."""

from pathlib import Path

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.library.command_work import begin, shown, trained
from polyprobe.runs.command.script import command


@command("train", report_sweep)
def main(config: dict) -> Path | None:
    begin(config)
    if config["check"]:
        _check(config)
        return None
    return shown(trained(config), config)


def _check(config: dict) -> None:
    from polyprobe.display.shown import say
    from polyprobe.training.checked_data import checked_corpus
    from polyprobe.training.door import data_settings

    for line in checked_corpus(data_settings(config)):
        say(line)


if __name__ == "__main__":
    main()
