"""The networks of a probe, for many families of probes at once, with their gradients written out."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat

import torch
from torch import Tensor
from torch.nn import functional as F

from polyprobe.models.layers.probe_random import ProbeRandom
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.models.layers.score_columns import ABSENT, Columns, ElasticNetSlope
from polyprobe.probing.bank.inputs import Inputs, Rows, sums_of_rows


class Activation(ABC):
    """A function of one number."""

    is_flat_at_zero: bool
    """True if the slope is 0 where the output is 0, so that a dropped output passes no gradient."""

    @abstractmethod
    def apply(self, sums: Tensor) -> Tensor:
        """Activates in place."""

    def apply_to_each(self, sums: Tensor) -> Tensor:
        """Activates a stack `[probes, examples, hidden]` in place, with the same bits whatever the number of probes."""
        return self.apply(sums)

    @abstractmethod
    def multiply_by_slope(self, errors: Tensor, outputs: Tensor) -> Tensor:
        """Multiplies `errors` in place by the slope that belongs to `outputs`, which may be overwritten."""


class Relu(Activation):
    is_flat_at_zero = True

    def apply(self, sums: Tensor) -> Tensor:
        return sums.clamp_(min=0)

    def multiply_by_slope(self, errors: Tensor, outputs: Tensor) -> Tensor:
        return errors.mul_(outputs.sign_())  # 1 where active and kept


class CurvedActivation(Activation):
    """One that rounds: on a CPU the last numbers of a tensor are computed by other code than the rest."""

    def apply_to_each(self, sums: Tensor) -> Tensor:
        if sums.device.type != "cpu":
            return self.apply(sums)
        for of_one_probe in sums:
            self.apply(of_one_probe)
        return sums


class Sigmoid(CurvedActivation):
    is_flat_at_zero = True

    def apply(self, sums: Tensor) -> Tensor:
        return sums.sigmoid_()

    def multiply_by_slope(self, errors: Tensor, outputs: Tensor) -> Tensor:
        return errors.mul_(outputs).mul_(1 - outputs)


class Tanh(CurvedActivation):
    is_flat_at_zero = False

    def apply(self, sums: Tensor) -> Tensor:
        return sums.tanh_()

    def multiply_by_slope(self, errors: Tensor, outputs: Tensor) -> Tensor:
        return errors.mul_(1 - torch.square(outputs))


ACTIVATIONS = {"relu": Relu(), "sigmoid": Sigmoid(), "tanh": Tanh()}


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples of every family in a stack: a mini-batch, or several to be split."""

    inputs: Inputs
    """`[families, examples, input width]`."""
    labels: Tensor
    """int64 `[families, examples, 1]`."""
    targets: Tensor
    """float32 `[families, examples, labels]`, 1 at the gold label."""
    gold_probabilities: Tensor
    """float32 `[families, examples, members]`, filled with the probability of the gold label."""
    shares: Tensor
    """float32 `[families, examples, 1]`, what an example counts in the loss of its mini-batch."""
    kept: Tensor | None
    """float32 `[families, examples, hidden]`, 0 where dropout drops a component, else 1; None: no probe drops."""
    scale: Tensor | None
    """float32 `[families, 1, 1]`, what a kept component is multiplied by; None: no probe drops."""
    elastic_nets: ElasticNetSlope | None
    """Of linear probes; None: they have none."""

    def split(self, n_examples: int) -> Iterator["Batch"]:
        """Returns views of so many examples of each family at a time."""
        always = (self.labels, self.targets, self.gold_probabilities, self.shares)
        parts = (tensor.split(n_examples, 1) for tensor in always)
        kept = repeat(None) if self.kept is None else self.kept.split(n_examples, 1)
        return map(Batch, self.inputs.split(n_examples), *parts, kept, repeat(self.scale), repeat(self.elastic_nets))


class Network(ABC):
    """Shapes, gradients and scores of one kind of probe, or of a family of such probes."""

    hidden_sizes: Sequence[int] = ()
    """Of the layers below the scores."""

    def initial(self, random: ProbeRandom, input_width: int, n_labels: int, padded_labels: int) -> list[Tensor]:
        """Draws the parameters of one family as `torch.nn.Linear` does: uniform within 1 / sqrt(inputs)."""
        layers = pairwise([input_width, *self.hidden_sizes, n_labels])
        shapes = [(shape, inputs**-0.5) for inputs, outputs in layers for shape in ((inputs, outputs), (outputs,))]
        return self.of_family([torch.from_numpy(random.uniform(*one)) for one in shapes], padded_labels)

    @abstractmethod
    def of_family(self, parameters: Sequence[Tensor], padded_labels: int) -> list[Tensor]:
        """Returns the parameters of a family all of whose members are one probe.

        Args:
            parameters: weights `[inputs, outputs]` and biases `[outputs]` of each layer of that probe.
        """

    @abstractmethod
    def of_member(self, parameters: tuple[Tensor, ...], number: int, n_labels: int) -> tuple[Tensor, ...]:
        """Returns the weights `[inputs, outputs]` and biases `[outputs]` of each layer of one probe of a family."""

    @abstractmethod
    def fill_gradients(self, parameters: list[Tensor], batch: Batch, gradients: list[Tensor]) -> None:
        """Writes the gradients of the loss of each probe's mini-batch."""

    @abstractmethod
    def scores(self, parameters: tuple[Tensor, ...], inputs: Rows) -> Tensor:
        """Scores the labels for one family, without dropout.

        Args:
            inputs: `[examples, input width]`.

        Returns:
            `[examples, labels, members]`.
        """

    def are_finite(self, parameters: tuple[Tensor, ...]) -> list[bool]:
        """Says of each member of a family whether all of its parameters are numbers."""
        return [all(bool(torch.isfinite(parameter).all()) for parameter in parameters)]


