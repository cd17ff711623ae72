"""The units of several targets as rows without padding: where each lies."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class TargetRows:
    """Rows are time after time, longest target first; every target has at least one.

        next_ids    a  d  f           rows    a f d | b g | c
                    b  -  g
                    c  -  -

    Attributes:
        sizes: how many targets are still running at each time step.
        steps, sentences: `[rows]`, where a row lies.
    """

    sizes: tuple[int, ...]
    steps: Tensor
    sentences: Tensor

    @classmethod
    def of(cls, next_ids: Tensor) -> "TargetRows":
        """Returns the rows up to the last unit of each target.

        Args:
            next_ids: `[steps, sentences]`, the units to predict, below 0 where there is none.
        """
        times = torch.arange(1, len(next_ids) + 1, device=next_ids.device)
        lengths = torch.where(next_ids >= 0, times[:, None], 1).amax(0)
        falling, order = lengths.sort(descending=True, stable=True)
        is_running = times[:, None] <= falling
        steps, places = is_running.nonzero(as_tuple=True)
        sizes = [size for size in is_running.sum(1).tolist() if size]
        return cls(tuple(sizes), steps, order.index_select(0, places))

    def read(self, grid: Tensor) -> Tensor:
        """Returns `[rows, …]` of `[steps, sentences, …]`."""
        return grid[self.steps, self.sentences]
