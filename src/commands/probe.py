"""Asks an encoder what it knows: python probe.py lang=fi encoder=checkpoint encoder.run=… (see --help).

Or scores it on downstream tasks: python probe.py suite=senteval_downstream lang=en encoder=…
Or writes the vectors of the items of tests: python probe.py job=export lang=fi encoder=… folder=<folder>
Or scores a language model on minimal sets: python probe.py suite=clams lang=fr predictor=lstm predictor.run=…
"""

from pathlib import Path

from polyprobe.analysis.reports.finished_sweep import report_sweep
from polyprobe.library.command_work import begin, probed, shown
from polyprobe.runs.command.script import command


@command("probe", report_sweep)
def main(config: dict) -> Path | None:
    begin(config)
    if config["check"]:
        _check(config)
        return None
    if config["list"]:
        _list(config)
        return None
    if config["choices"].get("job") == "export":
        _export(config)
        return None
    return shown(probed(config), config)


def _list(config: dict) -> None:
    from polyprobe.display.terminal import Terminal
    from polyprobe.probing.door import probe_settings
    from polyprobe.probing.listed import listed

    for one in listed(probe_settings(config)):
        Terminal().print(one)


def _export(config: dict) -> None:
    from polyprobe.display.shown import say
    from polyprobe.probing.door import probe_settings
    from polyprobe.probing.export import exported
    from polyprobe.runs.trainer_settings import check_machine

    check_machine(config["trainer"])
    folder = exported(probe_settings(config), config["folder"])
    say(f"wrote the vectors of all items to {folder}: encoder=vectors encoder.path={folder}")


def _check(config: dict) -> None:
    from polyprobe.display.shown import say
    from polyprobe.probing.door import probe_settings
    from polyprobe.training.checked_data import checked_tests

    for line in checked_tests(probe_settings(config)):
        say(line)


if __name__ == "__main__":
    main()
