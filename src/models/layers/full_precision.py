"""Scores of structures and attention in float32, also where a Trainer runs everything else in half precision."""

import torch
from torch import Tensor


def full_precision(device: torch.device) -> torch.autocast:
    """Gives a context in which nothing is cast to half precision; what comes in from outside must be made float32.

    Half precision has three decimal digits: products over hundreds of numbers would tell close heads of a word, or
    close words of the other sentence, no longer apart.
    """
    return torch.autocast(device.type, enabled=False)


def widened(numbers: Tensor) -> Tensor:
    """Gives numbers of half precision as float32, others as they are."""
    return numbers.to(torch.promote_types(numbers.dtype, torch.float32))
