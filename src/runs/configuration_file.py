"""The config.yaml of a run: plain values, whoever wrote them."""

from pathlib import Path
from typing import Any

import yaml

from src.formats.errors import PolyprobeError


def read_configuration(path: Path) -> dict[str, Any]:
    """Reads the configuration of a run. Nothing in it is resolved, imported or built.

    Raises:
        OSError: it cannot be opened.
        PolyprobeError: it is no YAML, or no mapping of keys to values.
    """
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, yaml.YAMLError) as error:  # a date such as 2020-13-01 is a ValueError
        raise PolyprobeError(f"{path} is damaged ({' '.join(str(error).split())}).") from error
    if not isinstance(config, dict) or not all(isinstance(key, str) for key in config):
        raise PolyprobeError(f"{path} is damaged (it is no mapping of keys to values).")
    return config
