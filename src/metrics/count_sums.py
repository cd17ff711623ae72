"""Counts that are summed over batches and processes; scores are made of the sums."""

import numpy as np
import torch
from torch import Tensor
from torchmetrics import Metric


class CountSums(Metric):
    """Sums rows of counts, each of its own name and length.

        sums = CountSums(units=4, bleu=10)
        sums.update(units=…, bleu=…)    # for each batch
        sums.compute()["bleu"]          # of all batches and processes

    Args:
        **sizes: the numbers of each row.
    """

    full_state_update = False

    def __init__(self, **sizes: int):
        super().__init__()
        self._names = tuple(sizes)
        for name, size in sizes.items():
            self.add_state(name, torch.zeros(size, dtype=torch.float64), dist_reduce_fx="sum")

    def update(self, **counts: Tensor | np.ndarray) -> None:
        """Adds to the rows that are named; each `[numbers]`."""
        for name, row in counts.items():
            sums = getattr(self, name)
            sums += torch.as_tensor(row, dtype=sums.dtype, device=sums.device)

    def compute(self) -> dict[str, np.ndarray]:
        """Returns the sums by name, float64."""
        return self.counted_here()

    def counted_here(self) -> dict[str, np.ndarray]:
        """Returns the sums of this process alone."""
        return {name: getattr(self, name).cpu().numpy().copy() for name in self._names}
