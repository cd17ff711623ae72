"""What a training run is called, and where it lies; known before any data are read, and without torch."""

from collections.abc import Mapping
from typing import Any

from src.formats.files.file_names import file_name
from src.runs.directory import RunDirectory
from src.runs.names.identity import identity
from src.training.settings import TrainingSettings

PROBING = ("probe_each_epoch", "suite", "probe", "probe_layers", "seeds", "minimal_sets")


def run_directory(settings: TrainingSettings, inputs: Mapping[str, Any]) -> RunDirectory:
    """Returns the directory of the run that has these settings, whether it is there or not.

    Args:
        settings: of the run.
        inputs: the identity of its inputs: see `Inputs.identity`, and `InputSettings.learned_identity`.

    Raises:
        PolyprobeError: `data.upos_run` is not finished, or its checkpoint is damaged.
    """
    config = {**settings.config, "encoder": inputs}
    if settings.inputs.is_learned and config["model"].get("encoder", {}).get("input_rms"):  # it has no effect on them
        config["model"] = {**config["model"], "encoder": {**config["model"]["encoder"], "input_rms": None}}
    if settings.data.upos_run is not None:
        from src.training.predicted_upos import tagger_digest  # and with it torch

        config["data"] = {**config["data"], "upos_run": tagger_digest(settings.data.upos_run)}
    return RunDirectory(settings.workspace.runs("train") / run_name(config, settings.inputs.name))


def run_name(config: Mapping[str, Any], encoder: str) -> str:
    """Returns task (and objective), language, what words are read with, seed, identity: `srl-fi-learned-s1-3f2a9c1e`.

    Args:
        config: with the identity of the inputs as `encoder`, and of a tagger as `data.upos_run`: the same vectors or
            tags from another path are the same run.
        encoder: the name of the inputs.
    """
    task, lang = config["task"], config["lang"]["code"]
    learned = f"{task['name']}-{task['objective']}" if "objective" in task else task["name"]
    unused = () if config["probe_each_epoch"] else (*PROBING, "cache")
    used = {**config, "cache": config["cache"]["number"]}
    number = identity({key: value for key, value in used.items() if key not in unused})
    return file_name(f"{learned}-{lang}-{encoder}-s{config['seed']}-{number}")
