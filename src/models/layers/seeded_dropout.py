"""Dropout with a random generator of its own."""

import torch
from torch import Tensor, nn

from src.formats.seeds import derived_seed


class SeededDropout(nn.Module):
    """Drops numbers in training as `nn.Dropout` does, but never touches the global generator.

    A run that stops and goes on draws the same masks when it says before each step where it stands.

    Args:
        rate: share that is set to zero, at least 0 and below 1.
        seed: of the generator.
    """

    def __init__(self, rate: float, seed: int):
        super().__init__()
        if not 0 <= rate < 1:
            raise ValueError(f"dropout must be at least 0 and below 1, is {rate}")
        self.rate, self.seed = rate, seed
        self._generator = torch.Generator().manual_seed(seed)

    def start_step(self, step: int, process: int) -> None:
        """Makes the next masks a function of (seed, step, process) alone."""
        self._generator.manual_seed(derived_seed(self.seed, "dropout", step, process))

    def forward(self, values: Tensor) -> Tensor:
        """Gives the values with some at zero and the others divided by the share kept; all of them in evaluation."""
        if not self.training or not self.rate:
            return values
        kept = torch.empty(values.shape).bernoulli_(1 - self.rate, generator=self._generator)
        return values * kept.to(values.device).div_(1 - self.rate)
