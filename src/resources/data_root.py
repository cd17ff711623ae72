"""The data folder: where the corpora and suites of a language are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polyprobe.named import object_at
from polyprobe.runs.names.foreign_names import GENERATOR, known
from polyprobe.runs.names.identity import is_ours
from polyprobe.runs.workspace import Workspace


def data_root(lang: Mapping[str, Any], workspace: Workspace) -> Path:
    """Returns the data folder, or the folder of a generated language, whose files are made when first used.

    Args:
        lang: the settings of `lang=<code>`; `generator`, if there is one, names a function of (folder, seed).

    Raises:
        ForeignName: the generator has the name of a thing of ours that is none.
        PolyprobeError: there is no such function.
    """
    generator = lang.get("generator")
    if generator is None:
        return workspace.data
    name, key = generator["_target_"], "lang.generator._target_"
    # A name of ours means what the table says, whatever module it comes with: configurations of runs come here, too.
    make = known(GENERATOR, name, key) if is_ours(name) else object_at(name, key, "a function such as mine.generate")
    return make(workspace.cache, generator["seed"])