class LinearNetwork(Network):
    """One linear layer, in a family of its own."""

    def of_family(self, parameters: Sequence[Tensor], padded_labels: int) -> list[Tensor]:
        return _padded(*parameters, padded_labels)

    def fill_gradients(self, parameters: list[Tensor], batch: Batch, gradients: list[Tensor]) -> None:
        errors = _errors(_linear_scores(parameters, batch), batch)
        _fill_linear_gradients(parameters, batch, errors, gradients)

    def scores(self, parameters: tuple[Tensor, ...], inputs: Rows) -> Tensor:
        weights, bias = parameters
        return sums_of_rows(bias, inputs, weights)[:, :, None]

    def of_member(self, parameters: tuple[Tensor, ...], number: int, n_labels: int) -> tuple[Tensor, ...]:
        weights, bias = parameters
        return weights[:, :n_labels], bias[0, :n_labels]


class LinearFamilyNetwork(Network):
    """Linear layers side by side in the columns of one, so that each example is gathered and multiplied once for all.

    ```
    columns  | label 0                  | label 1                  | none |
             | member 0, 1, 2, …        | member 0, 1, 2, …        |      |
    ```
    There are as many members as the padded columns hold, whether or not they are probes: the shape of the products, and
    with it their rounding, never depends on company.
    """

    def __init__(self, columns: Columns):
        self._columns = columns

    def of_family(self, parameters: Sequence[Tensor], padded_labels: int) -> list[Tensor]:
        weights, bias = parameters
        n_none = padded_labels - len(bias) * self._columns.n_members
        columns = (layer.repeat_interleave(self._columns.n_members, 1) for layer in (weights, bias[None]))
        return [F.pad(layer, (0, n_none)) for layer in columns]

    def fill_gradients(self, parameters: list[Tensor], batch: Batch, gradients: list[Tensor]) -> None:
        scores = self._by_label(_linear_scores(parameters, batch).mT)
        # Examples last: over a last axis of a few labels or members a softmax took four times as long.
        probabilities = torch.softmax(scores, 1)
        targets = batch.targets.mT.contiguous()[:, :, None]
        batch.gold_probabilities.copy_((probabilities * targets).sum(1).mT)
        errors = probabilities.sub_(targets).mul_(batch.shares.mT[:, :, None]).flatten(1, 2)
        n_none = self._columns.width - errors.shape[1]
        errors = F.pad(errors, (0, 0, 0, n_none)) if n_none else errors
        _fill_linear_gradients(parameters, batch, errors.mT, gradients)

    def scores(self, parameters: tuple[Tensor, ...], inputs: Rows) -> Tensor:
        weights, bias = parameters
        return self._by_label(sums_of_rows(bias, inputs, weights).T[None])[0].permute(2, 0, 1)

    def are_finite(self, parameters: tuple[Tensor, ...]) -> list[bool]:
        columns = torch.stack([torch.isfinite(parameter).all(0) for parameter in parameters]).all(0)
        return self._by_label(columns[None, :, None])[0, :, :, 0].all(0).tolist()

    def of_member(self, parameters: tuple[Tensor, ...], number: int, n_labels: int) -> tuple[Tensor, ...]:
        weights, bias = (parameter[:, number :: self._columns.n_members][:, :n_labels] for parameter in parameters)
        return weights, bias[0]

    def _by_label(self, scores: Tensor) -> Tensor:
        """Returns a view `[families, labels, members, examples]` of `[families, columns, examples]`."""
        shape = self._columns.n_labels, self._columns.n_members
        return scores[:, : shape[0] * shape[1]].unflatten(1, shape)


