"""Trains and evaluates on one process, then on several; prints both outcomes as lines of JSON.

Run: python -m tests.datamodules.two_processes
"""

import json

import pytorch_lightning as pl
import torch

from tests.models.corpus import EIGHT, datamodule, labeller


def print_outcome(model: pl.LightningModule, data: pl.LightningDataModule, n_processes: int, n_dev: int) -> None:
    trainer = pl.Trainer(
        max_epochs=2, accelerator="cpu", devices=n_processes, strategy="ddp_fork" if n_processes > 1 else "auto",
        logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
        use_distributed_sampler=False,
    )  # fmt: skip
    trainer.fit(model, datamodule=data)
    values = {name: value.item() for name, value in trainer.callback_metrics.items()}
    length = sum(parameter.double().square().sum().item() for parameter in model.parameters())
    print(json.dumps({"n_dev": n_dev, "squares": length, **values}), flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for n_dev in (8, 1):
        for n_processes in (1, 2):
            data = datamodule(dev=EIGHT[:n_dev])
            print_outcome(labeller(data), data, n_processes, n_dev)
