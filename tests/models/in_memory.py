"""Datamodules over examples that are in memory."""

from collections.abc import Sequence
from typing import Any, TypeVar

from polyprobe.datamodules.base.task_datamodule import TaskDataModule
from polyprobe.datamodules.corpora.corpus_files import InMemory

Data = TypeVar("Data", bound=TaskDataModule)


def in_memory(kind: type[Data], train: Sequence[Any], dev: Sequence[Any], test: Sequence[Any], **options: Any) -> Data:
    """Builds a datamodule and has it coded."""
    data = kind(InMemory.of(train, dev, test), **options)
    data.setup()
    return data
