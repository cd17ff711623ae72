"""The folder that holds the corpora and suites of a language."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from src.runs.workspace import Workspace


def data_root(lang: Mapping[str, Any], workspace: Workspace) -> Path:
    """Returns the data folder, or the folder of a generated language, whose files are made when first used.

    Args:
        lang: a file of conf/lang; `generator` names a function of (folder, seed), or is None.
        workspace: of the command.
    """
    generator = lang["generator"]
    if generator is None:
        return workspace.data
    module, _, function = generator["_target_"].rpartition(".")
    return getattr(importlib.import_module(module), function)(workspace.cache, generator["seed"])
