"""How the scores of probes lie in the columns of a product, and what elastic nets add to their gradients."""

from dataclasses import dataclass

import torch
from torch import Tensor

from polyprobe.models.layers.probe_spec import ProbeSpec

# Columns are padded to these (then doubled on), whatever the company: a padding that depended on the company would
# change the last bits. Below 16 nothing is gained: products of 4 columns took longer than products of 16. Over the wide
# inputs of probes with an elastic net, which come in grids, 32 columns took less than twice 16.
SMALLEST_PADDING = 16
SMALLEST_PADDING_OF_WIDE = 32
# Scores of labels that a probe lacks: their probability is exactly 0, so they get no gradient and never move.
ABSENT = -1e30


@dataclass(frozen=True, slots=True)
class Columns:
    """Scores of the labels of one probe, or of several linear probes side by side."""

    n_labels: int
    """That a softmax goes over; with one member the absent ones too, up to `width`."""
    n_members: int
    """Places for probes."""
    width: int
    """Of the product."""


def columns_of(n_labels: int, spec: ProbeSpec) -> Columns:
    """Returns the columns of probes with so many labels; a probe with a hidden layer has all columns alone."""
    smallest = SMALLEST_PADDING if spec.elastic_net is None else SMALLEST_PADDING_OF_WIDE
    width = padded_label_count(n_labels, smallest)
    n_members = width // n_labels if spec.hidden_size is None else 1
    return Columns(n_labels if n_members > 1 else width, n_members, width)


def padded_label_count(n_labels: int, smallest: int) -> int:
    """Returns the first of `smallest`, twice that, four times that, … that holds the labels."""
    padded = smallest
    while padded < n_labels:
        padded *= 2
    return padded


class ElasticNetSlope:
    """The slope of the elastic net of each probe in a stack.

    Args:
        l1, l2: of the probe of each column, 0 where there is none: float32 `[families, 1, columns]`.
        penalty: of all of them.
        columns: how the probes of a family lie side by side.
    """

    def __init__(self, l1: Tensor, l2: Tensor, penalty: str, columns: Columns):
        self._l1, self._l2, self._penalty, self._columns = l1, l2, penalty, columns
        self._memory = torch.empty(0, device=l1.device)

    def write_slope(self, weights: Tensor, out: Tensor) -> None:
        """Writes the gradient of the penalties by the weights; that of |w| at 0 is 0.

        Args:
            weights, out: `[families, inputs, columns]`.
        """
        if self._memory.shape != weights.shape:
            self._memory = torch.empty_like(weights)
        torch.mul(weights, self._factors(weights), out=out)
        out.addcmul_(torch.sign(weights, out=self._memory), self._l1)

    def _factors(self, weights: Tensor) -> Tensor:
        """Returns what the weights of each column are multiplied by in the slope of l2: `[families, 1, columns]`."""
        if self._penalty == "squared":
            return 2 * self._l2
        norms = self._squares(weights).sqrt_()
        return torch.where(norms > 0, self._l2 / norms, 0.0)

    def _squares(self, weights: Tensor) -> Tensor:
        """Returns the sum of the squared weights of the probe of each column: `[families, 1, columns]`."""
        n_labels, n_members = self._columns.n_labels, self._columns.n_members
        # Not `vector_norm`: along this axis it took three times as long.
        squares = torch.mul(weights, weights, out=self._memory).sum(1, keepdim=True)
        by_label = squares[..., : n_labels * n_members].unflatten(2, (n_labels, n_members))
        by_label.copy_(by_label.sum(2, keepdim=True).expand_as(by_label))
        return squares
