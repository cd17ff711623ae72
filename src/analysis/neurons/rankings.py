"""Orders of the neurons of a probed test, the best first, and their lists with weights."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.analysis.neurons.neuron_settings import IOU, MEAN_SELECT, PROBELESS, RANDOM, TOP, WEIGHTS
from polyprobe.analysis.neurons.probed_test import ProbedTest
from polyprobe.items import Form, Item, TokenInContext
from polyprobe.metrics.neurons import (
    STRIDE,
    NeuronScores,
    average_precisions,
    mean_select,
    ordering,
    probeless,
    random_order,
    ranked,
)
from polyprobe.seeds import derived_seed


@dataclass(frozen=True, eq=False)
class Ranking:
    """Neurons in the order in which a method would keep them."""

    name: str
    """Of the method: "weights", "probeless", "mean_select", "iou" or "random"."""
    order: np.ndarray
    """int64 `[neurons]`, the best first, each once."""
    by_label: tuple[np.ndarray, ...] | None = None
    """For each label of the test its own neurons, the best first, none for a label without train items: int32
    `[neurons]` each; None where the method has no labels."""
    kept: str = TOP
    """Which neurons stand first: TOP, BOTTOM where it is turned round, RANDOM where they are drawn; FULL: all count."""


def rankings_of(probed: ProbedTest, names: Sequence[str]) -> list[Ranking]:
    """Ranks the neurons of a test by several methods of `RANKINGS`."""
    vectors = probed.vectors[probed.rows["train"]].numpy()
    return [RANKINGS[name](probed, vectors) for name in names]


def ranking_of_weights(probed: ProbedTest, place: int = 0) -> Ranking:
    """Ranks by when neurons enter the top of any label as the share of its mass grows (Dalvi et al. 2019).

    The weights are those of the run's own probe, that of the first seed or of the one at another place.
    """
    weights, train_labels = probed.weights[place], probed.train_labels
    by_label = [np.empty(0, np.int32)] * len(weights)
    for label in train_labels.tolist():
        by_label[label] = np.argsort(-np.abs(weights[label]), kind="stable").astype(np.int32)
    return Ranking(WEIGHTS, ordering(weights[train_labels], STRIDE), tuple(by_label))


def _scored(name: str, method: Callable[[np.ndarray, np.ndarray, int], NeuronScores]) -> "Method":
    def rank(probed: ProbedTest, vectors: np.ndarray) -> Ranking:
        scores, by_label = method(vectors, probed.label_ids["train"].numpy(), len(probed.test.labels))
        none = np.empty(0, np.int32)
        orders = (none if np.isnan(one).any() else ranked(one).astype(np.int32) for one in by_label)
        return Ranking(name, ranked(scores), tuple(orders))

    return rank


def by_chance(probed: ProbedTest, vectors: np.ndarray) -> Ranking:
    """Draws an order, the same for a test in every run."""
    generator = np.random.default_rng(derived_seed(probed.seeds[0], "random ranking", probed.test.name))
    return Ranking(RANDOM, random_order(probed.space.n_neurons, generator))


Method = Callable[[ProbedTest, np.ndarray], Ranking]
RANKINGS: Mapping[str, Method] = {
    WEIGHTS: lambda probed, _: ranking_of_weights(probed),
    PROBELESS: _scored(PROBELESS, probeless),
    MEAN_SELECT: _scored(MEAN_SELECT, mean_select),
    IOU: _scored(IOU, average_precisions),
    RANDOM: by_chance,
}
"""The methods, by name: of a test and the vectors of its train items, float32 or float16 `[examples, neurons]`."""


@dataclass(frozen=True, slots=True)
class RankedNeuron:
    """A neuron at its rank: a line of `neurons.csv`."""

    test: str
    epoch: int | None
    """None where the encoder has none."""
    ranking: str
    rank: int
    """From 1, the best first."""
    neuron: str
    """"7:412", its layer and its place there."""
    layer: str
    place: int
    """In the layer, from 0."""
    weight: float
    """Its largest over labels in absolute value, signed, in the run's own probe: that of the first seed."""
    label: str
    """The label whose weight that is."""
    control_weight: float | None
    """The largest in the probe of the control task; None without one."""


