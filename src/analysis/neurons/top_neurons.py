"""Counts in which layers the top neurons of a test lie.

Mikhailov et al. (2021, section 5.2) draw the "top-20 % neurons" of each layer, after Durrani et al. (2020), and do not
say 20 % of what. Both meanings are counted: of the mass of the weights (NeuroX's `get_top_neurons`), and of the number
of neurons.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.analysis.neurons.neuron_settings import WEIGHTS
from polyprobe.analysis.neurons.probed_test import NeuronSpace, n_of_share
from polyprobe.analysis.neurons.rankings import Ranking
from polyprobe.analysis.statistics.significance import even_draws
from polyprobe.display.shown import text_of_cell
from polyprobe.metrics.neurons import top_neurons, union

MASS, NUMBER = "mass", "number"
TEST, CONTROL = "test", "control"  # whose weights: those of the test's probe, or of its control task's


@dataclass(frozen=True, eq=False)
class LayerCounts:
    """How many of the top neurons of one test lie in each layer."""

    share_of: str
    """MASS or NUMBER, what `share` is a share of."""
    share: float
    """0 to 1."""
    layers: tuple[str, ...]
    """Their names, the lowest first."""
    widths: np.ndarray
    """Neurons of each layer: int64 `[layers]`."""
    of_all: np.ndarray
    """The top neurons of all labels together, for each seed whose weights are counted; one for a ranking, which is of
    one probe or of none: int64 `[seeds, layers]`; their mean, float64, as one where they are read."""
    of_labels: np.ndarray
    """Those of each label: int64 `[seeds, labels, layers]`; no labels where the ranking has none, all 0 for a label
    that it could not rank."""

    @property
    def numbers(self) -> np.ndarray:
        """Top neurons in each layer, the mean over seeds: float64 `[layers]`."""
        return self.of_all.mean(axis=0)

    @property
    def n_top(self) -> float:
        """Top neurons in all layers, the mean over seeds."""
        return float(self.numbers.sum())

    @property
    def percent_of_top(self) -> np.ndarray:
        """Percent of the top neurons that lie in each layer: float64 `[layers]`, sum 100."""
        return 100 * self.numbers / self.n_top

    @property
    def percent_if_even(self) -> np.ndarray:
        """Percent of all neurons that lie in each layer, what chance makes of `percent_of_top`: float64 `[layers]`."""
        return 100 * self.widths / self.widths.sum()

    def if_even(self, n_top: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Says how many would lie in each layer if so many top neurons were drawn evenly from all: see `even_draws`."""
        return even_draws(self.widths, round(n_top))


@dataclass(frozen=True, eq=False)
class CountedTest:
    """The counts of one test."""

    test: str
    epoch: int | None
    """None where the encoder has none."""
    of_test: Mapping[str, LayerCounts]
    """By MASS and NUMBER."""
    of_control: Mapping[str, LayerCounts]
    """The same of its control task; empty without one."""


@dataclass(frozen=True, slots=True)
class LayerCountRow:
    """The count of one layer: a line of `layers.csv`."""

    test: str
    epoch: int | None
    """None where the encoder has none."""
    task: str
    """TEST, or CONTROL for the top neurons of its control task."""
    ranking: str
    """The ranking whose first neurons are counted; "weights" for the share of the mass."""
    share_of: str
    """MASS or NUMBER."""
    share: float
    """How much of it, 0 to 1."""
    label: str | None
    """Whose top neurons; None for those of all labels together."""
    layer: str
    width: int
    """Neurons of the layer."""
    neurons: float
    """How many of them are top neurons, the mean over seeds."""
    sd: float | None
    """Standard deviation over seeds (n - 1); None for one."""
    share_of_layer: float
    """`neurons` over `width`."""
    share_of_top: float | None
    """`neurons` over the top neurons of all layers; None where there are none."""
    expected: float
    """How many it would be if as many top neurons were drawn evenly from all layers."""
    low: int
    """Lower end of the 95 % range of such draws."""
    high: int


def counts_by_mass(weights: np.ndarray, train_labels: np.ndarray, space: NeuronSpace, share: float) -> LayerCounts:
    """Counts the neurons with the largest weights that have a share of the sum of |weight| (`top_neurons`).

    Args:
        weights: of each seed's probe: float32 `[seeds, labels, neurons]`; NaN where a probe failed: such a seed is left
            out, at least one is not.
        train_labels: see `ProbedTest.train_labels`; the other labels have no top neurons.
        share: 0 to 1.

    Returns:
        The counts of every seed; those of all labels are of the union over labels.
    """
    chosen = []
    for of_seed in (of_seed for of_seed in weights if not np.isnan(of_seed).any()):
        found = dict(zip(train_labels.tolist(), top_neurons(of_seed[train_labels], share), strict=True))
        chosen.append([found.get(label, []) for label in range(len(of_seed))])
    of_all = [_by_layer(union(of_seed), space) for of_seed in chosen]
    return _counts(MASS, share, space, of_all, [[_by_layer(one, space) for one in of_seed] for of_seed in chosen])


