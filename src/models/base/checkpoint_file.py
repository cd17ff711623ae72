"""Checkpoints of models: tensors and plain values only.

Before anything is built from a file its content is checked, since it may come from anywhere:

    polyprobe    model      _target_, arguments          plain values
                 inputs     arguments                    plain values
                 encoder    settings, number; or None    plain values
    state_dict   a dense tensor for each name
"""

import functools
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel, Field
from torch import nn

from polyprobe.errors import BadValue, PolyprobeError, briefly
from polyprobe.formats.files.atomic import write_text
from polyprobe.formats.files.digest import digest_beside, file_digest, path_beside
from polyprobe.formats.files.file_names import absence
from polyprobe.runs.names.foreign_names import (
    HEAD,
    MODEL,
    OBJECTIVE,
    OPTIMISER,
    RATE_RULE,
    READER_OF_WORDS,
    SENTENCE_NETWORK,
    ForeignName,
    Place,
    known,
)
from polyprobe.runs.names.identity import lasting_name, with_lasting_names
from polyprobe.runs.record.plain_types import Text, wrong
from polyprobe.seeds import derived_seed

# The arguments of a model that are built, too; no other setting may name a class.
PARTS = {
    "optimizer": OPTIMISER,
    "rate_decay": RATE_RULE,
    "reader": READER_OF_WORDS,
    "encoder": SENTENCE_NETWORK,
    "objective": OBJECTIVE,
    "head": HEAD,
}
WAITING = (OPTIMISER, SENTENCE_NETWORK, OBJECTIVE, HEAD)  # for parameters, or widths, that the model knows


def build_model(settings: Mapping[str, Any], inputs: Mapping[str, Any]) -> nn.Module:
    """Builds a model from its configuration and from what its datamodule derived from the training data.

    Args:
        settings: `_target_` and the constructor's keyword arguments, as plain values. Its optimiser becomes a function
            of the parameters, the parts of a sentence encoder functions of widths, hence `_partial_: true`.
        inputs: further arguments of the same kind that only the data know (reader, labels).

    Raises:
        ForeignName: a `_target_` is not what may be built at its place (`foreign_names`).
        PolyprobeError: as the model.
    """
    model = known(MODEL, settings.get("_target_"), "model")
    return model(**_arguments(settings, "model", PARTS), **_arguments(inputs, "inputs", PARTS))


