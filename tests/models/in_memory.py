"""Datamodules over examples that are in memory, their batches, and training without files."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pytorch_lightning as pl

from polyprobe.datamodules.base.task_datamodule import TaskDataModule
from polyprobe.datamodules.corpora.labelled_corpora import Corpus
from polyprobe.models.base.task_model import TaskModel

Data = TypeVar("Data", bound=TaskDataModule)


@dataclass(frozen=True)
class InMemory:
    """A corpus that is in memory already, as a source of datamodules."""

    corpus: Corpus

    @classmethod
    def of(cls, train: Sequence[Any], dev: Sequence[Any], test: Sequence[Any] = ()) -> "InMemory":
        """Takes three splits; dev and test may be empty."""
        return cls(Corpus("in memory", train, dev, test, beside={}, files=(), malformed=()))

    def prepare(self) -> None:
        """Has nothing to do."""

    def read(self) -> Corpus:
        """Returns the corpus."""
        return self.corpus


def in_memory(kind: type[Data], train: Sequence[Any], dev: Sequence[Any], test: Sequence[Any], **options: Any) -> Data:
    """Builds a datamodule and has it coded."""
    data = kind(InMemory.of(train, dev, test), **options)
    data.setup()
    return data


def batch_of(model: TaskModel, *examples: Any) -> Any:
    """Joins examples, with their gold labels, as in evaluation."""
    coded = [model.coder.coded(one) for one in examples]
    return model.coder.batch(coded, float(sum(map(model.coder.weight, coded))))


def trained(model: TaskModel, data: TaskDataModule, **settings: Any) -> pl.Trainer:
    """Trains a model on the CPU; nothing is kept."""
    trainer = pl.Trainer(
        accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, use_distributed_sampler=False, **settings,
    )  # fmt: skip
    trainer.fit(model, datamodule=data)
    return trainer
