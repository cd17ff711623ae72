"""Training runs inside the test's own process: no second start of Python, of torch and of Lightning."""

from pathlib import Path

from polyprobe.runs.directory import RunDirectory
from polyprobe.training.run import train
from tests.commands.scripts import on_small_data
from tests.training.five_tasks import composed

SMALL = {
    "srl": ["model.hidden_size=12"],
    "pos": ["model.hidden_size=12", "model.optimizer.lr=0.02"],
    "dep": ["model.hidden_size=12", "model.optimizer.lr=0.02", "model.tag_size=6", "model.projection_size=12"],
    "ner": ["model.hidden_size=12", "model.optimizer.lr=0.02"],
    "nli": ["model.hidden_size=6", "model.optimizer.lr=0.02"],
}


def small_run(task: str, data: Path, work: Path, *overrides: str) -> RunDirectory:
    """Trains a small model for two epochs, or says that it is trained."""
    return train(composed(*small_options(task, data, work, *overrides)))


def small_options(task: str, data: Path, work: Path, *overrides: str) -> list[str]:
    """Returns what is typed for a small model and two epochs."""
    small = [f"task={task}", *on_small_data(data, work), *SMALL[task], "trainer.threads=1", "trainer.max_epochs=2"]
    return [*small, *overrides]
