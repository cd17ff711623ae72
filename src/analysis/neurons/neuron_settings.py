"""What `python analyze.py job=neurons` is asked for, checked once."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, Gt, Le, MinLen

from polyprobe.section import Count, Expected, Number, Section

STAGE = "neurons"
WEIGHTS, PROBELESS, MEAN_SELECT, IOU = "weights", "probeless", "mean_select", "iou"
"""Rankings, beside RANDOM."""
TOP, BOTTOM, RANDOM = "top", "bottom", "random"
"""Which neurons are kept; with the manner behind them an ablation, "top_zeroed"."""
ZEROED = "zeroed"
"""The manner: the run's own probes, all other columns 0."""
FULL = "all"
"""The further ablation: all neurons of the run's own probes."""
NEURONS_OF_MASS, NEURONS_OF_NUMBER = "neurons_of_mass", "neurons_of_number"
"""Metrics beside accuracy: top neurons of a layer in both meanings of top."""
NEURONS, LAYERS, ITEMS = "neurons.csv", "layers.csv", "activations.csv"
"""CSV files."""


RANKINGS = (WEIGHTS, PROBELESS, MEAN_SELECT, IOU, RANDOM)
"""Every ranking of neurons, by its name."""
Share = Annotated[Number, Gt(0), Le(1), Expected("a share above 0 and at most 1")]


class NeuronSettings(Section):
    """How neurons are ranked, kept and shown."""

    rankings: Annotated[Sequence[Literal[RANKINGS]], MinLen(1)]
    """Rankings, each once: weights, probeless, mean_select, iou, random.

    The time of iou grows with labels: hours for 1,000 labels and 9,984 neurons.
    """
    top_share: Share
    """Top neurons, counted by layer in two ways: the largest weights that hold this share of the absolute weight mass,
    and this share of all neurons."""
    shares: Annotated[Sequence[Share], MinLen(1)]
    """Shares of neurons kept (top, bottom or random), in ascending order."""
    shown_neurons: Annotated[int, Ge(0)]
    """Number of top neurons whose items are listed in activations.csv."""
    shown_items: Count
    """Number of items with the highest, and with the lowest activation of a neuron."""
    show: Annotated[Sequence[str | int], Expected("a list such as [7:412]", of_parts=True)]
    """Further neurons whose items are listed, such as [7:412]: layer and index."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Reads the section: rankings and shares count once, shares rise.

        Raises:
            BadValue: a number is out of its range, or a list is none.
            UnknownChoice: a ranking is none that there is.
        """
        given = super().of(values)
        return dataclasses.replace(
            given,
            rankings=tuple(dict.fromkeys(given.rankings)),
            shares=tuple(sorted(set(given.shares))),
            show=tuple(map(str, given.show)),
        )
