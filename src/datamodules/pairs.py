"""Pairs of sentences to batches, for training and evaluation, on one process or several."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from polyprobe.datamodules.base.task_datamodule import BatchSizes, Count, TaskDataModule
from polyprobe.datamodules.base.word_inputs import Inputs
from polyprobe.datamodules.corpora.corpus_files import CorpusSource
from polyprobe.datamodules.corpora.labelled_corpora import Corpus
from polyprobe.errors import PolyprobeError
from polyprobe.formats.pairs.labelled_pairs import LabelledPair, with_label
from polyprobe.frequency import by_frequency
from polyprobe.models.baselines.hypothesis_only import HypothesisOnly
from polyprobe.models.batches.pair_batch import PairCoder
from polyprobe.splits import SPLITS


class PairsDataModule(TaskDataModule):
    """Batches of pairs of like length; vocabulary and labels come from train alone.

    Pairs without a label make no batch: they are counted, and no loss and no score comes from them.

    Args:
        source, inputs, seed: see `TaskDataModule`.
        padding_noise: see `BatchSizes`.
    """

    labels: tuple[str, ...]

    texts = staticmethod(PairCoder.texts)

    def __init__(
        self,
        source: CorpusSource,
        inputs: Inputs,
        seed: int,
        batch_pairs: int,
        evaluation_pairs: int,
        padding_noise: float,
    ):
        super().__init__(source, inputs, seed, BatchSizes("pairs", batch_pairs, evaluation_pairs, padding_noise))

    def learn(self, corpus: Corpus) -> None:
        """Counts the labels of train: by falling frequency, ties by string.

        Raises:
            PolyprobeError: train has fewer than two labels.
        """
        counts = Counter(pair.label for pair in with_label(corpus.train))
        if len(counts) < 2:
            raise PolyprobeError(f"train has the labels {', '.join(counts) or 'none'}. Expected at least two.")
        self.labels = tuple(by_frequency(counts))

    def kept(self, examples: Sequence[LabelledPair]) -> list[LabelledPair]:
        """Returns the pairs that have a label."""
        return with_label(examples)

    def make_coder(self) -> PairCoder:
        return PairCoder(self.read_words(), self.labels)

    def model_inputs(self) -> dict[str, Any]:
        return {"reader": self.reader, "labels": list(self.labels)}

    def task_counts(self) -> Iterator[Count]:
        for split in SPLITS:
            yield Count("pairs", len(getattr(self.corpus, split)), split)
        for split in SPLITS:
            if n := self.n_left_out(split):
                yield Count("pairs without a label", n, split)
        for split, pairs in (("dev", self.dev), ("test", self.test)):
            if n := sum(pair.label not in self.labels for pair in pairs):
                yield Count("pairs whose label train lacks", n, split)
        known = {(pair.premise, pair.hypothesis) for pair in self.train}
        n = sum((pair.premise, pair.hypothesis) in known for pair in self.test)
        yield Count("pairs that are also in train", n, "test")
        yield Count("labels", len(self.labels))

    @property
    def n_scored(self) -> int:
        """Pairs of dev, which the scores of each epoch rest on."""
        return len(self.dev)

    def make_baseline(self) -> HypothesisOnly:
        return HypothesisOnly.counted(self.train)


class SentencePairsDataModule(PairsDataModule):
    """Pairs for the objective of inference: as task=nli, but each sentence gets one vector; see `PairsDataModule`."""

    def model_inputs(self) -> dict[str, Any]:
        return {"reader": self.reader, "target": {"labels": list(self.labels)}}