def counts_by_number(ranking: Ranking, space: NeuronSpace, share: float) -> LayerCounts:
    """Counts the first neurons of a ranking, and of each of its labels.

    Args:
        ranking: of all neurons.
        share: of all neurons, 0 to 1; see `n_of_share`.
    """
    n = n_of_share(space.n_neurons, share)
    of_labels = [_by_layer(of_label[:n], space) for of_label in ranking.by_label or ()]
    return _counts(NUMBER, share, space, [_by_layer(ranking.order[:n], space)], [of_labels])


def layer_count_rows(
    counts: LayerCounts, of: tuple[str, int | None, str], ranking: str, labels: Sequence[str]
) -> list[LayerCountRow]:
    """Returns a row for every layer, of all labels together and of each; `of`: test, epoch, and TEST or CONTROL."""
    groups = [(None, counts.of_all)]
    if counts.of_labels.shape[1]:
        groups += [(label, counts.of_labels[:, number]) for number, label in enumerate(labels)]
    return [row for label, of_group in groups for row in _rows(counts, of_group, (*of, ranking), label)]


def _rows(
    counts: LayerCounts, of_group: np.ndarray, of: tuple[str, int | None, str, str], label: str | None
) -> list[LayerCountRow]:
    means = of_group.mean(axis=0)
    deviations = of_group.std(axis=0, ddof=1).tolist() if len(of_group) > 1 else [None] * len(means)
    n_top = float(means.sum())
    by_chance = (column.tolist() for column in counts.if_even(n_top))
    found = zip(counts.layers, counts.widths.tolist(), means.tolist(), deviations, *by_chance, strict=True)
    return [
        LayerCountRow(
            *of,
            share_of=counts.share_of,
            share=counts.share,
            label=label,
            layer=layer,
            width=width,
            neurons=mean,
            sd=deviation,
            share_of_layer=mean / width,
            share_of_top=mean / n_top if n_top else None,
            expected=expected,
            low=low,
            high=high,
        )
        for layer, width, mean, deviation, expected, low, high in found
    ]


def _by_layer(neurons: Sequence[int] | np.ndarray, space: NeuronSpace) -> np.ndarray:
    return np.bincount(space.layer_of[np.asarray(neurons, dtype=np.int64)], minlength=len(space.layers))


def _counts(
    share_of: str, share: float, space: NeuronSpace, of_all: list[np.ndarray], of_labels: list[list[np.ndarray]]
) -> LayerCounts:
    shape = (len(of_labels), len(of_labels[0]), len(space.layers))
    by_label = np.array(of_labels, dtype=np.int64).reshape(shape)
    return LayerCounts(share_of, share, space.layers, np.array(space.widths), np.array(of_all), by_label)


def read_counts(lines: Iterable[str]) -> list[CountedTest]:
    """Reads what `layer_count_rows` wrote of weights: the counts of all labels together, as means over seeds."""
    found: dict[tuple[str, str], dict[str, dict[str, list[dict[str, str]]]]] = {}
    for row in csv.DictReader(lines):
        if row["ranking"] == WEIGHTS and not row["label"]:
            by_task = found.setdefault((text_of_cell(row["test"]), row["epoch"]), {TEST: {}, CONTROL: {}})
            by_task[row["task"]].setdefault(row["share_of"], []).append(row)
    return [
        CountedTest(
            test,
            int(epoch) if epoch else None,
            *({share_of: _read(share_of, rows) for share_of, rows in of_task.items()} for of_task in by_task.values()),
        )
        for (test, epoch), by_task in found.items()
    ]


def _read(share_of: str, rows: Sequence[Mapping[str, str]]) -> LayerCounts:
    layers, widths = tuple(text_of_cell(row["layer"]) for row in rows), np.array([int(row["width"]) for row in rows])
    of_all = np.array([[float(row["neurons"]) for row in rows]])
    return LayerCounts(share_of, float(rows[0]["share"]), layers, widths, of_all, np.zeros((1, 0, len(rows)), np.int64))
