"""The networks of a probe, for many probes at once, with their gradients written out."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import torch
from torch import Tensor

from src.probing.bank.activations import ACTIVATIONS, Activation
from src.probing.bank.probe_spec import ProbeSpec
from src.probing.bank.randomness import ProbeRandom

# Scores of labels that a probe lacks: their probability is exactly 0, so they get no gradient and never move.
ABSENT = -1e30


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples of every probe in a stack: a mini-batch, or several to be split.

    Attributes:
        inputs: float32 `[probes, examples, input width]`.
        labels: int64 `[probes, examples, 1]`.
        targets: float32 `[probes, examples, labels]`, 1 at the gold label.
        gold_probabilities: float32 `[probes, examples, 1]`, filled with the probability of the gold label.
        shares: float32 `[probes, examples, 1]`, what an example counts in the loss of its mini-batch.
        kept: float32 `[probes, examples, hidden]`, 0 where dropout drops a component, else 1; None: no probe drops.
        scale: float32 `[probes, 1, 1]`, what a kept component is multiplied by; None: no probe drops.
    """

    inputs: Tensor
    labels: Tensor
    targets: Tensor
    gold_probabilities: Tensor
    shares: Tensor
    kept: Tensor | None
    scale: Tensor | None

    def split(self, n_examples: int) -> Iterator["Batch"]:
        """Returns views of so many examples of each probe at a time."""
        always = (self.inputs, self.labels, self.targets, self.gold_probabilities, self.shares)
        parts = (tensor.split(n_examples, 1) for tensor in always)
        kept = repeat(None) if self.kept is None else self.kept.split(n_examples, 1)
        return map(Batch, *parts, kept, repeat(self.scale))


class Network(ABC):
    """Shapes, gradients and scores of one kind of probe."""

    @abstractmethod
    def initial(self, random: ProbeRandom, input_width: int, n_labels: int, padded_labels: int) -> list[Tensor]:
        """Draws the parameters of one probe as `torch.nn.Linear` does: uniform within 1 / sqrt(inputs)."""

    @abstractmethod
    def fill_gradients(self, parameters: list[Tensor], batch: Batch, gradients: list[Tensor]) -> None:
        """Writes the gradients of the loss of each probe's mini-batch."""

    @abstractmethod
    def scores(self, parameters: tuple[Tensor, ...], inputs: Tensor) -> Tensor:
        """Scores the labels for one probe, without dropout: `[examples, input width]` to `[examples, labels]`."""


class LinearNetwork(Network):
    """One linear layer."""

    def initial(self, random: ProbeRandom, input_width: int, n_labels: int, padded_labels: int) -> list[Tensor]:
        return _linear_layer(random, input_width, n_labels, padded_labels)

    def fill_gradients(self, parameters: list[Tensor], batch: Batch, gradients: list[Tensor]) -> None:
        weights, bias = parameters
        errors = _errors(torch.baddbmm(bias, batch.inputs, weights), batch)
        torch.bmm(batch.inputs.mT, errors, out=gradients[0])
        torch.sum(errors, 1, keepdim=True, out=gradients[1])

    def scores(self, parameters: tuple[Tensor, ...], inputs: Tensor) -> Tensor:
        weights, bias = parameters
        return torch.addmm(bias, inputs, weights)


class HiddenLayerNetwork(Network):
    """Linear, activation, Linear; how dropout enters is left open."""

    def __init__(self, hidden_size: int, activation: Activation):
        self._hidden_size, self._activation = hidden_size, activation

    def initial(self, random: ProbeRandom, input_width: int, n_labels: int, padded_labels: int) -> list[Tensor]:
        hidden = _linear_layer(random, input_width, self._hidden_size, self._hidden_size)
        return hidden + _linear_layer(random, self._hidden_size, n_labels, padded_labels)

    def scores(self, parameters: tuple[Tensor, ...], inputs: Tensor) -> Tensor:
        hidden_weights, hidden_bias, weights, bias = parameters
        return torch.addmm(bias, self._activation.apply(torch.addmm(hidden_bias, inputs, hidden_weights)), weights)


