"""Scores of structures and attention in float32, also where a Trainer runs everything else in half precision."""

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor


def full_precision(device: torch.device) -> torch.autocast:
    """Returns a context in which nothing is cast to half precision; what comes in from outside must be made float32.

    Half precision has three decimal digits: products over hundreds of numbers would tell close heads of a word, or
    close words of the other sentence, no longer apart.
    """
    return torch.autocast(device.type, enabled=False)


def lstm_precision(device: torch.device) -> AbstractContextManager:
    """Returns a context in which `nn.LSTM` runs: as around it, or in float32 where a CPU has no such half precision.

    A CPU with AVX2 alone has none for bfloat16, and few have one for float16: under autocast an LSTM would end in
    "could not create a primitive descriptor". What comes in is float32 there, as all that it was computed from.
    """
    if device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
        return nullcontext()
    is_supported = _LSTM_SUPPORT[torch.get_autocast_dtype("cpu")]()
    return nullcontext() if is_supported else full_precision(device)


_LSTM_SUPPORT = {
    torch.bfloat16: torch.ops.mkldnn._is_mkldnn_bf16_supported,
    torch.float16: torch.ops.mkldnn._is_mkldnn_fp16_supported,
}


def widened(numbers: Tensor) -> Tensor:
    """Returns numbers of half precision as float32, others as they are."""
    return numbers.to(torch.promote_types(numbers.dtype, torch.float32))
