"""The configuration that a script gets of a command line, for tests that call what the script calls."""

from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from polyprobe.runs.command.script import CONF


def composed(script: str, *overrides: str) -> dict[str, Any]:
    """Returns the resolved, plain configuration of `<script>.py` with some overrides."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose(script, list(overrides), return_hydra_config=True)
    choices = {group: choice for group, choice in config.hydra.runtime.choices.items() if "hydra" not in group}
    OmegaConf.set_struct(config, False)
    config.pop("hydra")
    return {**OmegaConf.to_container(config, resolve=True), "choices": choices}