class DropoutAfterActivation(HiddenLayerNetwork):
    """Linear, activation, dropout, Linear."""

    def fill_gradients(self, parameters: list[Tensor], batch: Batch, gradients: list[Tensor]) -> None:
        hidden_weights, hidden_bias, weights, bias = parameters
        hidden = self._activation.apply_to_each(torch.baddbmm(hidden_bias, batch.inputs, hidden_weights))
        if batch.kept is not None:
            hidden.mul_(batch.kept)
        # The scale of dropout stands at the small matrices: it costs less there than on the hidden layer.
        errors = _errors(_scaled(torch.bmm(hidden, weights), batch).add_(bias), batch)
        torch.sum(errors, 1, keepdim=True, out=gradients[3])
        torch.bmm(hidden.mT, _scaled(errors, batch), out=gradients[2])
        hidden_errors = self._activation.multiply_by_slope(torch.bmm(errors, weights.mT), hidden)
        if batch.kept is not None and not self._activation.is_flat_at_zero:
            hidden_errors.mul_(batch.kept)
        torch.bmm(batch.inputs.mT, hidden_errors, out=gradients[0])
        torch.sum(hidden_errors, 1, keepdim=True, out=gradients[1])


class DropoutBeforeActivation(HiddenLayerNetwork):
    """Linear, dropout, activation, Linear: a dropped component is activated as a zero is."""

    def fill_gradients(self, parameters: list[Tensor], batch: Batch, gradients: list[Tensor]) -> None:
        hidden_weights, hidden_bias, weights, bias = parameters
        sums = torch.baddbmm(hidden_bias, batch.inputs, hidden_weights)
        if batch.kept is not None:
            scaled = batch.kept * batch.scale
            sums.mul_(scaled)
        hidden = self._activation.apply_to_each(sums)
        errors = _errors(torch.baddbmm(bias, hidden, weights), batch)
        torch.sum(errors, 1, keepdim=True, out=gradients[3])
        torch.bmm(hidden.mT, errors, out=gradients[2])
        hidden_errors = self._activation.multiply_by_slope(torch.bmm(errors, weights.mT), hidden)
        if batch.kept is not None:
            hidden_errors.mul_(scaled)
        torch.bmm(batch.inputs.mT, hidden_errors, out=gradients[0])
        torch.sum(hidden_errors, 1, keepdim=True, out=gradients[1])


PLACES = {"after_activation": DropoutAfterActivation, "before_activation": DropoutBeforeActivation}


def network_of(spec: ProbeSpec) -> Network:
    """Returns the network that a `ProbeSpec` describes."""
    if spec.hidden_size is None:
        return LinearNetwork()
    return PLACES[spec.dropout_place](spec.hidden_size, ACTIVATIONS[spec.activation])


def _linear_layer(random: ProbeRandom, n_inputs: int, n_outputs: int, padded_outputs: int) -> list[Tensor]:
    """Draws weights `[inputs, outputs]` and bias `[1, outputs]`; absent outputs get weights 0 and an absent bias."""
    bound = n_inputs**-0.5
    n_absent = padded_outputs - n_outputs
    weights = np.pad(random.uniform((n_inputs, n_outputs), bound), ((0, 0), (0, n_absent)))
    bias = np.pad(random.uniform((1, n_outputs), bound), ((0, 0), (0, n_absent)), constant_values=ABSENT)
    return [torch.from_numpy(weights), torch.from_numpy(bias)]


def _errors(scores: Tensor, batch: Batch) -> Tensor:
    """Returns the gradient of the loss by the scores: (softmax - target) x the example's share of the loss."""
    probabilities = torch.softmax(scores, 2)
    torch.gather(probabilities, 2, batch.labels, out=batch.gold_probabilities)
    return probabilities.sub_(batch.targets).mul_(batch.shares)


def _scaled(small: Tensor, batch: Batch) -> Tensor:
    return small if batch.scale is None else small.mul_(batch.scale)
