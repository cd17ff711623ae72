"""The data folder: where the corpora and suites of a language are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from src.named import object_at
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
    generate = object_at(generator["_target_"], "lang.generator._target_", "a function such as mine.generate")
    return generate(workspace.cache, generator["seed"])
