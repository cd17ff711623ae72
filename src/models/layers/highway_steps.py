"""All time steps of one or both directions of an LSTM with highway connections as one node of the autograd graph.

It is the recurrence of `LSTMSteps`, whose parts it uses, with a fifth gate and a mask behind it.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from src.models.layers.lstm_steps import rows_before, slopes_of, step, steps_of, summed_by, through_time

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
