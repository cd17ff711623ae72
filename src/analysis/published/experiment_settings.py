"""Studies of conf/experiment behind published numbers: what is typed for one, and how far a run is of it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from polyprobe.analysis.published.published_cells import PublishedCell, StudyCommand
from polyprobe.analysis.results.config_differences import with_pooling
from polyprobe.errors import UnknownChoice
from polyprobe.runs.command.overrides import choices, composed, composing
from polyprobe.runs.names.conf_folders import choice_files, choice_settings
from polyprobe.runs.names.identity import seedless_settings
from polyprobe.runs.results import COUNT_PROBES

COMMANDS = ("train", "probe", "generate", "analyze")
SAME_EXPERIMENT = (
    "lang",
    "suite",
    "task",
    "encoder",
    "predictor",
    "objective",
    "decoder",
)  # a run of another is none of it
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
GIVING = ("encoder", "predictor")  # groups whose choices may need a file or a run that only the user has
VECTORS = "${oc.select:vectors}"


@dataclass(frozen=True, slots=True)
class Experiment:
    """A study of conf/experiment/ as it is composed."""

    command: str
    """The command that runs it: "train"."""
    choices: Mapping[str, Any]
    settings: Mapping[str, Any]
    """What changes numbers, by dotted key, without seeds and what only the user knows."""


@cache
def composed_experiment(experiment: str, typed: tuple[str, ...]) -> Experiment:
    """Composes a study, a file of conf/experiment, with what is typed beside it."""
    from omegaconf import OmegaConf

    command = command_of_experiment(experiment)
    with composing():
        config = composed(command, [f"experiment={experiment}", *typed])
    chosen = {group: one for group, one in config.hydra.runtime.choices.items() if "hydra" not in group}
    OmegaConf.set_struct(config, False)
    config.pop("hydra")
    for key in OmegaConf.missing_keys(config):
        OmegaConf.update(config, key, GIVEN)
    settings = seedless_settings(with_pooling(OmegaConf.to_container(config, resolve=True)))
    known = {key: value for key, value in settings.items() if not (isinstance(value, str) and GIVEN in value)}
    return Experiment(command, MappingProxyType(chosen), MappingProxyType(known))


@cache
def command_of_experiment(experiment: str) -> str:
    """Returns the command that runs a study: the first that its file says how to type."""
    assert experiment in choice_files("experiment"), experiment
    return next(name for name in COMMANDS if experiment in choices("experiment", name))


def is_of_experiment(configuration: Mapping[str, Any], study: Experiment) -> bool:
    """Says whether a run made the choices of a study that make it one, whatever its settings."""
    made = configuration.get("choices", {})
    return all(
        made[group] == study.choices[group]
        for group in SAME_EXPERIMENT
        if {group} <= made.keys() & study.choices.keys()
    )


def other_settings(configuration: Mapping[str, Any], study: Experiment, met: Collection[str]) -> list[str]:
    """Names the settings in which a run differs from a study: "model.hidden_size 10, not 300".

    What only the user knows, seeds, and what an earlier version did not know, is not compared. Counts keep a probe of
    their own under a study's.

    Args:
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


def command_of(cell: PublishedCell) -> str | None:
    """Returns what is typed for a cell, with `<…>` for what only the user knows; None where there is no study yet.

    Of a probed model `<…>` holds how it is trained: `encoder.run=<train.py experiment=senteval_table3_nli …>`,
    with what that leaves to the user in its turn.
    """
    if cell.study.experiment not in choice_files("experiment"):
        return None
    run = f"<{_typed(cell.training, '<run>')}>" if cell.training else "<run>"
    return f"python {_typed(cell.study, run)}"


def _is_compared(key: str, left_out: tuple[str, ...]) -> bool:
    sections = (*SECTIONS_NOT_COMPARED, *left_out)
    return (
        key not in NOT_COMPARED and not key.startswith(sections) and key.rpartition(".")[2] not in LEAVES_NOT_COMPARED
    )


def _typed(study: StudyCommand, run: str) -> str:
    """Returns a study with what is typed beside it and, in angle brackets, what that leaves to the user."""
    made = {**composed_experiment(study.experiment, ()).choices, **study.choices}
    needed = [
        f"{key}={run if key.endswith('.run') else f'<{name}>'}"
        for group in GIVING
        if isinstance(made.get(group), str)
        for key, name in _keys_to_give(group, made[group])
        if key not in study.choices
    ]
    return " ".join(
        [f"{command_of_experiment(study.experiment)}.py experiment={study.experiment}", *study.typed, *needed]
    )


@cache
def _keys_to_give(group: str, choice: str) -> tuple[tuple[str, str], ...]:
    """Returns the keys that a choice leaves to the user, and what to call their values."""
    try:
        settings = choice_settings(group, choice)
    except UnknownChoice:
        return ()
    missing = [(f"{group}.{key}", key) for key, value in settings.items() if value == "???"]
    return (*missing, *((("vectors", "vectors"),) if VECTORS in settings.values() else ()))
