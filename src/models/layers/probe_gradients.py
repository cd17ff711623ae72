"""Gradients of a probe in the order of operations in which the bank has them; how torch rounds its own differs."""

from typing import Any

import torch
from torch import Tensor


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
