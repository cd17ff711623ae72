"""Bilinear scores of pairs of vectors, with biases on both sides (Dozat and Manning 2017)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Biaffine(nn.Module):
    """Scores a dependent d and a head h by `[d 1] W [h 1]`, one W for each output.

    Args:
        width: of either vector.
        n_outputs: scores of a pair.
    """

    def __init__(self, width: int, n_outputs: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_outputs, width + 1, width + 1))

    def all_pairs(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Scores every dependent with every head, for the first output.

        Args:
            dependents: `[batch, dependents, width]`.
            heads: `[batch, heads, width]`.

        Returns:
            `[batch, dependent, head]`.
        """
        return with_one(dependents) @ self.weight[0] @ with_one(heads).transpose(1, 2)

    def pairs(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Scores the k-th dependent with the k-th head: `[pairs, outputs]`.

        Args:
            dependents, heads: `[pairs, width]`.
        """
        n_outputs, width, _ = self.weight.shape
        by_output = with_one(dependents) @ self.weight.permute(1, 0, 2).reshape(width, n_outputs * width)
        return (by_output.view(-1, n_outputs, width) @ with_one(heads).unsqueeze(2)).squeeze(2)

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draws each W from Xavier's uniform distribution, and zeros for the biases."""
        self.weight.zero_()
        for matrix in self.weight:
            inner = torch.empty(matrix.shape[0] - 1, matrix.shape[1] - 1)
            matrix[:-1, :-1] = nn.init.xavier_uniform_(inner, generator=generator)


def with_one(vectors: Tensor) -> Tensor:
    """Appends a 1 to every vector: `[..., width + 1]`."""
    return F.pad(vectors, (0, 1), value=1.0)
