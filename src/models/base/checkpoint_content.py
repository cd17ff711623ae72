"""Checks the content of a checkpoint file before anything is built from it: the file may come from anywhere.

polyprobe    model      _target_, arguments          plain values
             inputs     arguments                    plain values
             encoder    settings, number; or None    plain values
state_dict   a dense tensor for each name
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from src.errors import PolyprobeError

_DEPTH = 12  # mappings and lists inside each other
_LARGEST = 2**63
_NUMBERS = frozenset(
    {torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8}
    | {torch.uint8, torch.bool}
)
_SMALL = 1000  # a setting may always be as large, for any weights
_SHARED = 2  # tensors with the same numbers, such as tied weights: else a file could grow without end in memory
_NO_SIZE = frozenset({"seed"})


class DamagedCheckpoint(PolyprobeError):
    """A checkpoint file is not what a training run wrote."""

    def __init__(self, path: Path, found: str, expected: str):
        super().__init__(f"{path}: {found}. Expected {expected}. Take another epoch, or train the model again.")


def check_content(path: Path, content: Any) -> None:
    """Checks the entries of a checkpoint file and their types."""
    if not isinstance(content, dict) or "polyprobe" not in content or "state_dict" not in content:
        raise DamagedCheckpoint(
            path, "another program wrote it", 'a checkpoint of train.py, with the entry "polyprobe"'
        )
    for complaint, expected in _complaints(content["polyprobe"], content["state_dict"]):
        raise DamagedCheckpoint(path, complaint, expected)


def _complaints(saved: Any, tensors: Any) -> Iterator[tuple[str, str]]:
    """Yields what was found and what was expected; a later check relies on the earlier ones."""
    if not isinstance(saved, dict) or not is_plain(saved):
        yield 'its entry "polyprobe" holds other things than plain values', "text, numbers, lists and mappings"
        return
    yield from _complaints_of_model(saved)
    yield from _complaints_of_encoder(saved.get("encoder"))
    if not isinstance(tensors, Mapping) or not all(map(_is_weight, tensors.items())):
        yield 'its entry "state_dict" holds other things than named, dense tensors', "the weights of a model"
        return
    storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors.values()}
    if sum(tensor.nbytes for tensor in tensors.values()) > _SHARED * sum(storages.values()):
        yield "its tensors repeat the same numbers", f"numbers that stand in at most {_SHARED} tensors"
    yield from _complaints_of_sizes([saved["model"], saved["inputs"]], tensors)


def _complaints_of_model(saved: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in ("model", "inputs"):
        if not isinstance(saved.get(key), dict):
            yield f'its entry "polyprobe" has no settings as "{key}"', "the model's configuration, and what it read"
    if not isinstance(saved["model"].get("_target_"), str):
        yield 'its "model" names no class', "_target_, the name of a class"
    for key, value in saved["inputs"].items():
        lists = value.values() if isinstance(value, dict) else [value]
        if any(isinstance(one, list | tuple) and not all(isinstance(unit, str) for unit in one) for one in lists):
            yield f'its "inputs" have other things than text in "{key}"', "words and labels"


def _complaints_of_encoder(encoder: Any) -> Iterator[tuple[str, str]]:
    if encoder is None:
        return
    expected = "its settings with _target_, and the type of its numbers"
    if not isinstance(encoder, dict) or not isinstance(encoder.get("settings"), dict):
        yield 'its "encoder" has no settings', expected
    elif not isinstance(encoder["settings"].get("_target_"), str) or not isinstance(encoder.get("number"), str):
        yield 'its "encoder" names no class or no type of number', expected


def _complaints_of_sizes(settings: Any, tensors: Mapping[str, torch.Tensor]) -> Iterator[tuple[str, str]]:
    """No layer is wider than all weights together, and each has its own; how they go together is seen when built."""
    n_weights = sum(tensor.numel() for tensor in tensors.values())
    for key, size in _sizes(settings):
        most = len(tensors) if key == "n_layers" else max(n_weights, _SMALL)
        if size > most:
            yield f"its {key} is {size}, and it has {n_weights} weights in {len(tensors)} tensors", "tensors that fit"


def _sizes(settings: Any) -> Iterator[tuple[str, int]]:
    parts = settings.values() if isinstance(settings, dict) else settings
    if isinstance(settings, dict):
        yield from ((key, one) for key, one in settings.items() if type(one) is int and key not in _NO_SIZE)
    for part in parts:
        if isinstance(part, dict):
            yield from _sizes(part)


def is_plain(value: Any, depth: int = _DEPTH) -> bool:
    """Says whether a value has the types of YAML and JSON, with text as keys, and no object contains itself."""
    if isinstance(value, str):
        return _is_text(value)
    if value is None or isinstance(value, bool | float):
        return True
    if isinstance(value, int):
        return -_LARGEST <= value < _LARGEST
    if depth == 0:
        return False
    if isinstance(value, list | tuple):
        return all(is_plain(one, depth - 1) for one in value)
    return type(value) is dict and all(
        isinstance(key, str) and _is_text(key) and is_plain(one, depth - 1) for key, one in value.items()
    )


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _is_weight(named: tuple[Any, Any]) -> bool:
    name, tensor = named
    return (
        isinstance(name, str)
        and _is_text(name)
        and isinstance(tensor, torch.Tensor)
        and tensor.layout is torch.strided
        and tensor.device.type == "cpu"
        and tensor.dtype in _NUMBERS
        and not tensor.is_conj()
        and tensor.untyped_storage().nbytes() >= tensor.nbytes  # else a few numbers are repeated without end
    )
