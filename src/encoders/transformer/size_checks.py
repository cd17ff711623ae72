"""Checks what config.json of a transformer claims before memory is taken for it, or code is fetched for it."""

import copy
import json
import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedConfig

from polyprobe.encoders.transformer.files import NotATransformer, weight_files
from polyprobe.errors import PolyprobeError, briefly

_MOST_BYTES = 16 << 20  # of config.json
_DEEPEST = 100  # objects and lists within one another
_MOST = {"layer": 1_000, "expert": 10_000, "labels": 100_000}  # by a part of the key: each is a module or a name
_NEVER_NEGATIVE = ("layers", "heads", "hidden_size", "vocab_size")
_PARAMETERS_PER_BYTE = 4  # at most: two in half a precision, twice as many where the file has one half of a model
_SMALL = 1 << 20  # parameters that are accepted without weights
QUANTISING = ("accelerate", "bitsandbytes")  # packages that quantised weights need
_IMPLEMENTATION = re.compile("(attn|attention|experts)_implementation")  # the keys that say how it is computed
_IMPLEMENTATIONS = ("eager", "sdpa", "flex_attention", "grouped_mm", "batched_mm")  # those of transformers itself
# Else transformers fetches code for some architectures of its own where the package `kernels` is installed.
os.environ.setdefault("USE_HUB_KERNELS", "0")
_ADVICE = ("trust_remote_code", "weights_only", "allow_pickle")


def check_config_file(folder: Path) -> None:
    """Checks config.json before transformers builds lists and layers of what it says."""
    path = folder / "config.json"
    if path.stat().st_size > _MOST_BYTES:
        raise NotATransformer(path, f"it has {path.stat().st_size:,} bytes", f"at most {_MOST_BYTES:,}")
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise NotATransformer(path, "it is no JSON, or too deep", "a JSON object") from None
    if not isinstance(content, dict):
        raise NotATransformer(path, "it is not a JSON object", "the configuration of a model")
    _check_values(path, content, 1)
    if content.get("transformers_weights") is not None:
        raise NotATransformer(path, "it names its weights itself", "weights under their usual names")


def _check_quantised(path: Path, told: Any) -> None:
    """Refuses weights quantised otherwise than by bitsandbytes, or where that is not installed."""
    method = told.get("quant_method") if isinstance(told, dict) else told
    if method != "bitsandbytes":
        expected = (
            "weights in float32, bfloat16 or float16, or quantised by bitsandbytes: save the model dequantised, or use "
            "the original one"
        )
        raise NotATransformer(path, f"its weights are quantised ({' '.join(str(method).split())[:50]})", expected)
    check_installed(f"{path}: weights quantised by bitsandbytes: this", *QUANTISING)


def check_installed(what: str, *packages: str) -> None:
    """Refuses what needs packages of the extra `large` that are not installed."""
    if absent := [package for package in packages if find_spec(package) is None]:
        are = "is" if len(absent) == 1 else "are"
        found = f"{' and '.join(absent)}, which {are} not installed"
        raise PolyprobeError(f"{what} needs {found}: pip install 'polyprobe[large]'")


def check_parameters(loader: type, folder: Path, config: PreTrainedConfig, is_random: bool) -> None:
    """Builds the model without memory for its weights, and checks their number against the weights in the files."""
    try:
        with torch.device("meta"):
            model: nn.Module = loader.from_config(copy.deepcopy(config), dtype=torch.float32, trust_remote_code=False)
        n = sum(parameter.numel() for parameter in model.parameters())
    except Exception as error:  # a foreign configuration can end in any exception
        found = f"no model can be built as its config.json says ({reason(error)})"
        raise NotATransformer(folder, found, "sizes that go together") from error
    n_bytes = sum(path.stat().st_size for path in weight_files(folder))
    if not is_random and n > n_bytes * _PARAMETERS_PER_BYTE + _SMALL:
        found = f"its config.json claims {n:,} parameters, its weights have {n_bytes:,} bytes"
        raise NotATransformer(folder, found, "the configuration and the weights of one model")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if is_random and 4 * n > memory:
        found = f"its config.json claims {n:,} parameters, {4 * n:,} bytes, and this machine's memory has {memory:,}"
        raise NotATransformer(folder, found, "a model that fits into memory")


def reason(error: BaseException) -> str:
    """Returns the message of a library in one line, without its advice to let the file run code."""
    said = str(error)
    if any(advice in said for advice in _ADVICE):
        return "it asks for code that comes with it or for more than tensors; nothing in it was executed"
    if "ignore_mismatched_sizes" in said:
        return "its tensors have other shapes than config.json says"
    return briefly(error)


def _check_values(path: Path, value: Any, depth: int) -> None:
    if depth > _DEEPEST:
        raise NotATransformer(path, f"it is more than {_DEEPEST} objects deep", "the configuration of a model")
    if isinstance(value, list):
        for one in value:
            _check_values(path, one, depth + 1)
    elif isinstance(value, dict):
        for key, one in value.items():
            _check_count(path, key, one)
            if key == "quantization_config" and one is not None:
                _check_quantised(path, one)
            if _IMPLEMENTATION.search(key):
                _check_implementation(path, key, one)
            _check_values(path, one, depth + 1)


def _check_implementation(path: Path, key: str, value: Any) -> None:
    """Refuses an implementation that the package `kernels` would fetch from a hub: `owner/name` and the like."""
    for one in value.values() if isinstance(value, dict) else [value]:
        is_installed = str(one).startswith("flash_attention_") and find_spec("flash_attn") is not None
        if isinstance(one, str) and one not in _IMPLEMENTATIONS and not is_installed:
            found = f'{key} is "{briefly(one)}", which is code from a hub; nothing was fetched'
            raise NotATransformer(path, found, f"{', '.join(_IMPLEMENTATIONS)}, or a config.json without {key}")


def _check_count(path: Path, key: str, value: Any) -> None:
    if not isinstance(value, int):
        return
    most = next((most for part, most in _MOST.items() if part in key), value)
    if value > most:
        raise NotATransformer(path, f"{key} is {value:,}", f"at most {most:,}")
    if value < 0 and any(part in key for part in _NEVER_NEGATIVE):
        raise NotATransformer(path, f"{key} is {value:,}", "at least 1")
