"""The folder that holds the corpora and suites of a language."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def data_root(lang: Mapping[str, Any], paths: Mapping[str, Any]) -> Path:
    """Returns the data folder, or the folder of a generated language, whose files are made when first used.

    Args:
        lang: a file of conf/lang; `generator` names a function of (folder, seed), or is None.
        paths: the `paths` section of a configuration.
    """
    generator = lang["generator"]
    if generator is None:
        return Path(paths["data"])
    module, _, function = generator["_target_"].rpartition(".")
    return getattr(importlib.import_module(module), function)(Path(paths["work"]) / "cache", generator["seed"])
