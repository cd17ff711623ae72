"""What each command does with its configuration, from checks to a finished run; the commands print what it found."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from polyprobe.named import object_at
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.study import done
from polyprobe.runs.trainer_settings import check_machine

Config = Mapping[str, Any]  # of conf/<command>.yaml, resolved: plain values


def begin(config: Config) -> None:
    """Checks how the run of a command is reported."""
    from polyprobe.analysis.door import check_reporting

    check_reporting(config)


def probed(config: Config) -> RunDirectory | None:
    """Trains probes, or scores minimal sets or downstream tasks."""
    from polyprobe.probing.door import probe_settings
    from polyprobe.probing.run import study_of

    check_machine(config["trainer"])
    return done(study_of(probe_settings(config)))


def trained(config: Config) -> RunDirectory | None:
    """Trains a model."""
    check_machine(config["trainer"])
    return object_at(config["trained_by"], "trained_by")(config)


def generated(config: Config) -> RunDirectory | None:
    """Makes minimal sets or probing tests."""
    from polyprobe.generation.door import generate_settings
    from polyprobe.generation.suites import study_of

    def words(run: Path) -> Collection[str]:
        from polyprobe.predictors.word_level.trained_run import words_of_run  # torch is slow to import, and few need it

        return words_of_run(run, "check_vocabulary")

    return done(study_of(generate_settings(config), words))


def ranked(config: Config) -> RunDirectory | None:
    """Ranks the neurons of a run."""
    from polyprobe.analysis.door import neuron_study

    return done(neuron_study(config))


def compared(config: Config) -> RunDirectory | None:
    """Compares all layers of runs."""
    from polyprobe.analysis.door import similarity_study

    return done(similarity_study(config))


def run_of(command: str, config: Config) -> RunDirectory | None:
    """Does the work of a command, and of analyze.py that of a job with a run."""
    works = {"probe": probed, "train": trained, "generate": generated, "neurons": ranked, "similarity": compared}
    return works[config["choices"]["job"] if command == "analyze" else command](config)


def shown(run: RunDirectory | None, config: Config) -> Path | None:
    """Shows a finished run as its configuration says; returns its folder, None in processes that only help."""
    if run is None:
        return None
    from polyprobe.analysis.door import reported
    from polyprobe.analysis.output.tables import Printable, show

    report: Iterable[Printable] = reported(run, config)
    if (config.get("trainer") or {}).get("fast_dev_run"):  # the folder goes with the process, and so do its files
        report = [*(one for one in report if not isinstance(one, str)), "fast_dev_run: a few batches; nothing is kept"]
    show(report)
    return run.path
