"""What of the settings of an encoder or a predictor is refused before torch, which most of them need, is imported."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from polyprobe.encoders.base.encoder import path_of
from polyprobe.encoders.transformer.files import model_folder
from polyprobe.encoders.transformer.sentence_modules import has_modules, reads_modules
from polyprobe.errors import BadValue, PolyprobeError, check_choice
from polyprobe.formats.computed_elsewhere import NothingComputed
from polyprobe.formats.vectors.vectors_folder import VectorsFolder
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.names.conf_folders import CONF, choice_settings, file_content

_TRAINED = Path("runs/train")
_FURTHER = dict.fromkeys(("CausalPredictor", "MaskedPredictor"), ("epoch",))
"""Options that no file of conf/ has."""
_OF_TRAIN = "Expected the directory of a run of train.py, with epochs/00.ckpt and so on"


def check_encoder(settings: Mapping[str, Any], trained: Path = _TRAINED) -> None:
    """Checks that there are the options that are typed, which model is meant, and the form of a list of layers.

    Args:
        settings: a file of conf/encoder, with what was typed.
        trained: the folder of runs of train.py; one that is typed by its name alone is named with it.

    Raises:
        UnknownChoice: there is no such option; names the nearest.
        PolyprobeError: there is no such model or run, or layers are no list.
    """
    of_run = partial(_check_checkpoint, trained=trained)
    checks = {"TransformerEncoder": _check_transformer, "CheckpointEncoder": of_run, "Vectors": _check_vectors}
    _check("encoder", settings, checks)


def check_predictor(settings: Mapping[str, Any], trained: Path = _TRAINED) -> None:
    """Checks options, and which model is meant; see `check_encoder`."""
    of_run = partial(_check_run, trained=trained)
    of_runs = dict.fromkeys(("LSTMPredictor", "RandomPredictor"), of_run)
    _check("predictor", settings, {**of_runs, **dict.fromkeys(("CausalPredictor", "MaskedPredictor"), _check_model)})


def chosen_epochs(run: Path, epochs: Sequence[int] | None) -> Mapping[int, Path]:
    """Returns the checkpoint file of each requested epoch, in ascending order."""
    _check_is_there("encoder.run", run, _TRAINED)
    there = RunDirectory(run).checkpoints()
    if not there:
        raise PolyprobeError(_without_checkpoints(run))
    chosen = sorted(there) if epochs is None else sorted(set(epochs))
    absent = [str(epoch) for epoch in chosen if epoch not in there]
    if absent or not chosen:
        complaint = f"has no checkpoint of epoch {', '.join(absent)}" if absent else "is requested without any epoch"
        raise PolyprobeError(f"encoder.epochs: {run} {complaint}. There: {', '.join(map(str, sorted(there)))}.")
    return {epoch: there[epoch] for epoch in chosen}


def _check(group: str, settings: Mapping[str, Any], checks: Mapping[str, Callable[[str, Mapping], None]]) -> None:
    module, _, name = str(settings.get("_target_")).rpartition(".")
    if not module.startswith("polyprobe."):
        return
    if known := known_options(group, f"{module}.{name}"):
        for option in [name for name in settings if name != "_target_"]:
            check_choice(f"{group}: the option", option, known)
    if name in checks:
        checks[name](group, settings)


def known_options(group: str, target: str) -> set[str]:
    """Returns the options of a class that files of conf/ choose, empty where none does."""
    files = {file.stem: file_content(file) or {} for file in (CONF / group).glob("*.yaml")}
    choices = [choice for choice, content in files.items() if content.get("_target_") == target]
    found = {option for choice in choices for option in choice_settings(group, choice)} - {"_target_"}
    return found | {*_FURTHER.get(target.rpartition(".")[2], ())} if found else found


def _check_transformer(group: str, settings: Mapping[str, Any]) -> None:
    _check_list(settings["layers"], "layers from 0 (the embedding layer), such as [6]")
    level = settings.get("level", "sentence")  # files of a user's own may lack what has a default
    of_modules = reads_modules(level, settings["sentence_pooling"], settings.get("prompt"))
    _check_model(group, settings, has_modules if of_modules else _has_all)
    if isinstance(settings["model"], str | Path) and (folder := Path(settings["model"]).expanduser()).is_dir():
        _check_numbers(settings["layers"], folder / "config.json")


def _check_numbers(layers: Sequence[object] | None, config: Path) -> None:
    """Refuses layers above those of a model on the disk, where its config.json counts them by the usual name."""
    try:
        top = json.loads(config.read_text(encoding="utf-8")).get("num_hidden_layers")
    except (OSError, ValueError, AttributeError, RecursionError):
        return  # said where the model is read
    if type(top) is int and any(type(one) is int and not 0 <= one <= top for one in layers or ()):
        raise BadValue(
            "encoder.layers", layers, f"a list of layers from 0 (the embedding layer) to {top}, or null for all"
        )


def _check_vectors(group: str, settings: Mapping[str, Any]) -> None:
    with suppress(NothingComputed):  # all items are listed once they are known
        VectorsFolder.of(path_of(f"{group}.path", settings["path"])).rows()


def _has_all(folder: Path) -> bool:
    """Says of any model that was fetched before that nothing more of it is needed."""
    return True


def _check_model(group: str, settings: Mapping[str, Any], is_enough: Callable[[Path], bool] = _has_all) -> None:
    if settings["model"] is not None and settings.get("revisions") is None:
        model_folder(settings["model"], settings["revision"], group, is_enough)


def _check_checkpoint(group: str, settings: Mapping[str, Any], trained: Path) -> None:
    _check_list(settings["layers"], "names, such as [encoding]")
    _check_run(group, settings, trained)
    if isinstance(settings["epochs"], list | None):
        chosen_epochs(Path(settings["run"]), settings["epochs"])


def _check_run(group: str, settings: Mapping[str, Any], trained: Path) -> None:
    _check_is_there(f"{group}.run", path_of(f"{group}.run", settings["run"]), trained)


def _check_is_there(key: str, run: Path, trained: Path) -> None:
    if not run.is_dir():
        by_name = trained / run
        meant = f"Did you mean {by_name}? " if by_name.is_dir() else ""
        raise PolyprobeError(f"{key}: there is no folder {run}. {meant}{_OF_TRAIN}.")


def _without_checkpoints(run: Path) -> str:
    vectors = RunDirectory(run).vectors / "vectors.vec"
    if vectors.is_file():
        taken = f"such as encoder=static_vectors encoder.path={vectors}"
        return f"{run} has word vectors and no checkpoints. Expected the encoder that it printed, {taken}"
    return f"{run} has no checkpoints. {_OF_TRAIN}, as encoder.run."


def _check_list(layers: object, of: str) -> None:
    if not isinstance(layers, list | None) or layers == []:
        raise BadValue("encoder.layers", layers, f"a list of {of}, or null for all")
