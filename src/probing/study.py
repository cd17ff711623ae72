"""A probing study: tests x layers x seeds, trained in one bank, each score beside its baselines."""

import warnings
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from src.encoders.base import Layer
from src.encoders.cache import EncodedItems
from src.formats.items import Form, Item, TokenInContext
from src.formats.seeds import derived_seed
from src.metrics.bootstrap import bootstrap_interval
from src.metrics.classification import macro_f1
from src.probing.baselines import leakage, majority_accuracy, memoriser_accuracy
from src.probing.jobs import ProbeData, ProbeJob, ProbeOutcome
from src.probing.suites import Examples, ProbingTest
from src.runs.results import ResultRow

FEW_ITEMS = 30


@dataclass(frozen=True)
class Study:
    """The tests to ask of an encoder's layers, with several seeds each.

    Attributes:
        lang: code of the language, for the rows.
        suite, encoder, probe: names, for the rows.
        tests: the tests.
        seeds: each test and layer is probed once for each.
    """

    lang: str
    suite: str
    encoder: str
    probe: str
    tests: Sequence[ProbingTest]
    seeds: Sequence[int]

    def items(self) -> Iterator[Item]:
        """Gives every item of every test, as often as the tests have it."""
        for test in self.tests:
            for split in (test.train, test.dev, test.test):
                for items in split.items:
                    yield from items

    def jobs(self, vectors: EncodedItems) -> list[ProbeJob]:
        """Gives a job for every test, layer and seed, in this order."""
        matrices = [_read_only_tensor(vectors.matrix(number)) for number in range(len(vectors.layers))]
        return [
            ProbeJob(data, seed, f"{test.name}/{layer_name(layer)}")
            for test in self.tests
            for layer, data in zip(vectors.layers, _datas(test, vectors, matrices), strict=True)
            for seed in self.seeds
        ]

    def rows(self, layers: Sequence[Layer], outcomes: Sequence[ProbeOutcome]) -> Iterator[ResultRow]:
        """Gives a row for every job's outcome, and one with the seeds averaged for every test and layer."""
        at = iter(outcomes)
        for test in self.tests:
            beside = Beside(test)
            for layer in layers:
                yield from self._cell(test, beside, layer, [next(at) for _ in self.seeds])

    def _cell(
        self, test: ProbingTest, beside: "Beside", layer: Layer, outcomes: Sequence[ProbeOutcome]
    ) -> Iterator[ResultRow]:
        gold = np.array(test.test.label_ids)
        trained = [(seed, one) for seed, one in zip(self.seeds, outcomes, strict=True) if one.failed is None]
        for seed, outcome in zip(self.seeds, outcomes, strict=True):
            if outcome.failed is not None:
                yield self._row(
                    test, beside, layer, [], seed=seed, value=float("nan"), note=f"failed: {outcome.failed}"
                )
                continue
            scores = [outcome.test_predictions]
            yield self._row(test, beside, layer, scores, seed=seed, best_epoch=outcome.best_epoch)
        if trained:
            predictions = [one.test_predictions for _, one in trained]
            correct = np.mean([one == gold for one in predictions], axis=0)
            low, high = bootstrap_interval(correct, derived_seed(0, "bootstrap", test.name))
            averaged = {"n_seeds": len(trained), "interval_low": low, "interval_high": high}
            yield self._row(test, beside, layer, predictions, **averaged, note=_note(len(gold), len(trained)))

    def _row(
        self, test: ProbingTest, beside: "Beside", layer: Layer, predictions: Sequence[np.ndarray], **columns
    ) -> ResultRow:
        gold = np.array(test.test.label_ids)
        if predictions:
            columns["value"] = float(np.mean([one == gold for one in predictions]))
            columns["macro_f1"] = float(np.mean([macro_f1(gold, one) for one in predictions]))
        return ResultRow(
            stage="probing",
            lang=self.lang,
            suite=self.suite,
            test=test.name,
            split="test",
            encoder=self.encoder,
            layer=layer.name,
            epoch=layer.epoch,
            probe=self.probe,
            metric="accuracy",
            n=len(gold),
            majority=beside.majority,
            memoriser=beside.memoriser,
            leakage=beside.leakage,
            **columns,
        )


@dataclass(frozen=True)
class Beside:
    """What stands beside every score of a test."""

    test: ProbingTest

    @cached_property
    def majority(self) -> float:
        return majority_accuracy(self._labels(self.test.train), self._labels(self.test.test))

    @cached_property
    def memoriser(self) -> float:
        train, test = self.test.train, self.test.test
        return memoriser_accuracy(inputs(train), self._labels(train), inputs(test), self._labels(test))

    @cached_property
    def leakage(self) -> float:
        return leakage(inputs(self.test.train), inputs(self.test.test))

    def _labels(self, examples: Examples) -> list[str]:
        return [self.test.labels[label_id] for label_id in examples.label_ids]


def inputs(examples: Examples) -> list[Hashable]:
    """Gives what a memoriser knows an example by: its form, its pair of forms, the form of its token."""
    return [tuple(_surface(item) for item in items) for items in examples.items]


def layer_name(layer: Layer) -> str:
    """Gives "encoding", or "encoding/8" for the layer of a checkpoint."""
    return layer.name if layer.epoch is None else f"{layer.name}/{layer.epoch}"


def _surface(item: Item) -> str:
    if isinstance(item, Form):
        return item.form
    return item.words[item.index] if isinstance(item, TokenInContext) else " ".join(item.words)


def _datas(test: ProbingTest, vectors: EncodedItems, matrices: Sequence[torch.Tensor]) -> Iterator[ProbeData]:
    splits = {"train": test.train, "dev": test.dev, "test": test.test}
    rows = {f"{name}_rows": _rows(vectors, split) for name, split in splits.items()}
    labels = {f"{name}_labels": torch.tensor(split.label_ids) for name, split in splits.items()}
    for matrix in matrices:
        yield ProbeData(vectors=matrix, **rows, **labels, n_labels=len(test.labels))


def _read_only_tensor(matrix: np.ndarray) -> torch.Tensor:
    """Shares the memory of a mapped file; nobody writes to features, so torch's warning is beside the point."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return torch.from_numpy(matrix)


def _rows(vectors: EncodedItems, examples: Examples) -> torch.Tensor:
    flat = vectors.rows(item for items in examples.items for item in items)
    return torch.from_numpy(flat.reshape(len(examples.items), -1))


def _note(n_items: int, n_seeds: int) -> str | None:
    notes = ["fewer than 30 items"] * (n_items < FEW_ITEMS) + ["one seed"] * (n_seeds == 1)
    return ", ".join(notes) or None
