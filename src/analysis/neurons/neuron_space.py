"""The names of neurons: "7:412" is neuron 412 of layer_7, "encoding:3" neuron 3 of the layer encoding."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from src.errors import BadValue, UnknownChoice
from src.runs.neuron_weights import NeuronWeights

_NUMBERED = "layer_"  # before the number of a layer of a transformer; left out in the names of its neurons


@dataclass(frozen=True)
class NeuronSpace:
    """The neurons of all layers of an encoder side by side, the lowest layer first.

    Attributes:
        layers: their names.
        widths: neurons of each.
    """

    layers: tuple[str, ...]
    widths: tuple[int, ...]

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
        """Returns the places of neurons that a user names.

        Args:
            names: such as "7:412" or "layer_7:412".
            key: of the configuration that names them.

        Raises:
            BadValue: a name is no layer with a number, or the layer has no such neuron.
            UnknownChoice: there is no such layer; names the nearest.
        """
        return [self._place(str(name), key) for name in names]

    def _place(self, name: str, key: str) -> int:
        layer, _, number = name.rpartition(":")
        layer = f"{_NUMBERED}{layer}" if f"{_NUMBERED}{layer}" in self.layers else layer
        if layer not in self.layers:
            if layer == "" or not number.isdecimal():
                raise BadValue(key, name, f"a layer and the number of a neuron, such as {self.name(0)}")
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
