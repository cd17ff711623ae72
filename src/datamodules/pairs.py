"""Pairs of sentences to batches, for training and evaluation, on one process or several."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from src.datamodules.base.task_datamodule import SharedOutDataModule
from src.datamodules.base.word_inputs import Inputs, oov_against
from src.errors import PolyprobeError, check_at_least
from src.formats.pairs.labelled_pairs import LabelledPair
from src.frequency import by_frequency
from src.metrics.inference import majority_score, pair_scores
from src.metrics.task_score import TaskScore, oov_rate
from src.models.baselines.hypothesis_only import HypothesisOnly
from src.models.batches.pair_batch import CodedPair, PairBatch, coded_pair, pair_batch


class PairsDataModule(SharedOutDataModule):
    """Batches of pairs of like length; vocabulary and labels come from train alone.

    Pairs without a label make no batch: they are counted, and no loss and no score comes from them.

    Args:
        train, dev, test: pairs; `test` may be empty.
        batch_pairs: pairs of a training batch.
        evaluation_pairs: the same in evaluation, where it changes no number.
        inputs: where the vectors of words come from.
        seed: of the order of the training batches.

    Raises:
        PolyprobeError: train has fewer than two labels.
    """

    def __init__(
        self,
        train: Sequence[LabelledPair],
        dev: Sequence[LabelledPair],
        test: Sequence[LabelledPair],
        batch_pairs: int,
        evaluation_pairs: int,
        inputs: Inputs,
        seed: int,
    ):
        super().__init__()
        check_at_least("task.datamodule.batch_pairs", batch_pairs, 1)
        check_at_least("task.datamodule.evaluation_pairs", evaluation_pairs, 1)
        self.read = {"train": train, "dev": dev, "test": test}
        self.train, self.dev, self.test = (labelled(pairs) for pairs in self.read.values())
        self.batch_size, self.evaluation_batch_size, self.seed = batch_pairs, evaluation_pairs, seed
        self.labels = _labels(self.train)
        self.reader, self.coder = inputs.read(_sides(self.train), _sides([*self.dev, *self.test]))
        self.coded_dev, self.coded_train = self.coded(self.dev), self.coded(self.train)

    def model_inputs(self) -> dict[str, Any]:
        """Returns what a model must know of the training data, as plain values."""
        return {"reader": self.reader, "labels": list(self.labels)}

    def counts(self) -> dict[str, int]:
        """Returns what a reader of the results asks for: sizes, and what is in no score."""
        without = {name: len(pairs) - len(labelled(pairs)) for name, pairs in self.read.items()}
        known = {(pair.premise, pair.hypothesis) for pair in self.train}
        scored = {"dev": self.dev, "test": self.test}
        unseen = {name: sum(pair.label not in self.labels for pair in pairs) for name, pairs in scored.items()}
        return {
            **{f"{name} pairs": len(pairs) for name, pairs in self.read.items()},
            **{f"{name} pairs without a label": n for name, n in without.items() if n},
            **{f"{name} pairs whose label train lacks": n for name, n in unseen.items() if n},
            "test pairs that are in train too": sum((pair.premise, pair.hypothesis) in known for pair in self.test),
            "labels": len(self.labels),
            **self.coder.counts(),
        }

    @property
    def n_scored(self) -> int:
        """Pairs of dev, which the scores of each epoch rest on."""
        return len(self.dev)

    def baseline_scores(self, pairs: Sequence[LabelledPair]) -> tuple[str, list[TaskScore]]:
        """Returns the name and the scores of a classifier that sees the hypothesis alone, the accuracy of the most
        frequent label of train, and the shares of unknown words."""
        pairs = labelled(pairs)
        if not pairs:
            return "hypothesis_only", []
        gold = [pair.label for pair in pairs]
        scores = pair_scores(gold, self._hypothesis_only.predicted(pairs))
        words = list(words_of(pairs))
        unknown = [oov_rate(words_of(self.train), words), *oov_against(self.coder, words)]
        return "hypothesis_only", [*scores, majority_score(self.labels[0], gold), *unknown]

    @cached_property
    def _hypothesis_only(self) -> HypothesisOnly:
        return HypothesisOnly(self.train)

    def coded(self, pairs: Sequence[LabelledPair]) -> list[CodedPair]:
        id_of = {label: number for number, label in enumerate(self.labels)}
        return [coded_pair(self.coder, pair, id_of) for pair in pairs]

    def length(self, one: CodedPair) -> int:
        return one.length

    def weight(self, one: CodedPair) -> int:
        return 1

    def batch(self, coded: Sequence[CodedPair], n_items: float) -> PairBatch:
        return replace(pair_batch(self.coder, coded), n_items=n_items)

    def uncounted(self, one: CodedPair) -> CodedPair:
        return one.without_label()


def labelled(pairs: Iterable[LabelledPair]) -> list[LabelledPair]:
    """Returns the pairs that have a label."""
    return [pair for pair in pairs if pair.label is not None]


def words_of(pairs: Iterable[LabelledPair]) -> Iterator[str]:
    """Returns all running words of both sides."""
    return (word for side in _sides(pairs) for word in side)


def _sides(pairs: Iterable[LabelledPair]) -> list[tuple[str, ...]]:
    return [side for pair in pairs for side in (pair.premise, pair.hypothesis)]


def _labels(train: Sequence[LabelledPair]) -> tuple[str, ...]:
    """Counts the labels of train: by falling frequency, ties by string."""
    counts = Counter(pair.label for pair in train)
    if len(counts) < 2:
        raise PolyprobeError(f"train has the labels {', '.join(counts) or 'none'}. Expected at least two.")
    return tuple(by_frequency(counts))
