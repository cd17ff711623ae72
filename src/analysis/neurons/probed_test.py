"""A test of a run with probe=neurons: the weights of its probes, the vectors that they saw, the names of neurons.

"7:412" is neuron 412 of layer_7, "encoding:3" neuron 3 of the layer encoding.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

import numpy as np
import torch
from torch import Tensor

from polyprobe.display.shown import say
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from polyprobe.probing.bank.scaling import Scaling
from polyprobe.probing.earlier_run import EarlierRun
from polyprobe.probing.item_vectors import LayersTogether
from polyprobe.probing.suites.tests import ProbingTest
from polyprobe.runs.array_records import NO_EPOCH, NeuronWeights
from polyprobe.runs.directory import RunDirectory
from polyprobe.splits import SPLITS

_NUMBERED = "layer_"  # before the number of a layer of a transformer; left out in the names of its neurons


@dataclass(frozen=True)
class NeuronSpace:
    """The neurons of all layers of an encoder side by side, the lowest layer first."""

    layers: tuple[str, ...]
    widths: tuple[int, ...]
    """Neurons of each."""

    @classmethod
    def of(cls, weights: NeuronWeights) -> "NeuronSpace":
        """Returns the neurons that the weights of a run are about."""
        return cls(tuple(map(str, weights.layers)), tuple(map(int, weights.widths)))

    @property
    def n_neurons(self) -> int:
        return sum(self.widths)

    @cached_property
    def starts(self) -> np.ndarray:
        """The place of the first neuron of each layer, int64 `[layers]`."""
        return np.cumsum([0, *self.widths[:-1]])

    @cached_property
    def layer_of(self) -> np.ndarray:
        """The number of the layer of each neuron, int64 `[neurons]`."""
        return np.repeat(np.arange(len(self.layers)), self.widths)

    def name(self, neuron: int) -> str:
        """Returns the name of the neuron at a place: "7:412"."""
        layer = self.layer_of[neuron]
        return f"{short_layer(self.layers[layer])}:{neuron - self.starts[layer]}"

    def places(self, names: Sequence[str], key: str) -> list[int]:
        """Returns the places of neurons that a user names in a key of the configuration: "7:412" or "layer_7:412"."""
        return [self._place(str(name), key) for name in names]

    def _place(self, name: str, key: str) -> int:
        layer, _, number = name.rpartition(":")
        layer = f"{_NUMBERED}{layer}" if f"{_NUMBERED}{layer}" in self.layers else layer
        if layer == "":
            raise BadValue(key, name, f"a layer and the number of a neuron, such as {self.name(0)}")
        if layer not in self.layers:
            raise UnknownChoice(f"{key}={name}: layer", layer, self.layers)
        width = self.widths[self.layers.index(layer)]
        if not number.isdecimal() or int(number) >= width:
            raise BadValue(key, name, f"a neuron of {layer}: 0 to {width - 1}")
        return int(self.starts[self.layers.index(layer)]) + int(number)


def short_layer(name: str) -> str:
    """Returns what stands for a layer in the names of its neurons: "7" for layer_7."""
    return name.removeprefix(_NUMBERED)


def n_of_share(n_neurons: int, share: float) -> int:
    """Returns how many neurons a share of their number is: rounded up, at least one."""
    return max(1, ceil(share * n_neurons - 1e-9))


@dataclass(frozen=True, eq=False)
class ProbedTest:
    """One test of a run with probe=neurons, at one epoch of its encoder."""

    test: ProbingTest
    epoch: int | None
    """Of the encoder; None where it has none."""
    space: NeuronSpace
    seeds: tuple[int, ...]
    weights: np.ndarray
    """float32 `[seeds, labels, neurons]`; NaN where a probe failed."""
    biases: np.ndarray
    """float32 `[seeds, labels]`."""
    control_weights: np.ndarray | None
    """Of the probes of the control task, as `weights`; None where none were trained."""
    control_biases: np.ndarray | None
    vectors: Tensor
    """Of the items, float32 or float16 `[items, neurons]`."""
    rows: Mapping[str, Tensor]
    """Of `vectors`, by split: int64 `[examples]`."""
    label_ids: Mapping[str, Tensor]
    """Positions in the test's labels, by split: int64 `[examples]`."""

    @cached_property
    def train_labels(self) -> np.ndarray:
        """The labels that train has, rising: int64 `[train labels]`.

        A label of dev or test alone is never learnt: the weights of its row are about those that were drawn at first.
        """
        return np.unique(self.label_ids["train"].numpy())

    def own_items(self) -> tuple[Tensor, dict[str, Tensor]]:
        """Returns the rows of `vectors` that this test has, rising, and where examples lie in them, by split."""
        items, places = torch.unique(torch.cat([self.rows[split] for split in SPLITS]), return_inverse=True)
        return items, dict(zip(SPLITS, places.split([len(self.rows[split]) for split in SPLITS]), strict=True))


