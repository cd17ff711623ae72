"""What `python analyze.py neurons=<run>` is asked for: the section `of_neurons`, checked once."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, Gt, Le, MinLen

from polyprobe.probing.settings import ProcessSettings
from polyprobe.runs.workspace import Workspace
from polyprobe.section import Count, Expected, Number, Section

STAGE = "neurons"
ZEROED, RETRAINED = "zeroed", "retrained"
WEIGHTS, PROBELESS, MEAN_SELECT, IOU, GAUSSIAN = "weights", "probeless", "mean_select", "iou", "gaussian"
"""Rankings, beside RANDOM."""
TOP, BOTTOM, RANDOM = "top", "bottom", "random"
"""Which neurons are kept; with a manner behind them an ablation, "top_zeroed"."""
FULL, MINIMAL_SET = "all", "minimal_set"
"""Further ablations: all neurons of the run's own probes, and new ones on the minimal set of a ranking."""
NO_MINIMAL_SET = "no minimal set: "
"""Begins the note of a row of a ranking that has none."""
NEURONS_OF_MASS, NEURONS_OF_NUMBER, OVERLAP = "neurons_of_mass", "neurons_of_number", "overlap_with_control"
"""Metrics beside accuracy: top neurons of a layer in both meanings of top, and the share that a control task shares."""
NEURONS, LAYERS, OVERLAPS, ITEMS = "neurons.csv", "layers.csv", "overlaps.csv", "activations.csv"
"""CSV files."""


RANKINGS = (WEIGHTS, PROBELESS, MEAN_SELECT, IOU, GAUSSIAN, RANDOM)
"""Every ranking of neurons, by its name."""
Share = Annotated[Number, Gt(0), Le(1), Expected("a share above 0 and at most 1")]
Tolerance = Annotated[Number, Ge(0), Le(1), Expected("a number from 0 to 1")]


class NeuronSettings(Section, key="of_neurons"):
    """How neurons are ranked, kept and shown."""

    rankings: Annotated[Sequence[Literal[RANKINGS]], MinLen(1)]
    """Rankings, each once: weights, probeless, mean_select, iou, gaussian, random.

    The time of iou grows with labels: hours for 1,000 labels and 9,984 neurons; gaussian: 6 s for 2,688 neurons, a
    minute for 9,984.
    """
    scale: Literal["none", "deviation"]
    """Scaling of activations before neurons are ranked and counted: none: as in the probe; deviation: divided by their
    standard deviation.

    By their deviation over the train items of the test; the weights are multiplied by it.
    """
    top_share: Share
    """Top neurons, counted by layer in two ways: the largest weights that hold this share of the absolute weight mass,
    and this share of all neurons."""
    shares: Annotated[Sequence[Share], MinLen(1)]
    """Shares of neurons kept (top, bottom or random), in ascending order."""
    epochs: Annotated[Sequence[int | str], MinLen(1)] | None
    """Epochs at which neurons are ablated, such as [0,8], of a trained model; null: the last.

    At the others the ranking by weights is the only one, and these are counted by layer.
    """
    tolerance: Tolerance
    """Maximum loss of dev accuracy of the minimal set, compared with all neurons."""
    gaussian_neurons: Count
    """Maximum number of neurons selected by the Gaussian ranking."""
    shown_neurons: Annotated[int, Ge(0)]
    """Number of top neurons whose items are listed in activations.csv."""
    shown_items: Count
    """Number of items with the highest, and with the lowest activation of a neuron."""
    show: Annotated[Sequence[str | int], Expected("a list such as [7:412]", of_parts=True)]
    """Further neurons whose items are listed, such as [7:412]: layer and index."""
    accelerator: str | None
    """Device for retrained probes: cpu, gpu, auto; null: as in the run."""

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


@dataclasses.dataclass(frozen=True)
class NeuronJob:
    """Whose neurons are looked at, and how."""

    run: str
    """Of probe=neurons, by its name or folder."""
    tests: Any
    """Such as [Case]; null: all with weights."""
    settings: NeuronSettings
    workspace: Workspace
    processes: ProcessSettings
    kept: Mapping[str, Any]
