"""Sentences with length classes to batches."""

from collections.abc import Iterator
from typing import Any

from length_batch import FrequentLength, LengthCoder

from polyprobe.datamodules.base.task_datamodule import BatchSizes, Count, TaskDataModule
from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.corpus_files import CorpusSource


class LengthDataModule(TaskDataModule):
    """Batches of sentences of like length; vocabulary and classes come from train alone.

    Args:
        source, inputs, seed: see `TaskDataModule`.
        batch_sentences, evaluation_sentences: sentences of a batch.
    """

    labels: list[str]

    def __init__(
        self, source: CorpusSource, inputs: Inputs, seed: int, batch_sentences: int, evaluation_sentences: int
    ):
        super().__init__(source, inputs, seed, BatchSizes("sentences", batch_sentences, evaluation_sentences))

    def make_coder(self) -> LengthCoder:
        self.labels = sorted({one.label for one in self.train})
        return LengthCoder(self.read_words(), self.labels)

    def model_inputs(self) -> dict[str, Any]:
        return {"reader": self.reader, "labels": self.labels}

    def task_counts(self) -> Iterator[Count]:
        yield from self.of_splits("sentences", len)
        yield Count("classes", len(self.labels))

    @property
    def n_scored(self) -> int:
        return len(self.dev)

    def make_baseline(self) -> FrequentLength:
        return FrequentLength.counted(self.train)
