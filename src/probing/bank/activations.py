"""The activation of a hidden layer and its slope, for many probes at once."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor


class Activation(ABC):
    """A function of one number.

    Attributes:
        is_flat_at_zero: True if the slope is 0 where the output is 0, so that a dropped output passes no gradient.
    """

    is_flat_at_zero: bool

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
