"""Scores of structures and attention in float32, even if a Trainer runs everything else in half precision."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor


def full_precision(device: torch.device) -> torch.autocast:
    """Returns a context in which nothing is cast to half precision; inputs from outside must be made float32.

    Half precision has three decimal digits: products over hundreds of numbers would no longer distinguish heads of a
    word, or words of the other sentence, with similar scores.
    """
    return torch.autocast(device.type, enabled=False)


def lstm_precision(device: torch.device) -> AbstractContextManager:
    """Returns a context in which `nn.LSTM` runs: as around it, or in float32 if a CPU has no such half precision.

    A CPU with AVX2 alone has none for bfloat16, and none trains an LSTM in float16, even one that multiplies in it:
    under autocast it would end in "could not create a primitive descriptor". Inputs are float32 there, as is everything
    that they were computed from.
    """
    if device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
        return nullcontext()
    is_bfloat16 = torch.get_autocast_dtype("cpu") == torch.bfloat16
    is_supported = is_bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return nullcontext() if is_supported else full_precision(device)


def widened(numbers: Tensor) -> Tensor:
    """Returns numbers of half precision as float32, others as they are."""
    return numbers.to(torch.promote_types(numbers.dtype, torch.float32))