def load_model(path: Path) -> nn.Module:
    """Loads the model of a checkpoint file, in evaluation mode, on the CPU.

    Raises:
        DamagedCheckpoint: the file differs from its digest, holds anything but tensors and plain values, names a class
            that may not be built, or was written by another program.
    """
    content = load_checkpoint(path)
    model = _built(path, content["polyprobe"]["model"], content)
    _fill(path, model, content, assign=False)
    return model.eval()


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Reads a checkpoint file, with its digest and its shape checked and no code in it executed.

    Raises:
        DamagedCheckpoint: see `load_model`.
    """
    path = Path(path)
    content = load_tensors(path)
    _check_content(path, content)
    return content


def load_tensors(path: Path) -> Any:
    """Reads a file of tensors and plain values, with its digest checked and no code in it executed.

    Raises:
        DamagedCheckpoint: see `load_model`.
    """
    if not path.is_file():
        raise DamagedCheckpoint(path, absence(path), "a checkpoint of a training run")
    _check_digest(path)
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except OSError:
        raise
    except Exception as error:  # a pickle that no training run wrote can end in any exception
        found = "it holds more than tensors and plain values, or is truncated; nothing in it was executed"
        raise DamagedCheckpoint(path, found, "a checkpoint of a training run") from error


def weights_digest(path: Path) -> str:
    """Returns a SHA-256 of all that a model's outputs depend on: its class, its inputs, its tensors.

    Raises:
        DamagedCheckpoint: see `load_model`.
    """
    content = load_checkpoint(path)
    return _digest_of_tensors(content["polyprobe"], content["state_dict"])


def fresh_model(path: Path, seed: int) -> tuple[nn.Module, str]:
    """Builds the model of a checkpoint file with new weights, in evaluation mode; returns it and its `weights_digest`.

    Args:
        seed: of the weights; they are unrelated to those that training starts from with this seed.

    Raises:
        DamagedCheckpoint: see `load_model`.
    """
    content = load_checkpoint(path)
    saved = content["polyprobe"]
    fresh_seed = derived_seed(seed, "fresh weights")
    settings = {**saved["model"], "seed": fresh_seed} if "seed" in saved["model"] else saved["model"]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(fresh_seed)
        model = _built(path, settings, content)
    return model.eval(), _digest_of_tensors(saved, model.state_dict())


def _built(path: Path, settings: Mapping[str, Any], content: Mapping[str, Any]) -> nn.Module:
    """Builds a model, without memory for its weights first: a few bytes of settings could ask for any amount of it."""
    with torch.device("meta"):
        _fill(path, _constructed(path, settings, content), content, assign=True)
    return _constructed(path, settings, content)


def _constructed(path: Path, settings: Mapping[str, Any], content: Mapping[str, Any]) -> nn.Module:
    name = settings["_target_"]
    try:
        return build_model(settings, content["polyprobe"]["inputs"])
    except ForeignName as error:
        raise DamagedCheckpoint(path, error.found, error.expected) from error
    except Exception as error:  # with unchecked settings a constructor can raise any exception
        found = f"{name} does not take its settings ({briefly(error)})"
        raise DamagedCheckpoint(path, found, "those of this version") from error


def _fill(path: Path, model: nn.Module, content: Mapping[str, Any], assign: bool) -> None:
    """Loads the tensors of a checkpoint into a model, or `assign`: makes them its own without a copy."""
    try:
        model.load_state_dict(content["state_dict"], assign=assign)
    except RuntimeError as error:
        name = content["polyprobe"]["model"]["_target_"]
        found = f"its tensors do not fit {name} ({briefly(error)})"
        raise DamagedCheckpoint(path, found, "those of that model") from error


def _digest_of_tensors(saved: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> str:
    about = [lasting_name(saved["model"]["_target_"]), with_lasting_names(saved["inputs"])]
    digest = hashlib.sha256(json.dumps(about).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        digest.update(tensor.contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()


def write_digest(path: Path, digest: str) -> None:
    """Writes the digest that `load_checkpoint` checks, in a file next to the checkpoint."""
    write_text(path_beside(path), f"{digest}  {path.name}\n")


def _check_digest(path: Path) -> None:
    name, expected = path_beside(path).name, digest_beside(path)
    if expected is None:
        raise DamagedCheckpoint(path, f"its digest {name} is missing", "that file next to it")
    found = file_digest(path)
    if found != expected:
        raise DamagedCheckpoint(path, f"its SHA-256 is {found[:16]}…", f"{expected[:16]}… (from {name})")


def _arguments(settings: Mapping[str, Any], place: str, parts: Mapping[str, Place]) -> dict[str, Any]:
    """Returns the arguments of a constructor; those that are `parts` are built."""
    given = {key: value for key, value in settings.items() if not key.startswith("_")}
    return {key: _argument(value, f"{place}.{key}", parts.get(key)) for key, value in given.items()}


def _argument(value: Any, place: str, kind: Place | None) -> Any:
    if not isinstance(value, Mapping) or "_target_" not in value:
        return value
    if kind is None:
        raise ForeignName(value["_target_"], place, None)
    build = functools.partial(known(kind, value["_target_"], place), **_arguments(value, place, {}))
    waits = kind in WAITING
    if (value.get("_partial_") is True) != waits:
        expected = "true: the model builds it" if waits else "left out: it is built at once"
        raise BadValue(f"{place}._partial_", value.get("_partial_"), expected)
    return build if waits else build()


class DamagedCheckpoint(PolyprobeError):
    """A checkpoint file is not what a training run wrote."""

    def __init__(self, path: Path, found: str, expected: str):
        super().__init__(f"{path}: {found}. Expected {expected}. Use another epoch, or train the model again.")


class _Named(BaseModel):
    target: Text = Field(alias="_target_")


class _Encoder(BaseModel):
    settings: _Named
    number: Text


class _Saved(BaseModel):
    model: _Named
    inputs: dict
    encoder: _Encoder | None = None


def _check_content(path: Path, content: Any) -> None:
    """Checks the entries of a checkpoint file and their types."""
    if not isinstance(content, dict) or not {"polyprobe", "state_dict"} <= content.keys():
        raise DamagedCheckpoint(path, "another program wrote it", 'a file of train.py, with the entry "polyprobe"')
    saved, tensors = content["polyprobe"], content["state_dict"]
    if not _is_plain(saved):
        found = 'its entry "polyprobe" holds other things than plain values'
        raise DamagedCheckpoint(path, found, "text, numbers, lists and mappings")
    if found := wrong(saved, _Saved):
        raise DamagedCheckpoint(path, f'of its entry "polyprobe" {found}', "what a training run writes")
    if not isinstance(tensors, Mapping) or not all(map(_is_weight, tensors.items())):
        found = 'its entry "state_dict" holds other things than named, dense tensors'
        raise DamagedCheckpoint(path, found, "the weights of a model")


def _is_plain(value: Any) -> bool:
    """Says whether a value has the types of JSON, tuples included, and no object contains itself."""
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _is_weight(named: tuple[Any, Any]) -> bool:
    name, tensor = named
    is_dense = isinstance(tensor, torch.Tensor) and tensor.layout is torch.strided
    # A tensor of few numbers that are repeated without end would grow in memory.
    return isinstance(name, str) and is_dense and tensor.untyped_storage().nbytes() >= tensor.nbytes
