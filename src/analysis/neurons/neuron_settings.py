"""What `python analyze.py neurons=<run>` is asked for: the section `of_neurons`, checked once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from src.analysis.neurons.row_names import GAUSSIAN, IOU, MEAN_SELECT, PROBELESS, RANDOM, WEIGHTS
from src.errors import BadValue, check_at_least, check_choice

SCALES = ("none", "deviation")
RANKINGS = (WEIGHTS, PROBELESS, MEAN_SELECT, IOU, GAUSSIAN, RANDOM)
"""Every ranking of neurons, by its name."""


@dataclass(frozen=True, slots=True)
class NeuronSettings:
    """How neurons are ranked, kept and shown.

    Attributes:
        rankings: names of `RANKINGS`, each once.
        scale: of activations before neurons are ranked and counted: "none", as the probe saw them, or "deviation":
            divided by their deviation over the train items of the test, and the weights multiplied by it.
        top_share: above 0, at most 1: of the mass of weights, and of the number of neurons, that are counted by layer.
        shares: of all neurons, rising: so many are kept.
        epochs: of the encoder, at which neurons are kept alone; None: the last. At the others the ranking by weights is
            the only one.
        tolerance: by how much a new probe on the minimal set may be worse on dev than the probe of all, 0 to 1.
        gaussian_neurons: how many the Gaussian ranking selects at most.
        shown_neurons: of how many of the best neurons the items are listed.
        shown_items: that excite a neuron most, and as many that excite it least.
        show: further neurons whose items are listed, by their names ("7:412").
        accelerator: on which new probes are trained, as Lightning names it; None: that of the run.
    """

    rankings: tuple[str, ...]
    scale: str
    top_share: float
    shares: tuple[float, ...]
    epochs: tuple[int, ...] | None
    tolerance: float
    gaussian_neurons: int
    shown_neurons: int
    shown_items: int
    show: tuple[str, ...]
    accelerator: str | None

    @classmethod
    def of(cls, section: Mapping[str, Any]) -> "NeuronSettings":
        """Reads the section.

        Raises:
            BadValue: a number is out of its range, or a list is none.
            UnknownChoice: a ranking is none that there is.
        """
        for name in _listed("rankings", section["rankings"]):
            check_choice("of_neurons.rankings", name, RANKINGS)
        check_choice("of_neurons.scale", section["scale"], SCALES)
        for share in _listed("shares", section["shares"]):
            _check_share("shares", share)
        _check_share("top_share", section["top_share"])
        _check("tolerance", section["tolerance"], _is_within(section["tolerance"], 0, 1), "a number from 0 to 1")
        for key in ("gaussian_neurons", "shown_items"):
            check_at_least(f"of_neurons.{key}", section[key], 1)
        check_at_least("of_neurons.shown_neurons", section["shown_neurons"], 0)
        _check("show", section["show"], isinstance(section["show"], list), "a list such as [7:412]")
        return cls(
            rankings=tuple(dict.fromkeys(section["rankings"])),
            scale=section["scale"],
            top_share=section["top_share"],
            shares=tuple(sorted(set(section["shares"]))),
            epochs=None if section["epochs"] is None else tuple(_listed("epochs", section["epochs"])),
            tolerance=section["tolerance"],
            gaussian_neurons=section["gaussian_neurons"],
            shown_neurons=section["shown_neurons"],
            shown_items=section["shown_items"],
            show=tuple(map(str, section["show"])),
            accelerator=section["accelerator"],
        )


def _listed(key: str, value: object) -> Sequence[Any]:
    _check(key, value, isinstance(value, list) and len(value) > 0, "a list with something in it")
    return value


def _check_share(key: str, value: object) -> None:
    _check(key, value, _is_within(value, 0, 1) and value > 0, "a share above 0 and at most 1")


def _is_within(value: object, smallest: float, largest: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and smallest <= value <= largest


def _check(key: str, value: object, is_good: bool, expected: str) -> None:
    if not is_good:
        raise BadValue(f"of_neurons.{key}", value, expected)
