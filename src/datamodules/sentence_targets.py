"""Sentences with what is to be written from their vectors, to batches, on one process or several."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from annotated_types import Ge

from polyprobe.datamodules.base.task_datamodule import BatchSizes, Count, TaskDataModule
from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.corpus_files import CorpusSource
from polyprobe.errors import PolyprobeError
from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.models.baselines.trivial import FrequentTarget, FrequentTree
from polyprobe.models.batches.target_batch import TargetCoder
from polyprobe.models.batches.target_units import TargetUnits
from polyprobe.section import checked


class SentenceTargetsDataModule(TaskDataModule, ABC):
    """Batches of sentences of like length; the units of targets come from train alone.

    Args:
        source, inputs, seed: see `TaskDataModule`.
        longest: words of a sentence of train, and words or symbols of its target, at most: a longer one is not learned
            from; those of dev and test are scored.
    """

    units: TargetUnits

    @checked("task.datamodule")
    def __init__(
        self,
        source: CorpusSource,
        inputs: Inputs,
        seed: int,
        longest: Annotated[int, Ge(1)],
        batch_sentences: int,
        evaluation_sentences: int,
    ):
        super().__init__(source, inputs, seed, BatchSizes("sentences", batch_sentences, evaluation_sentences))
        self.longest = longest

    @abstractmethod
    def make_units(self, targets: Sequence[Sequence[str]]) -> TargetUnits:
        """Takes the units from the targets of train."""

    def kept_to_learn(self, examples: Sequence[TargetedSentence]) -> list[TargetedSentence]:
        """Leaves out the sentences that are too long."""
        kept = [one for one in examples if max(len(one.words), len(one.target)) <= self.longest]
        if not kept:
            raise PolyprobeError(f"train has no sentence of at most {self.longest} words (task.datamodule.longest).")
        return kept

    def make_coder(self) -> TargetCoder:
        self.units = self.make_units([one.target for one in self.train])
        return TargetCoder(self.read_words(), self.units)

    def model_inputs(self) -> dict[str, Any]:
        return {"reader": self.reader, "target": self.units.settings}

    def task_counts(self) -> Iterator[Count]:
        yield from self.of_splits("sentences", len)
        yield Count(f"sentences left out, over {self.longest} words", self.n_left_out("train"), "train")
        yield from self.of_splits("words", lambda split: sum(len(one.words) for one in split))
        yield from self.of_splits("words of targets", lambda split: sum(len(one.target) for one in split))
        known = {(one.words, one.target) for one in self.train}
        n = sum((one.words, one.target) in known for one in self.test)
        yield Count("sentences with targets that are also in train", n, "test")
        yield Count("merges", len(self.units.merges))
        yield Count("units of targets", len(self.units))

    @property
    def n_scored(self) -> int:
        """Sentences of dev, which the scores of each epoch rest on."""
        return len(self.dev)


class TextTargetsDataModule(SentenceTargetsDataModule):
    """Targets are text: their units are what byte pair encoding makes of their words.

    Args:
        merges: of byte pairs, at most.
        others: see `SentenceTargetsDataModule`.
    """

    def __init__(
        self,
        source: CorpusSource,
        inputs: Inputs,
        seed: int,
        merges: int,
        **others: Annotated[Any, SentenceTargetsDataModule],
    ):
        super().__init__(source, inputs, seed, **others)
        self.merges = merges

    def make_units(self, targets: Sequence[Sequence[str]]) -> TargetUnits:
        return TargetUnits.learned(targets, self.merges)

    def make_baseline(self) -> FrequentTarget:
        return FrequentTarget.counted(self.train, self.units)


class TreeTargetsDataModule(SentenceTargetsDataModule):
    """Targets are trees: their units are their symbols."""

    def make_units(self, targets: Sequence[Sequence[str]]) -> TargetUnits:
        return TargetUnits.whole_symbols(targets)

    def make_baseline(self) -> FrequentTree:
        return FrequentTree.counted(self.train, self.units)
