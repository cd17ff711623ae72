"""A convolution over rows that lie one after the other, as products of matrices, for the CPU."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor


def row_convolution(rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Returns what `F.conv1d` would for one sequence between zeros, without moving numbers to another layout.

    Several sequences are convolved at once if as many rows of zeros lie between them as half of the kernel covers.

    Args:
        rows: `[rows, channels]`.
        weight: `[outputs, channels, kernel]`, as of `nn.Conv1d`; the kernel is odd.
        bias: `[outputs]`.

    Returns:
        `[rows, outputs]`.
    """
    return _RowConvolution.apply(rows, weight, bias)


class _RowConvolution(torch.autograd.Function):
    """One product for each place of the kernel, added where the shifted rows overlap."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        places = weight.permute(2, 0, 1).contiguous()  # [kernel, outputs, channels]
        outputs = bias.repeat(len(rows), 1)
        for place, read, written in _overlaps(len(rows), len(places)):
            outputs[written].addmm_(rows[read], places[place].t())
        ctx.save_for_backward(rows, places)
        return outputs

    @staticmethod
    def backward(ctx: Any, by_output: Tensor) -> tuple[Tensor | None, Tensor, Tensor]:
        rows, places = ctx.saved_tensors
        by_row = torch.zeros_like(rows) if ctx.needs_input_grad[0] else None
        by_place = torch.zeros_like(places)
        for place, read, written in _overlaps(len(rows), len(places)):
            if by_row is not None:
                by_row[read].addmm_(by_output[written], places[place])
            torch.mm(by_output[written].t(), rows[read], out=by_place[place])
        return by_row, by_place.permute(1, 2, 0), by_output.sum(0)


def _overlaps(n_rows: int, kernel_size: int) -> Iterator[tuple[int, slice, slice]]:
    """Yields each place of the kernel with the rows that are read there and those that are written."""
    for place in range(kernel_size):
        shift = place - kernel_size // 2
        if abs(shift) < n_rows:
            read = slice(max(0, shift), n_rows + min(0, shift))
            yield place, read, slice(max(0, -shift), n_rows - max(0, shift))
