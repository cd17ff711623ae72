"""Training runs inside the test's own process: no second start of Python, of torch and of Lightning."""

from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from src.runs.command import CONF
from src.runs.directory import RunDirectory
from src.training.run import train
from tests.commands.scripts import on_small_data

SMALL = {
    "srl": ["model.hidden_size=12"],
    "pos": ["model.hidden_size=12", "model.optimizer.lr=0.02"],
    "dep": ["model.hidden_size=12", "model.optimizer.lr=0.02", "model.tag_size=6", "model.projection_size=12"],
    "ner": ["model.hidden_size=12", "model.optimizer.lr=0.02"],
    "nli": ["model.hidden_size=6", "model.optimizer.lr=0.02"],
}


def configuration(*overrides: str) -> dict[str, Any]:
    """Composes what `train.py` gets when these overrides are typed."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("train", [*overrides], return_hydra_config=True)
    choices = {group: choice for group, choice in config.hydra.runtime.choices.items() if "hydra" not in group}
    OmegaConf.set_struct(config, False)
    del config["hydra"]
    return {**OmegaConf.to_container(config, resolve=True), "choices": choices}


def small_run(task: str, data: Path, work: Path, *overrides: str) -> RunDirectory:
    """Trains a small model for two epochs, or says that it is trained."""
    small = [f"task={task}", *on_small_data(data, work), *SMALL[task], "trainer.threads=1", "trainer.max_epochs=2"]
    return train(configuration(*small, *overrides))
