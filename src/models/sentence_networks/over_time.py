"""The states of a sentence's words as one vector; padding, if there is any, never takes part. Vectors are float32."""

from collections.abc import Sequence

import torch
from torch import Tensor

from src.models.layers.full_precision import widened


def max_over_time(states: Tensor, lengths: Sequence[int]) -> Tensor:
    """Returns the largest of each number over the words of a sentence: `[sentences, width]`.

    Args:
        states: `[cells, width]`, sentence after sentence.
        lengths: of the sentences, in words, each at least 1.
    """
    return torch.segment_reduce(widened(states), "max", lengths=_tensor(lengths, states), axis=0, unsafe=True)


def mean_over_time(states: Tensor, lengths: Sequence[int]) -> Tensor:
    """Returns the mean of each number over the words of a sentence: `[sentences, width]`; arguments as above."""
    sizes = _tensor(lengths, states)
    sums = torch.segment_reduce(widened(states), "sum", lengths=sizes, axis=0, unsafe=True)
    return sums / sizes[:, None]


def first_and_last_cells(lengths: Sequence[int], device: torch.device) -> tuple[Tensor, Tensor]:
    """Returns where the first and the last word of each sentence are among the cells: `[sentences]` each."""
    sizes = torch.tensor(lengths, device=device)
    ends = sizes.cumsum(0)
    return ends - sizes, ends - 1


def _tensor(lengths: Sequence[int], like: Tensor) -> Tensor:
    return torch.tensor(lengths, device=like.device)
