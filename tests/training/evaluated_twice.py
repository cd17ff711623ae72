"""Trains a small model of every task, then evaluates it on dev in one, two and three processes; prints lines of JSON.

Run: python -m tests.training.evaluated_twice DATA WORK
"""

import json
import sys
from pathlib import Path

import pytorch_lightning as pl
import torch

from polyprobe.encoders.inputs.trained_models import open_model
from polyprobe.training.door import training_settings
from polyprobe.training.run import chosen_inputs, train
from polyprobe.training.settings import TrainerSettings
from polyprobe.training.trainer import make_trainer
from polyprobe.training.training_run import TrainingRun
from tests.training.five_tasks import TASKS, composed, settings


def scores(run: TrainingRun, model: pl.LightningModule, n_processes: int) -> dict[str, float]:
    """Returns the metrics of dev."""
    strategy = "ddp_fork" if n_processes > 1 else "auto"
    devices = {"accelerator": "cpu", "devices": n_processes, "strategy": strategy}
    settings = TrainerSettings.of({**run.settings.kept["trainer"], **devices})
    trainer = make_trainer(settings, run.directory.path, ())
    trainer.validate(model, run.datamodule, verbose=False)
    return {name: float(value) for name, value in sorted(trainer.callback_metrics.items())}


def evaluated_twice(task: str, data: Path, work: Path) -> dict[str, dict[str, float] | str]:
    """Trains in one process, then counts with the best checkpoint in one, two and three."""
    config = composed(*settings(task, data, work, "trainer.max_epochs=3"))
    directory = train(config)
    known = training_settings(config)
    run = TrainingRun(known, chosen_inputs(known.inputs), directory)
    model = open_model(directory.checkpoint(directory.record()["best_epoch"]), run.source)
    return {"task": task, "one": scores(run, model, 1), "two": scores(run, model, 2), "three": scores(run, model, 3)}


if __name__ == "__main__":
    torch.set_num_threads(1)  # processes are forked: torch must not have started threads of its own
    for name in TASKS:
        print(json.dumps(evaluated_twice(name, Path(sys.argv[1]), Path(sys.argv[2]) / name)), flush=True)
