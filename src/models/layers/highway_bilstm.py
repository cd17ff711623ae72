"""A bidirectional LSTM with highway connections and recurrent variational dropout (AllenNLP 0.6.1, `AugmentedLstm`).

All time steps of both directions are one node of the autograd graph: the recurrence of `LSTMSteps`, whose parts it
uses, with a fifth gate and a mask behind it.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.models.layers.full_precision import full_precision, widened
from polyprobe.models.layers.lstm_steps import rows_before, slopes_of, step, steps_of, summed_by, through_time
from polyprobe.models.layers.packing import Packing
from polyprobe.models.layers.shared_dropout import drawn_masks


class HighwayBiLSTM(nn.Module):
    """One bidirectional layer; its parameters are named as those of `nn.LSTM`, with more rows.

    What an LSTM gives out is mixed with a projection of what it reads, by a gate r of its own; all of that, which is
    also the state that the next step gets, is multiplied by a mask:

        h = mask (r LSTM(x, h before) + (1 - r) P x)        r = s(U x + V h before + b)

    A mask is drawn for each sequence, direction and layer, and holds at all steps. The projection P has no bias; a gate
    has one. Numbers are float32 also where a Trainer runs everything else in half precision.

    Args:
        input_size: width of an input.
        hidden_size: width of a state of one direction.
    """

    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.hidden_size = hidden_size
        for direction in ("", "_reverse"):
            self.register_parameter(f"weight_ih_l0{direction}", _empty((N_GATES + 1) * hidden_size, input_size))
            self.register_parameter(f"weight_hh_l0{direction}", _empty(N_GATES * hidden_size, hidden_size))
            self.register_parameter(f"bias_ih_l0{direction}", _empty(N_GATES * hidden_size))

    def forward(self, inputs: Tensor, packing: Packing, dropout: float) -> Tensor:
        """Returns the states of all cells: `[cells, 2 hidden_size]`, forward then backward.

        Args:
            inputs: `[cells, input_size]`, sequence after sequence.
            packing: of the lengths of the sequences.
            dropout: share of the numbers of a state that is dropped; 0 in evaluation.
        """
        with full_precision(inputs.device):
            weights = torch.cat([self.weight_ih_l0, self.weight_ih_l0_reverse])
            biases = [F.pad(one, (0, self.hidden_size)) for one in (self.bias_ih_l0, self.bias_ih_l0_reverse)]
            # Projection 2k is that of cell k forward, 2k + 1 that of cell k backward.
            projections = F.linear(widened(inputs), weights, torch.cat(biases)).view(2 * len(inputs), -1)
            projection_of_row = 2 * packing.cell_of_row
            projection_of_row[len(inputs) :] += 1
            recurrent = torch.stack([self.weight_hh_l0, self.weight_hh_l0_reverse])
            masks = drawn_masks(dropout, (2, packing.sizes[0], self.hidden_size), inputs.device).to(projections.dtype)
            states = HighwaySteps.apply(recurrent, packing.sizes, projections, projection_of_row, masks).flatten(0, 1)
        return states.index_select(0, packing.rows_of_cell.flatten()).view(len(inputs), -1)


def _empty(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.empty(*shape))


N_GATES = 5
"""Input, forget, cell, output, highway: what depends on the state before."""


class HighwaySteps(torch.autograd.Function):
    """Recurrence over packed rows (`Packing`), where p is the projected input and r the highway gate:

    n = o tanh(c)        h = mask (r n + (1 - r) p)
    """

    @staticmethod
    def forward(
        ctx: Any,
        weights: Tensor,
        sizes: Sequence[int],
        projections: Tensor,
        projection_of_row: Tensor,
        masks: Tensor,
    ) -> Tensor:
        """Runs all steps from zero states.

        Args:
            weights: `[directions, 5 hidden, hidden]`, recurrent weights.
            sizes: rows at each time step, never rising.
            projections: `[projections, 6 hidden]`, parts of the gates that do not depend on states, biases included,
                then the projected input.
            projection_of_row: `[directions * rows]`, which of them a row reads.
            masks: `[directions, sequences, hidden]`, what the states of a sequence are multiplied by at every step;
                longest sequence first.

        Returns:
            `[directions, rows, hidden]`, the state after each row.
        """
        hidden = weights.shape[2]
        read = projections.index_select(0, projection_of_row).view(len(weights), sum(sizes), -1)
        gates, carried = (part.contiguous() for part in read.split([N_GATES * hidden, hidden], 2))
        cells, squashed, plain, states = (torch.empty_like(carried) for _ in range(4))
        transposed = weights.transpose(1, 2)
        for rows, before in steps_of(sizes):
            if before:
                gates[:, rows].baddbmm_(states[:, before], transposed)
            step(gates, cells, squashed, plain, rows, before)
            torch.lerp(carried[:, rows], plain[:, rows], gates[:, rows, 4 * hidden :], out=states[:, rows])
            states[:, rows].mul_(masks[:, : rows.stop - rows.start])
        ctx.save_for_backward(gates, cells, squashed, plain, carried, states, weights, projection_of_row, masks)
        ctx.sizes, ctx.n_projections = sizes, len(projections)
        return states

    @staticmethod
    def backward(ctx: Any, state_gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Returns the gradients of the recurrent weights and of the projections."""
        gates, cells, squashed, plain, carried, states, weights, projection_of_row, masks = ctx.saved_tensors
        hidden, earlier = weights.shape[2], rows_before(ctx.sizes, gates.device)
        of_lstm, highway = gates.split([4 * hidden, hidden], 2)
        slopes, by_cell = slopes_of(of_lstm, cells, squashed, earlier)
        kept = torch.cat([masks[:, :size] for size in ctx.sizes], 1)
        by_plain = highway * kept
        slopes[:, :, 3 * hidden :].mul_(by_plain)
        by_highway = by_plain * (1 - highway) * (plain - carried)
        slopes, by_state = torch.cat([slopes, by_highway], 2), state_gradients.clone()
        through_time(slopes, by_cell.mul_(by_plain), of_lstm.split(hidden, 2)[1], weights, by_state, ctx.sizes)
        weight_gradients = torch.bmm(slopes[:, ctx.sizes[0] :].transpose(1, 2), states.index_select(1, earlier))
        by_row = torch.cat([slopes, by_state * kept * (1 - highway)], 2).flatten(0, 1)
        return weight_gradients, None, summed_by(projection_of_row, by_row, ctx.n_projections), None, None
