"""What each command does with its configuration, from checks to a finished run; the commands print what it found."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.named import object_at
from polyprobe.resources.pace import limit_downloads
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.machine import check_machine
from polyprobe.runs.study import done

Config = Mapping[str, Any]  # resolved, plain values


@dataclass(frozen=True, slots=True)
class CommandWork:
    """The work of a command, imported where it is done: torch takes seconds."""

    door: str
    """The module whose `check_effect` refuses what is typed without effect."""
    work: Callable[[Config], RunDirectory | None]
    """Returns the finished run; None where this process only helps another one."""
    show: Callable[[RunDirectory, Config], None] = lambda run, config: None
    """Shows the run on a dashboard, where the work has not done so itself."""

    def begin(self, config: Config, typed: Sequence[str]) -> None:
        """Checks that all that is typed has an effect, and sets how slow servers may be."""
        object_at(f"{self.door}.check_effect", "command")(config, typed)
        limit_downloads(config["download"])


def probed(config: Config) -> RunDirectory:
    """Trains probes, or scores minimal sets or downstream tasks; shows them on a dashboard if there is one.

    Args:
        config: of conf/probe.yaml.
    """
    from polyprobe.probing.door import probe_settings
    from polyprobe.probing.run import study_of

    check_machine(config["trainer"])
    return done(study_of(probe_settings(config)))


def show_on_dashboard(run: RunDirectory, config: Config) -> None:
    """Shows a finished run of `probed`, with its pictures, on W&B, if the configuration says so."""
    if config["logger"]["wandb"] is not None:
        from polyprobe.analysis.reports.finished_run import report_run
        from polyprobe.analysis.reports.wandb_dashboard import log_probing_run
        from polyprobe.training.settings import LoggerSettings

        for _ in report_run(run.path, None, config["pictures"]["axis"]):
            pass  # the pictures are drawn
        log_probing_run(run, LoggerSettings.of(config["logger"]), config)


def trained(config: Config) -> RunDirectory | None:
    """Trains a model.

    Args:
        config: of conf/train.yaml.
    """
    check_machine(config["trainer"])
    return object_at(config["trained_by"], "trained_by")(config)


def generated(config: Config) -> RunDirectory:
    """Makes minimal sets, probing tests or text.

    Args:
        config: of conf/generate.yaml.
    """
    from polyprobe.generation.door import generate_settings
    from polyprobe.generation.suites import study_of

    def words(run: Path) -> Collection[str]:
        from polyprobe.predictors.word_level.trained_run import words_of_run  # torch is slow to import, and few need it

        return words_of_run(run, "check_vocabulary")

    return done(study_of(generate_settings(config), words))


PROBE = CommandWork("polyprobe.probing.door", probed, show_on_dashboard)
TRAIN = CommandWork("polyprobe.training.door", trained)
GENERATE = CommandWork("polyprobe.generation.door", generated)
WORK = {"probe": PROBE, "train": TRAIN, "generate": GENERATE}
"""By the names of the commands."""
