"""Whether a run is of a study of conf/experiment, and in which settings it differs from it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from src.analysis.results.config_differences import with_pooling
from src.runs.command.overrides import choices, composed, composing
from src.runs.names.conf_folders import choice_files
from src.runs.names.identity import seedless_settings
from src.runs.results import COUNT_PROBES

COMMANDS = ("train", "probe", "generate", "analyze")
SAME_STUDY = ("lang", "suite", "task", "encoder", "predictor", "objective", "decoder")  # a run of another is none of it
# What says which rows there are or which files they come from: rows say so themselves.
NOT_COMPARED = (
    "tests",
    "seeds",
    "encoder.layers",
    "encoder.epochs",
    "encoder.path",
    "predictor.epoch",
    "baselines",
    "data.on_malformed",
)
SECTIONS_NOT_COMPARED = ("lang.", "data.corpora.", "made_from.", "paths.", "download.")
LEAVES_NOT_COMPARED = ("cache", "device", "token_budget", "batch_words", "evaluation_words", "run")
# No paper names a type of numbers: float32 beside bfloat16 is no difference.
LEAVES_NOT_COMPARED += ("number_type", "precision")
OF_PROBING = ("suite.", "probe.", "probe_each_epoch", "probe_layers", "minimal_sets.")  # no part of a training
GIVEN = "<given>"  # in place of what only the user knows


@dataclass(frozen=True, slots=True)
class Study:
    """A study as it is composed.

    Attributes:
        command: that runs it: "train".
        choices: of each group.
        settings: what changes numbers, by dotted key, without seeds and what only the user knows.
    """

    command: str
    choices: Mapping[str, Any]
    settings: Mapping[str, Any]


@cache
def composed_study(experiment: str, typed: tuple[str, ...]) -> Study:
    """Composes a study.

    Args:
        experiment: a file of conf/experiment.
        typed: what stands beside on the command line.

    Raises:
        CommandLineError: it cannot be composed.
    """
    from omegaconf import OmegaConf

    command = command_of_study(experiment)
    with composing():
        config = composed(command, [f"experiment={experiment}", *typed])
    chosen = {group: one for group, one in config.hydra.runtime.choices.items() if "hydra" not in group}
    OmegaConf.set_struct(config, False)
    del config["hydra"]
    for key in OmegaConf.missing_keys(config):
        OmegaConf.update(config, key, GIVEN)
    settings = seedless_settings(with_pooling(OmegaConf.to_container(config, resolve=True)))
    known = {key: value for key, value in settings.items() if not (isinstance(value, str) and GIVEN in value)}
    return Study(command, MappingProxyType(chosen), MappingProxyType(known))


@cache
def command_of_study(experiment: str) -> str:
    """Returns the command that runs a study: the first that its file says how to type."""
    assert experiment in choice_files("experiment"), experiment
    return next(name for name in COMMANDS if experiment in choices("experiment", name))


def is_of_study(configuration: Mapping[str, Any], study: Study) -> bool:
    """Says whether a run made the choices of a study that make it one, whatever its settings."""
    made = configuration.get("choices", {})
    return all(
        made[group] == study.choices[group] for group in SAME_STUDY if {group} <= made.keys() & study.choices.keys()
    )


def other_settings(configuration: Mapping[str, Any], study: Study, met: Collection[str]) -> list[str]:
    """Names the settings in which a run differs from a study: "model.hidden_size 10, not 300".

    What only the user knows, seeds, and what an earlier version did not know, is not compared. Counts keep a probe of
    their own under a study's.

    Args:
        configuration: of the run.
        study: that it may be of.
        met: keys that are known to be met, such as a model's name at the end of a path.
    """
    found = seedless_settings(with_pooling(configuration))
    left_out = OF_PROBING if study.command == "train" else ()
    if configuration.get("choices", {}).get("probe") in COUNT_PROBES and study.choices.get("probe") not in COUNT_PROBES:
        left_out = (*left_out, "probe.")
    return [
        f"{key} {found[key]}, not {value}"
        for key, value in study.settings.items()
        if key in found and found[key] != value and key not in met and _is_compared(key, left_out)
    ]


def _is_compared(key: str, left_out: tuple[str, ...]) -> bool:
    sections = (*SECTIONS_NOT_COMPARED, *left_out)
    return (
        key not in NOT_COMPARED and not key.startswith(sections) and key.rpartition(".")[2] not in LEAVES_NOT_COMPARED
    )
