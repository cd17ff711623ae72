"""What makes a probe alone round as one of the bank does: the shapes of its products, and its gradients written out.

Products have whole mini-batches and padded labels, as a stack of the bank has; a linear probe is the first of those
that fit side by side. The gradients that torch would compute have another order of operations.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from polyprobe.models.layers.score_columns import ABSENT, Columns


def whole_batch(examples: Tensor, batch_size: int) -> Tensor:
    """Fills a mini-batch up with rows of nothing: `[batch size, …]`."""
    return F.pad(examples, (*(0, 0) * (examples.dim() - 1), 0, batch_size - len(examples)))


def padded_columns(weights: Tensor, bias: Tensor, columns: Columns) -> tuple[Tensor, Tensor]:
    """Returns weights `[inputs, columns]` and bias `[1, columns]` of one probe; those at its side are copies."""
    n_others = columns.n_members - 1
    sides = [
        torch.cat([one[:, :, None], one.detach()[:, :, None].expand(-1, -1, n_others)], 2).flatten(1)
        for one in (weights, bias)
    ]
    n_none = columns.width - sides[0].shape[1]
    return F.pad(sides[0], (0, n_none)), F.pad(sides[1], (0, n_none), value=ABSENT)


def cross_entropy(scores: Tensor, labels: Tensor, columns: Columns) -> Tensor:
    """Returns the cross-entropy of each example in nats, float32, by scores `[1, examples, columns]`."""
    n_labels, n_members = columns.n_labels, columns.n_members
    if n_members == 1:
        return CrossEntropy.apply(scores, labels[None, :, None], 2)[0]
    by_label = scores.mT[:, : n_labels * n_members].unflatten(1, (n_labels, n_members))
    return CrossEntropy.apply(by_label, labels.expand(1, 1, n_members, -1), 1)[0, 0]


class CrossEntropy(torch.autograd.Function):
    """Cross-entropy along a dimension, with the gradient (softmax - target) as the bank computes it."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, labels: Tensor, dim: int) -> Tensor:
        probabilities = torch.softmax(scores, dim)
        ctx.save_for_backward(probabilities, labels)
        ctx.dim = dim
        gold = probabilities.gather(dim, labels).squeeze(dim)
        return -gold.clamp(min=torch.finfo(gold.dtype).tiny).log()

    @staticmethod
    def backward(ctx: Any, weights: Tensor) -> tuple[Tensor, None, None]:
        probabilities, labels = ctx.saved_tensors
        targets = torch.zeros_like(probabilities).scatter_(ctx.dim, labels, 1.0)
        return (probabilities - targets) * weights.unsqueeze(ctx.dim), None, None


class Curved(torch.autograd.Function):
    """Sigmoid or tanh, with the slope in the order of products in which the bank computes it."""

    @staticmethod
    def forward(ctx: Any, sums: Tensor, activation: str) -> Tensor:
        outputs = getattr(torch, activation)(sums)
        ctx.save_for_backward(outputs)
        ctx.activation = activation
        return outputs

    @staticmethod
    def backward(ctx: Any, errors: Tensor) -> tuple[Tensor, None]:
        (outputs,) = ctx.saved_tensors
        if ctx.activation == "sigmoid":
            return errors * outputs * (1 - outputs), None
        return errors * (1 - torch.square(outputs)), None


def activated(sums: Tensor, activation: str) -> Tensor:
    """Applies relu, sigmoid or tanh."""
    return torch.relu(sums) if activation == "relu" else Curved.apply(sums, activation)
