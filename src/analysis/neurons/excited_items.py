"""Finds the items that excite a neuron most and least."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from src.analysis.neurons.probed_test import ProbedTest
from src.items import Form, Item, TokenInContext

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
