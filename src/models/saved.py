"""Checkpoints of models: tensors and plain values only, checked before they are believed."""

import functools
import hashlib
import importlib
import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from src.formats.atomic import write_text
from src.formats.digest import file_digest
from src.formats.errors import PolyprobeError
from src.formats.seeds import derived_seed

# From a file of a run only these are built; anything else would let a foreign file choose what is executed.
TRUSTED = ("src.models.", "torch.optim.")


class DamagedCheckpoint(PolyprobeError):
    """A checkpoint file is not what a training run wrote."""

    def __init__(self, path: Path, found: str, expected: str):
        super().__init__(f"{path}: {found}. Expected {expected}. Take another epoch, or train the model again.")


class UntrustedTarget(PolyprobeError):
    """A configuration asks for something that is neither a model of ours nor an optimiser of torch."""

    def __init__(self, name: str):
        super().__init__(f'model: _target_ "{name}" is not trusted. Expected a name below {" or ".join(TRUSTED)}.')
        self.name = name


def build_model(settings: Mapping[str, Any], inputs: Mapping[str, Any]) -> nn.Module:
    """Builds a model from its configuration and what its datamodule found in the training data.

    Args:
        settings: `_target_` and the constructor's keyword arguments, as plain values; a nested mapping with a
            `_target_` is built, too; with `_partial_: true` it becomes a function that waits for the rest of its
            arguments (an optimiser).
        inputs: further arguments of the same kind that only the data know (reader, labels).

    Raises:
        UntrustedTarget: a `_target_` lies outside polyprobe's models and torch's optimisers.
    """
    return _target(settings["_target_"])(**_arguments(settings), **_arguments(inputs))


def load_model(path: Path) -> nn.Module:
    """Loads the model of a checkpoint file, in evaluation mode, on the CPU.

    Raises:
        DamagedCheckpoint: the file differs from its digest, holds anything but tensors and plain values, or was
            written by another program.
    """
    content = load_checkpoint(path)
    saved = content["polyprobe"]
    name = saved["model"]["_target_"]
    try:
        model = build_model(saved["model"], saved["inputs"])
        model.load_state_dict(content["state_dict"])
    except UntrustedTarget as error:
        raise DamagedCheckpoint(path, f"it asks for {error.name}", f"a name below {' or '.join(TRUSTED)}") from error
    except TypeError as error:
        found = f"{name} does not take its settings ({error})"
        raise DamagedCheckpoint(path, found, "those of this version") from error
    except RuntimeError as error:
        raise DamagedCheckpoint(path, f"its tensors do not fit {name} ({error})", "those of that model") from error
    return model.eval()


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Reads a checkpoint file, with its digest checked and no code in it executed.

    Raises:
        DamagedCheckpoint: see `load_model`.
    """
    path = Path(path)
    content = load_tensors(path)
    if not isinstance(content, dict) or "polyprobe" not in content or "state_dict" not in content:
        raise DamagedCheckpoint(
            path, "another program wrote it", 'a checkpoint of train.py, with the entry "polyprobe"'
        )
    return content


def load_tensors(path: Path) -> Any:
    """Reads a file of tensors and plain values, with its digest checked and no code in it executed.

    Raises:
        DamagedCheckpoint: see `load_model`.
    """
    if not path.is_file():
        raise DamagedCheckpoint(path, "there is no such file", "a checkpoint of a training run")
    _check_digest(path)
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError, KeyError) as error:
        found = "it holds more than tensors and plain values, or is cut off; nothing in it was executed"
        raise DamagedCheckpoint(path, found, "a checkpoint of a training run") from error


def weights_digest(path: Path) -> str:
    """Gives a SHA-256 of all that a model's outputs depend on: its class, its inputs, its tensors.

    Raises:
        DamagedCheckpoint: see `load_model`.
    """
    content = load_checkpoint(path)
    return _digest_of_tensors(content["polyprobe"], content["state_dict"])


def fresh_model(path: Path, seed: int) -> tuple[nn.Module, str]:
    """Builds the model of a checkpoint file with other weights, in evaluation mode; gives it and its `weights_digest`.

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
        model = build_model(settings, saved["inputs"])
    for name, parameter in model.named_parameters():
        is_drawn = parameter.requires_grad and parameter.ndim > 1 and bool(parameter.any())  # offsets start at zero
        same = is_drawn and parameter.equal(content["state_dict"][name])
        assert not same, f"{name} is as in {path}"
    return model.eval(), _digest_of_tensors(saved, model.state_dict())


def _digest_of_tensors(saved: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> str:
    digest = hashlib.sha256(json.dumps([saved["model"]["_target_"], saved["inputs"]]).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}".encode())
        digest.update(tensor.contiguous().flatten().view(torch.uint8).numpy())
    return digest.hexdigest()


def write_digest(path: Path, digest: str) -> None:
    """Writes the digest that `load_checkpoint` checks, in a file beside the checkpoint."""
    write_text(_digest_path(path), f"{digest}  {path.name}\n")


def _check_digest(path: Path) -> None:
    digest_path = _digest_path(path)
    if not digest_path.is_file():
        raise DamagedCheckpoint(path, f"its digest {digest_path.name} is missing", "that file beside it")
    expected = digest_path.read_text(encoding="utf-8", errors="replace").split(" ")[0]
    found = file_digest(path)
    if found != expected:
        raise DamagedCheckpoint(path, f"its SHA-256 is {found[:16]}…", f"{expected[:16]}… (from {digest_path.name})")


def _digest_path(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def _target(name: str) -> Any:
    if not name.startswith(TRUSTED):
        raise UntrustedTarget(name)
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _arguments(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _argument(value) for key, value in settings.items() if not key.startswith("_")}


def _argument(value: Any) -> Any:
    if not isinstance(value, Mapping) or "_target_" not in value:
        return value
    build = functools.partial(_target(value["_target_"]), **_arguments(value))
    return build if value.get("_partial_") else build()
