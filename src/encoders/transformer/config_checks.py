"""Checks config.json of a transformer before code is fetched for what it names; tells errors in one line."""

import json
import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.errors import PolyprobeError, briefly

QUANTISING = ("accelerate", "bitsandbytes")  # packages that quantised weights need
_IMPLEMENTATION = re.compile("(attn|attention|experts)_implementation")  # the keys that say how it is computed
_IMPLEMENTATIONS = ("eager", "sdpa", "flex_attention", "grouped_mm", "batched_mm")  # those of transformers itself
# Else transformers fetches code for some architectures of its own where the package `kernels` is installed.
os.environ.setdefault("USE_HUB_KERNELS", "0")
_ADVICE = ("trust_remote_code", "weights_only", "allow_pickle")


def check_config_file(folder: Path) -> None:
    """Refuses a configuration that names code of a hub, weights of another folder, or quantised weights.

    Raises:
        NotATransformer: it does, or is no JSON object.
        PolyprobeError: the packages that quantised weights need are not installed.
    """
    path = folder / "config.json"
    try:
        content = json.loads(path.read_bytes())
        if not isinstance(content, dict):
            raise NotATransformer(path, "it is not a JSON object", "the configuration of a model")
        _check_values(path, content)
    except (ValueError, RecursionError):
        raise NotATransformer(path, "it is no JSON, or too deep", "a JSON object") from None
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


def reason(error: BaseException) -> str:
    """Returns the message of a library in one line, without its advice to let the file run code."""
    said = str(error)
    if any(advice in said for advice in _ADVICE):
        return "it asks for code that comes with it or for more than tensors; nothing in it was executed"
    if "ignore_mismatched_sizes" in said:
        return "its tensors have other shapes than config.json says"
    return briefly(error)


def _check_values(path: Path, value: Any) -> None:
    if isinstance(value, list):
        for one in value:
            _check_values(path, one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key == "quantization_config" and one is not None:
                _check_quantised(path, one)
            if _IMPLEMENTATION.search(key):
                _check_implementation(path, key, one)
            _check_values(path, one)


def _check_implementation(path: Path, key: str, value: Any) -> None:
    """Refuses an implementation that the package `kernels` would fetch from a hub: `owner/name` and the like."""
    for one in value.values() if isinstance(value, dict) else [value]:
        is_installed = str(one).startswith("flash_attention_") and find_spec("flash_attn") is not None
        if isinstance(one, str) and one not in _IMPLEMENTATIONS and not is_installed:
            found = f'{key} is "{briefly(one)}", which is code from a hub; nothing was fetched'
            raise NotATransformer(path, found, f"{', '.join(_IMPLEMENTATIONS)}, or a config.json without {key}")