def standardised(probed: ProbedTest) -> ProbedTest:
    """Returns a test with the vectors that its probes saw, standardised: a copy, of the items of this test alone."""
    items, rows = probed.own_items()
    scaling = Scaling.of(probed.vectors, probed.rows["train"])
    return replace(probed, vectors=scaling.standardised(probed.vectors, items), rows=rows)


def weights_of(run: RunDirectory) -> dict[str, NeuronWeights]:
    """Reads the weights of a finished run of probe.py with probe=neurons: of each test, in the order of the run."""
    found = {record.test: record for record in map(NeuronWeights.read, run.arrays(run.neurons))}
    return {test: found[test] for test in dict.fromkeys(row.get("test") for row in run.rows()) if test in found}


def probed_tests(run: EarlierRun, weights: Mapping[str, NeuronWeights]) -> Iterator[ProbedTest]:
    """Reads the tests that there are weights of, and their vectors; yields every test at every epoch."""
    tests = run.design(weights).tests
    splits = [(test, split, getattr(test, split)) for test in tests for split in SPLITS]
    items = [item for _, _, examples in splits for (item,) in examples.items]
    vectors = LayersTogether(run.encoded(items), run.encoder.fingerprint)
    for test in tests:
        rows = {split: vectors.rows(getattr(test, split))[:, 0] for split in SPLITS}
        label_ids = {split: torch.tensor(getattr(test, split).label_ids) for split in SPLITS}
        record = weights[test.name]
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


def usable_tests(tests: Sequence[ProbedTest]) -> list[ProbedTest]:
    """Returns the tests at every epoch whose neurons can be ranked, without failed probes; says what is left out."""
    left_out = {one.test.name: reason for one in tests for reason in [_why_not(one)] if reason}
    for name, reason in left_out.items():
        say(f"left out: {name}, {reason}")
    kept = [_of_trained_probes(one) for one in tests if one.test.name not in left_out]
    if not kept:
        raise PolyprobeError(
            f"{', '.join(f'{name}: {reason}' for name, reason in left_out.items())}. Expected a test with at least two "
            "labels in train, and a probe that could be trained."
        )
    return kept


def _why_not(probed: ProbedTest) -> str | None:
    present = torch.unique(probed.label_ids["train"])
    if len(present) < 2:
        return f'its train items have one label ("{probed.test.labels[int(present[0])]}")'
    if _is_trained(probed.weights).any():
        return None
    return "all its probes failed" if probed.epoch is None else f"all its probes of epoch {probed.epoch} failed"


def _is_trained(weights: np.ndarray) -> np.ndarray:
    """Says of each seed whether its probe was trained: bool `[seeds]`."""
    return np.isfinite(weights).all(axis=(1, 2))


def _of_trained_probes(probed: ProbedTest) -> ProbedTest:
    """Leaves out the seeds of failed probes; and the control task where one of its probes failed."""
    of_seeds = _is_trained(probed.weights)
    seeds = tuple(seed for seed, is_trained in zip(probed.seeds, of_seeds, strict=True) if is_trained)
    kept = replace(probed, seeds=seeds, weights=probed.weights[of_seeds], biases=probed.biases[of_seeds])
    if probed.control_weights is None:
        return kept
    if not _is_trained(probed.control_weights).all():
        return replace(kept, control_weights=None, control_biases=None)
    control = {name: getattr(probed, name)[of_seeds] for name in ("control_weights", "control_biases")}
    return replace(kept, **control)