class HiddenLayerNetwork(Network):
    """Linear, activation, Linear; how dropout enters is left open."""

    def __init__(self, hidden_size: int, activation: Activation):
        self.hidden_sizes, self._activation = (hidden_size,), activation

    def of_family(self, parameters: Sequence[Tensor], padded_labels: int) -> list[Tensor]:
        hidden_weights, hidden_bias, weights, bias = parameters
        return [hidden_weights, hidden_bias[None], *_padded(weights, bias, padded_labels)]

    def of_member(self, parameters: tuple[Tensor, ...], number: int, n_labels: int) -> tuple[Tensor, ...]:
        hidden_weights, hidden_bias, weights, bias = parameters
        return hidden_weights, hidden_bias[0], weights[:, :n_labels], bias[0, :n_labels]

    def scores(self, parameters: tuple[Tensor, ...], inputs: Rows) -> Tensor:
        hidden_weights, hidden_bias, weights, bias = parameters
        hidden = self._activation.apply(sums_of_rows(hidden_bias, inputs, hidden_weights))
        return torch.addmm(bias, hidden, weights)[:, :, None]


class DropoutAfterActivation(HiddenLayerNetwork):
    """Linear, activation, dropout, Linear."""

    def fill_gradients(self, parameters: list[Tensor], batch: Batch, gradients: list[Tensor]) -> None:
        hidden_weights, hidden_bias, weights, bias = parameters
        hidden = self._activation.apply_to_each(batch.inputs.sums(hidden_bias, hidden_weights))
        if batch.kept is not None:
            hidden.mul_(batch.kept)
        # The scale of dropout stands at the small matrices: it costs less there than on the hidden layer.
        errors = _errors(_scaled(torch.bmm(hidden, weights), batch).add_(bias), batch)
        torch.sum(errors, 1, keepdim=True, out=gradients[3])
        torch.bmm(hidden.mT, _scaled(errors, batch), out=gradients[2])
        hidden_errors = self._activation.multiply_by_slope(torch.bmm(errors, weights.mT), hidden)
        if batch.kept is not None and not self._activation.is_flat_at_zero:
            hidden_errors.mul_(batch.kept)
        batch.inputs.write_slopes(hidden_errors, out=gradients[0])
        torch.sum(hidden_errors, 1, keepdim=True, out=gradients[1])


class DropoutBeforeActivation(HiddenLayerNetwork):
    """Linear, dropout, activation, Linear: a dropped component is activated as a zero is."""

    def fill_gradients(self, parameters: list[Tensor], batch: Batch, gradients: list[Tensor]) -> None:
        hidden_weights, hidden_bias, weights, bias = parameters
        sums = batch.inputs.sums(hidden_bias, hidden_weights)
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
        batch.inputs.write_slopes(hidden_errors, out=gradients[0])
        torch.sum(hidden_errors, 1, keepdim=True, out=gradients[1])


PLACES = {"after_activation": DropoutAfterActivation, "before_activation": DropoutBeforeActivation}


def network_of(spec: ProbeSpec, columns: Columns) -> Network:
    """Returns the network that a `ProbeSpec` describes."""
    if columns.n_members > 1:
        return LinearFamilyNetwork(columns)
    if spec.hidden_size is None:
        return LinearNetwork()
    return PLACES[spec.dropout_place](spec.hidden_size, ACTIVATIONS[spec.activation])


def _padded(weights: Tensor, bias: Tensor, padded_outputs: int) -> list[Tensor]:
    """Returns weights and bias `[1, padded outputs]`; absent outputs have weights 0 and an absent bias."""
    n_absent = padded_outputs - len(bias)
    return [F.pad(weights, (0, n_absent)), F.pad(bias[None], (0, n_absent), value=ABSENT)]


def _linear_scores(parameters: list[Tensor], batch: Batch) -> Tensor:
    """Scores a mini-batch of each family: `[families, examples, columns]`."""
    weights, bias = parameters
    return batch.inputs.sums_of_wide(bias, weights)


def _fill_linear_gradients(parameters: list[Tensor], batch: Batch, errors: Tensor, gradients: list[Tensor]) -> None:
    """Writes the gradients of linear layers from those of their scores `[families, examples, columns]`."""
    of_weights, of_bias = gradients
    if batch.elastic_nets is None:
        batch.inputs.write_slopes(errors, out=of_weights)
    else:
        batch.elastic_nets.write_slope(parameters[0], out=of_weights)
        batch.inputs.add_slopes(errors, out=of_weights)
    torch.sum(errors, 1, keepdim=True, out=of_bias)


def _errors(scores: Tensor, batch: Batch) -> Tensor:
    """Returns the gradient of the loss by the scores: (softmax - target) x the example's share of the loss."""
    probabilities = torch.softmax(scores, 2)
    torch.gather(probabilities, 2, batch.labels, out=batch.gold_probabilities)
    return probabilities.sub_(batch.targets).mul_(batch.shares)


def _scaled(small: Tensor, batch: Batch) -> Tensor:
    return small if batch.scale is None else small.mul_(batch.scale)