def ranked_neurons(probed: ProbedTest, ranking: Ranking) -> Iterator[RankedNeuron]:
    """Yields the neurons of a ranking, the best first; the probe of the test's first seed did not fail."""
    weights, labels = _largest(probed.weights[0], probed.train_labels)
    control_weights = None
    if probed.control_weights is not None:
        # Control labels are drawn from those of train.
        control_weights, _ = _largest(probed.control_weights[0], probed.train_labels)
    for rank, neuron in enumerate(ranking.order.tolist(), start=1):
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
        )


def _largest(weights: np.ndarray, train_labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns each neuron's largest weight in absolute value, and whose label's it is: both `[neurons]`.

    Args:
        weights: float32 `[labels, neurons]`.
        train_labels: see `ProbedTest.train_labels`; the other rows are left out.
    """
    labels = train_labels[np.abs(weights[train_labels]).argmax(axis=0)]
    return np.take_along_axis(weights, labels[None], axis=0)[0], labels


MOST, LEAST = "most", "least"


@dataclass(frozen=True, slots=True)
class ExcitedItem:
    """An item of the test split and a neuron's value at it: a line of `activations.csv`."""

    test: str
    epoch: int | None
    """None where the encoder has none."""
    neuron: str
    """"7:412", its layer and its place there."""
    end: str
    """MOST or LEAST: the items that excite it most, or least."""
    place: int
    """Among these, from 1."""
    activation: float
    standardised: float | None
    """The value minus its mean over the items of the test split, over their standard deviation (1/n); None where the
    neuron has one value at all of them."""
    label: str
    line: int
    """Of its file, from 1."""
    word: str | None
    """The form, or the token; None of a sentence."""
    position: int | None
    """Of the token in its sentence, from 1; None of a form or sentence."""
    sentence: str | None
    """Its words with blanks between them; None of a form."""


def excited_items(probed: ProbedTest, neurons: Sequence[int], n: int) -> list[ExcitedItem]:
    """Returns the n items of the test split that excite each neuron most, then least; of equals the first in the file.

    An item that stands there several times counts once, as its first line. All are taken where the test has fewer.
    """
    return [row for neuron in neurons for row in _of_neuron(probed, neuron, n)]


def _of_neuron(probed: ProbedTest, neuron: int, n: int) -> Iterator[ExcitedItem]:
    firsts = np.sort(np.unique(probed.rows["test"].numpy(), return_index=True)[1])
    values = probed.vectors[probed.rows["test"][firsts], neuron].double().numpy()
    mean, deviation = values.mean(), values.std() if values.min() < values.max() else 0.0
    ends = {MOST: np.argsort(-values, kind="stable"), LEAST: np.argsort(values, kind="stable")}
    examples = probed.test.test
    for end, order in ends.items():
        for place, chosen in enumerate(order[:n].tolist(), start=1):
            example = int(firsts[chosen])
            (item,) = examples.items[example]
            yield ExcitedItem(
                test=probed.test.name,
                epoch=probed.epoch,
                neuron=probed.space.name(neuron),
                end=end,
                place=place,
                activation=float(values[chosen]),
                standardised=float((values[chosen] - mean) / deviation) if deviation else None,
                label=probed.test.labels[examples.label_ids[example]],
                line=examples.lines[example],
                **_written(item),
            )


def _written(item: Item) -> dict[str, str | int | None]:
    """Returns the columns of an item: its word, the word's position, its sentence."""
    if isinstance(item, Form):
        return {"word": item.form, "position": None, "sentence": None}
    sentence = " ".join(item.words)
    if isinstance(item, TokenInContext):
        return {"word": item.words[item.index], "position": item.index + 1, "sentence": sentence}
    return {"word": None, "position": None, "sentence": sentence}
