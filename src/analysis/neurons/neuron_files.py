"""Lists the neurons of rankings with their weights, and writes what is found of neurons as CSV files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from src.analysis.neurons.excited_items import ExcitedItem
from src.analysis.neurons.layer_counts import LayerCountRow
from src.analysis.neurons.overlaps import OverlapRow
from src.analysis.neurons.probed_test import ProbedTest
from src.analysis.neurons.rankings import Ranking
from src.analysis.neurons.row_names import ITEMS, LAYERS, NEURONS, OVERLAPS
from src.analysis.output.csv_files import write_records, write_table


@dataclass(frozen=True, slots=True)
class RankedNeuron:
    """A neuron at its rank: a line of `neurons.csv`.

    Attributes:
        test, epoch: what was probed; None where the encoder has no epochs.
        ranking: its name.
        rank: from 1, the best first.
        neuron: "7:412", its layer and its place there.
        layer: its name.
        place: in the layer, from 0.
        weight: its largest over labels in absolute value, signed, in the run's own probe: that of the first seed.
        label: the label whose weight that is.
        control_weight: the largest in the probe of the control task; None without one.
        in_minimal_set: whether the rank is within the minimal set of this ranking; None where there was none to find.
    """

    test: str
    epoch: int | None
    ranking: str
    rank: int
    neuron: str
    layer: str
    place: int
    weight: float
    label: str
    control_weight: float | None
    in_minimal_set: bool | None


def ranked_neurons(
    probed: ProbedTest, ranking: Ranking, n_minimal: int | None, n: int | None = None
) -> Iterator[RankedNeuron]:
    """Yields the neurons of a ranking, the best first.

    Args:
        probed: the test; the probe of its first seed did not fail.
        ranking: of its neurons.
        n_minimal: the size of the ranking's minimal set, or None.
        n: how many neurons are listed; None: all that are ranked.
    """
    weights, labels = _largest(probed.weights[0], probed.train_labels)
    control_weights = None
    if probed.control_weights is not None:
        # Control labels are drawn from those of train.
        control_weights, _ = _largest(probed.control_weights[0], probed.train_labels)
    for rank, neuron in enumerate(ranking.order[:n].tolist(), start=1):
        layer = int(probed.space.layer_of[neuron])
        yield RankedNeuron(
            test=probed.test.name,
            epoch=probed.epoch,
            ranking=ranking.name,
            rank=rank,
            neuron=probed.space.name(neuron),
            layer=probed.space.layers[layer],
            place=neuron - int(probed.space.starts[layer]),
            weight=float(weights[neuron]),
            label=probed.test.labels[labels[neuron]],
            control_weight=None if control_weights is None else float(control_weights[neuron]),
            in_minimal_set=None if n_minimal is None else rank <= n_minimal,
        )


def write_tables(folder: Path, tables: Mapping[str, Iterable[Any]]) -> list[Path]:
    """Writes files of records into a folder, a column for every field of the data class; returns their paths.

    Args:
        folder: may be new.
        tables: data classes of the kind of `KINDS`, by the name of their file; without any, a header alone is written.
    """
    found: Mapping[str, Sequence[Any]] = {name: list(records) for name, records in tables.items()}
    return [
        write_records(folder / name, records)
        if records
        else write_table(folder / name, [field.name for field in fields(KINDS[name])], [])
        for name, records in found.items()
    ]


KINDS = {NEURONS: RankedNeuron, LAYERS: LayerCountRow, OVERLAPS: OverlapRow, ITEMS: ExcitedItem}
"""The data class of each file."""


def _largest(weights: np.ndarray, train_labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns each neuron's largest weight in absolute value, and whose label's it is: both `[neurons]`.

    Args:
        weights: float32 `[labels, neurons]`.
        train_labels: see `ProbedTest.train_labels`; the other rows are left out.
    """
    labels = train_labels[np.abs(weights[train_labels]).argmax(axis=0)]
    return np.take_along_axis(weights, labels[None], axis=0)[0], labels
