"""A test of a run with probe=neurons: the weights of its probes, and the vectors that they saw."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from src.analysis.neurons.neuron_space import NeuronSpace
from src.analysis.results.collection import find_run
from src.errors import PolyprobeError
from src.probing.earlier_run import EarlierRun, earlier_run
from src.probing.stages import LayersTogether
from src.probing.suites.tests import ProbingTest
from src.runs.directory import RunDirectory
from src.runs.neuron_weights import NO_EPOCH, NeuronWeights, read_neuron_weights
from src.runs.workspace import Workspace
from src.splits import SPLITS


@dataclass(frozen=True, eq=False)
class ProbedTest:
    """One test of a run with probe=neurons, at one epoch of its encoder.

    Attributes:
        test: the test.
        epoch: of the encoder; None where it has none.
        space: names of the neurons.
        seeds: of the probes.
        weights: float32 `[seeds, labels, neurons]`; NaN where a probe failed.
        biases: float32 `[seeds, labels]`.
        control_weights, control_biases: of the probes of the control task; None where none were trained.
        vectors: of the items, float32 or float16 `[items, neurons]`.
        rows: of `vectors`, by split: int64 `[examples]`.
        label_ids: positions in the test's labels, by split: int64 `[examples]`.
    """

    test: ProbingTest
    epoch: int | None
    space: NeuronSpace
    seeds: tuple[int, ...]
    weights: np.ndarray
    biases: np.ndarray
    control_weights: np.ndarray | None
    control_biases: np.ndarray | None
    vectors: Tensor
    rows: Mapping[str, Tensor]
    label_ids: Mapping[str, Tensor]

    @cached_property
    def train_labels(self) -> np.ndarray:
        """The labels that train has, rising: int64 `[train labels]`.

        A label of dev or test alone is never learnt: the weights of its row are about those that were drawn at first.
        """
        return np.unique(self.label_ids["train"].numpy())


def in_deviations(probed: ProbedTest) -> ProbedTest:
    """Returns a test whose neurons all have deviation 1 over its train items, and whose probes score as they did.

    A weight then says what a typical change of its neuron does to the score; without that, neurons of small activations
    need larger weights for the same. Neurons that are constant over train stay as they are. The vectors are a copy, of
    the items of this test alone, float32.
    """
    items, places = torch.unique(torch.cat([probed.rows[split] for split in SPLITS]), return_inverse=True)
    rows = dict(zip(SPLITS, places.split([len(probed.rows[split]) for split in SPLITS]), strict=True))
    vectors = probed.vectors[items].float()
    deviations = vectors[rows["train"]].std(dim=0, correction=0)
    deviations[deviations == 0] = 1
    factors, control = deviations.numpy(), probed.control_weights
    return replace(
        probed,
        vectors=vectors.div_(deviations),
        rows=rows,
        weights=probed.weights * factors,
        control_weights=None if control is None else control * factors,
    )


@dataclass(frozen=True, eq=False)
class NeuronRun:
    """A finished run of probe.py with probe=neurons.

    Attributes:
        earlier: the run.
        weights: of each test, by its name, in the order of the run.
    """

    earlier: EarlierRun
    weights: Mapping[str, NeuronWeights]

    def tests(self) -> Iterator[ProbedTest]:
        """Reads tests and vectors; yields every test at every epoch.

        Raises:
            PolyprobeError: a test changed since, or weights are not of it or not of the run's encoder, or vectors are
                not in the cache and cannot be encoded here.
        """
        tests = self.earlier.study(self.weights).tests
        for test in tests:
            self._check(test)
        splits = [(test, split, getattr(test, split)) for test in tests for split in SPLITS]
        items = [item for _, _, examples in splits for (item,) in examples.items]
        vectors = LayersTogether(self.earlier.encoded(items), self.earlier.encoder.fingerprint)
        for test in tests:
            rows = {split: vectors.rows(getattr(test, split))[:, 0] for split in SPLITS}
            label_ids = {split: torch.tensor(getattr(test, split).label_ids) for split in SPLITS}
            record = self.weights[test.name]
            space = NeuronSpace.of(record)
            for place, epoch in enumerate(record.epochs.tolist()):
                has_control = len(record.control_weights) > 0
                yield ProbedTest(
                    test=test,
                    epoch=None if epoch == NO_EPOCH else epoch,
                    space=space,
                    seeds=tuple(record.seeds.tolist()),
                    weights=record.weights[place],
                    biases=record.biases[place],
                    control_weights=record.control_weights[place] if has_control else None,
                    control_biases=record.control_biases[place] if has_control else None,
                    vectors=vectors.matrices[place],
                    rows=rows,
                    label_ids=label_ids,
                )

    def _check(self, test: ProbingTest) -> None:
        """Checks that weights are of the labels of their test and of the layers of the encoder.

        Raises:
            PolyprobeError: they are not.
        """
        record, layers = self.weights[test.name], self.earlier.encoder.layers
        by_epoch: dict[int, list[tuple[str, int]]] = {}
        for layer in layers:
            epoch = NO_EPOCH if layer.epoch is None else layer.epoch
            by_epoch.setdefault(epoch, []).append((layer.name, layer.width))
        of_record = list(zip(record.layers.tolist(), record.widths.tolist(), strict=True))
        found = {"labels": record.labels.tolist(), "epochs": record.epochs.tolist(), "layers": of_record}
        expected = {"labels": list(test.labels), "epochs": list(by_epoch), "layers": next(iter(by_epoch.values()))}
        for what in expected:
            if found[what] != expected[what]:
                raise PolyprobeError(
                    f"{self.earlier.directory.path}: the weights of {test.name} are of the {what} {found[what]}. "
                    f"Expected {expected[what]}: they are not of this run. Make it again."
                )


def neuron_run(work: Path, reference: str, workspace: Workspace) -> NeuronRun:
    """Reads the weights of a run that a user names.

    Args:
        work: the work folder.
        reference: name or folder of the run.
        workspace: of the command.

    Raises:
        UnknownChoice: there is no such run; names the nearest.
        PolyprobeError: the run is not finished, was not made with probe=neurons, or one of its files is damaged.
    """
    directory = RunDirectory(find_run(work, reference))
    records = [read_neuron_weights(path) for path in directory.arrays(directory.neurons)]
    if not records:
        raise PolyprobeError(
            f"{directory.path} has no weights of neurons. Expected a run of python probe.py probe=neurons encoder=…"
        )
    order = list(dict.fromkeys(row.get("test", "") for row in directory.rows()))
    if unknown := sorted({record.test for record in records} - set(order)):
        raise PolyprobeError(
            f"{directory.path} has weights of {', '.join(unknown)}, of which its results know nothing. "
            f"Expected weights of {', '.join(filter(None, order))}."
        )
    weights = {record.test: record for record in sorted(records, key=lambda record: order.index(record.test))}
    return NeuronRun(earlier_run(directory, workspace), weights)
