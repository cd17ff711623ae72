"""A bidirectional LSTM over ragged sequences whose inputs repeat."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F
from torch.nn.utils.rnn import PackedSequence

from polyprobe.models.layers.full_precision import lstm_precision, widened
from polyprobe.models.layers.lstm_steps import LSTMSteps
from polyprobe.models.layers.packing import Packing


class BiLSTM(nn.LSTM):
    """One bidirectional layer; its parameters have the names and shapes of `nn.LSTM`'s.

    On a CPU inputs are projected once each, however often they are read; elsewhere `nn.LSTM` itself runs, packed.

    Args:
        input_size: width of an input.
        hidden_size: width of a state of one direction.
    """

    def __init__(self, input_size: int, hidden_size: int):
        super().__init__(input_size, hidden_size, bidirectional=True)

    def forward(self, inputs: Tensor, input_of_cell: Tensor | None, packing: Packing) -> Tensor:
        """Returns the states of all cells.

        Args:
            inputs: `[distinct inputs, input_size]`.
            input_of_cell: `[cells]`, which of them a cell reads; cells are ordered sequence after sequence. None where
                each cell has its own.
            packing: of the lengths of the sequences.

        Returns:
            `[cells, 2 hidden_size]`, forward then backward.
        """
        return self._states(inputs, input_of_cell, packing, packing.rows_of_cell)

    def last_states(self, inputs: Tensor, input_of_cell: Tensor | None, packing: Packing) -> Tensor:
        """Returns the last state of each direction: `[sequences, 2 hidden_size]`.

        The backward direction ends at the first cell of a sequence. Arguments: see `forward`.
        """
        return self._states(inputs, input_of_cell, packing, packing.last_rows)

    def _states(self, inputs: Tensor, input_of_cell: Tensor | None, packing: Packing, rows: Tensor) -> Tensor:
        with lstm_precision(inputs.device):
            is_plain_cpu = inputs.is_cpu and not torch.is_autocast_enabled("cpu")
            states_of_rows = self._steps_in_one_node if is_plain_cpu else self._packed
            states = states_of_rows(inputs, input_of_cell, packing)
        return states.index_select(0, rows.flatten()).view(len(rows), -1)

    def _steps_in_one_node(self, inputs: Tensor, input_of_cell: Tensor | None, packing: Packing) -> Tensor:
        """Returns the states of all rows, `[2 cells, hidden_size]`."""
        weights = torch.cat([self.weight_ih_l0, self.weight_ih_l0_reverse])
        biases = torch.cat([self.bias_ih_l0 + self.bias_hh_l0, self.bias_ih_l0_reverse + self.bias_hh_l0_reverse])
        recurrent = torch.stack([self.weight_hh_l0, self.weight_hh_l0_reverse])
        if input_of_cell is None:
            projections, projection_of_row = _RowProjections.apply(widened(inputs), weights, biases, packing), None
        else:
            # Projection 2k is that of input k forward, 2k + 1 that of input k backward.
            projections = F.linear(widened(inputs), weights, biases).view(-1, 4 * self.hidden_size)
            projection_of_row = 2 * input_of_cell[packing.cell_of_row]
            projection_of_row[len(input_of_cell) :] += 1
        return LSTMSteps.apply(recurrent, packing.sizes, projections, projection_of_row).flatten(0, 1)

    def _packed(self, inputs: Tensor, input_of_cell: Tensor | None, packing: Packing) -> Tensor:
        """Returns the same by `nn.LSTM`, whose backward states are in the rows of the forward direction."""
        n_cells = len(packing.rows_of_cell)
        cell_of_row = packing.cell_of_row[:n_cells]
        rows = inputs.index_select(0, cell_of_row if input_of_cell is None else input_of_cell[cell_of_row])
        output, _ = super().forward(PackedSequence(rows, torch.tensor(packing.sizes)))
        forward, backward = output.data.chunk(2, dim=1)
        forward_row_of_cell = packing.rows_of_cell[:, 0]
        return torch.cat([forward, backward.index_select(0, forward_row_of_cell[packing.cell_of_row[n_cells:]])])


class _RowProjections(torch.autograd.Function):
    """Projects the input of each cell straight into the rows of both directions, which are several times wider than it.

    Gradients are put back into the order of the cells before they meet a product: sums of a different order would round
    differently.
    """

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weights: Tensor, biases: Tensor, packing: Packing) -> Tensor:
        """Returns `[2 cells, width of a direction]`.

        Args:
            inputs: `[cells, input_size]`.
            weights: `[widths of both directions, input_size]`.
            biases: `[widths of both directions]`.
        """
        ctx.save_for_backward(inputs, weights)
        ctx.rows_of_cell = packing.rows_of_cell.flatten()
        projections = inputs.new_empty(2, len(inputs), len(weights) // 2)
        directions = zip(packing.cell_of_row.chunk(2), weights.chunk(2), biases.chunk(2), projections, strict=True)
        for cell_of_row, of_direction, bias, out in directions:
            torch.addmm(bias, inputs.index_select(0, cell_of_row), of_direction.t(), out=out)
        return projections.flatten(0, 1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, by_row: Tensor) -> tuple[Tensor | None, Tensor, Tensor, None]:
        inputs, weights = ctx.saved_tensors
        by_cell = by_row.index_select(0, ctx.rows_of_cell).view(len(inputs), -1)
        by_input = by_cell @ weights if ctx.needs_input_grad[0] else None  # none of vectors that are frozen
        return by_input, (inputs.t() @ by_cell).t(), by_cell.sum(0), None


def exposed_states(layers: Sequence[BiLSTM]) -> tuple[tuple[str, int], ...]:
    """Names the states of layers, lowest first, with their widths: "bilstm" for one layer, else "bilstm_1" and on."""
    names = ["bilstm"] if len(layers) == 1 else [f"bilstm_{number}" for number in range(1, len(layers) + 1)]
    return tuple((name, 2 * layer.hidden_size) for name, layer in zip(names, layers, strict=True))
