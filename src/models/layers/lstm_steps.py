"""All time steps of one or both directions of an LSTM as one node of the autograd graph, for the CPU.

Under plain autograd each step costs some twenty nodes and its own product for the weight gradient. Here a step is one
product of all directions and a few in-place operations, and the weight gradient is one product after the loop.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F


class LSTMSteps(torch.autograd.Function):
    """Recurrence over packed rows (`Packing`); gates are in the order of `nn.LSTM`: input, forget, cell, output."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor, sizes: Sequence[int], *projections_and_rows: Tensor | None) -> Tensor:
        """Runs all steps from zero states.

        Args:
            weights: `[directions, 4 hidden, hidden]`, recurrent weights.
            sizes: rows at each time step, never rising.
            projections_and_rows: at least one pair, whose numbers are added: `[projections, 4 hidden]`, parts of the
                gates that do not depend on states, biases included; and `[directions * rows]`, which of them a row
                reads. The second of the first pair may be None: there is one for each row, in order, and nobody else
                reads them, as they are overwritten.

        Returns:
            `[directions, rows, hidden]`, the state after each row.
        """
        first, *others = zip(projections_and_rows[::2], projections_and_rows[1::2], strict=True)
        gates = first[0].detach() if first[1] is None else first[0].index_select(0, first[1])
        for projections, projection_of_row in others:
            gates += projections.index_select(0, projection_of_row)
        gates = gates.view(len(weights), sum(sizes), -1)
        hidden = weights.shape[2]
        cells, squashed, states = (gates.new_empty(*gates.shape[:2], hidden) for _ in range(3))
        transposed = weights.transpose(1, 2)
        for rows, before in steps_of(sizes):
            if before:
                gates[:, rows].baddbmm_(states[:, before], transposed)
            step(gates, cells, squashed, states, rows, before)
        ctx.save_for_backward(gates, cells, squashed, states, weights, *projections_and_rows[1::2])
        ctx.sizes, ctx.n_projections = sizes, [len(projections) for projections in projections_and_rows[::2]]
        return states

    @staticmethod
    def backward(ctx: Any, state_gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Returns the gradients of the recurrent weights and of all projections."""
        gates, cells, squashed, states, weights, *rows_of_projections = ctx.saved_tensors
        earlier = rows_before(ctx.sizes, gates.device)
        slopes, cell_slopes = slopes_of(gates, cells, squashed, earlier)
        forget = gates.split(weights.shape[2], 2)[1]
        through_time(slopes, cell_slopes, forget, weights, state_gradients.clone(), ctx.sizes)
        later = slopes[:, ctx.sizes[0] :]
        # A product that is then transposed: faster than that of the transposed factors, with the same bits.
        weight_gradients = torch.bmm(states.index_select(1, earlier).transpose(1, 2), later).transpose(1, 2)
        by_projection: list[Tensor | None] = []
        for rows, n_projections in zip(rows_of_projections, ctx.n_projections, strict=True):
            summed = slopes.flatten(0, 1) if rows is None else summed_by(rows, slopes.flatten(0, 1), n_projections)
            by_projection += [summed, None]
        return weight_gradients, None, *by_projection


def step(gates: Tensor, cells: Tensor, squashed: Tensor, states: Tensor, rows: slice, before: slice | None) -> None:
    """Fills in the rows of a step.

    Args:
        gates: `[directions, rows, at least 4 hidden]`, to be squashed in place; all beyond the fourth are logistic.
        cells, squashed, states: `[directions, rows, hidden]`, the cells, their tanh and the states.
        rows, before: of the step and of the one before; see `steps_of`.
    """
    hidden = cells.shape[2]
    _squash_gates(gates[:, rows], hidden)
    of_input, of_forget, candidate, of_output = gates[:, rows, : 4 * hidden].split(hidden, 2)
    torch.mul(of_input, candidate, out=cells[:, rows])
    if before:
        cells[:, rows].addcmul_(of_forget, cells[:, before])
    torch.mul(of_output, _tanh(cells[:, rows], squashed[:, rows]), out=states[:, rows])


def steps_of(sizes: Sequence[int]) -> Iterator[tuple[slice, slice | None]]:
    """Yields the rows of each step and, but for the first, the rows that the same sequences had one step before."""
    start, before = 0, None
    for size in sizes:
        yield slice(start, start + size), before and slice(before.start, before.start + size)
        before = slice(start, start + size)
        start += size


def rows_before(sizes: Sequence[int], device: torch.device) -> Tensor:
    """Returns `[rows after the first step]`, the row of the same sequence one step before."""
    rows = [torch.arange(before.start, before.stop) for _, before in steps_of(sizes) if before] or [_NO_ROWS]
    return torch.cat(rows).to(device)


_NO_ROWS = torch.empty(0, dtype=torch.int64)


def _squash_gates(gates: Tensor, hidden: int) -> None:
    """Applies tanh to the candidate and the logistic function to all else, in place: tanh(x) is 2 s(2x) - 1."""
    candidate = gates[:, :, 2 * hidden : 3 * hidden]
    candidate.mul_(2)
    gates.sigmoid_()
    candidate.mul_(2).sub_(1)


def _tanh(values: Tensor, out: Tensor) -> Tensor:
    # Several times faster than torch.tanh on a CPU, and as exact as float32 allows around 1.
    return torch.mul(values, 2, out=out).sigmoid_().mul_(2).sub_(1)


def slopes_of(gates: Tensor, cells: Tensor, squashed: Tensor, earlier: Tensor) -> tuple[Tensor, Tensor]:
    """Computes the derivatives that do not depend on later steps.

    Args:
        gates: `[directions, rows, 4 hidden]`, squashed.
        cells, squashed: `[directions, rows, hidden]`.
        earlier: see `rows_before`.

    Returns:
        `[directions, rows, 4 hidden]`: of the cell by the first three gates and of the state by the last, before
        squashing.
        `[directions, rows, hidden]`: of the state by the cell.
    """
    of_input, _, candidate, of_output = gates.split(cells.shape[2], 2)
    slopes = torch.addcmul(gates, gates, gates, value=-1)
    by_input, by_forget, by_candidate, by_output = slopes.split(cells.shape[2], 2)
    by_input.mul_(candidate)
    n_first = cells.shape[1] - len(earlier)
    by_forget[:, :n_first].zero_()
    by_forget[:, n_first:].mul_(cells.index_select(1, earlier))
    torch.addcmul(of_input, of_input * candidate, candidate, value=-1, out=by_candidate)
    by_output.mul_(squashed)
    return slopes, torch.addcmul(of_output, of_output * squashed, squashed, value=-1)


def through_time(
    slopes: Tensor, cell_slopes: Tensor, forget: Tensor, weights: Tensor, by_state: Tensor, sizes: Sequence[int]
) -> None:
    """Turns `slopes` into gradients of the gates before squashing, in place, from the last step to the first.

    Args:
        slopes: `[directions, rows, at least 4 hidden]`, of the cell by the first three gates and of the state by all
            others, before squashing.
        cell_slopes: `[directions, rows, hidden]`, of the state by the cell.
        forget: `[directions, rows, hidden]`, the squashed forget gates.
        weights: `[directions, gates, hidden]`, recurrent weights.
        by_state: `[directions, rows, hidden]`, gradients of the states from outside; later steps are added to it.
        sizes: rows at each time step.
    """
    by_cell = torch.zeros_like(cell_slopes)
    gate_slopes = slopes.unflatten(2, (-1, by_cell.shape[2]))
    for rows, before in reversed(list(steps_of(sizes))):
        now = by_cell[:, rows].addcmul_(by_state[:, rows], cell_slopes[:, rows])
        gate_slopes[:, rows, :3].mul_(now.unsqueeze(2))
        gate_slopes[:, rows, 3:].mul_(by_state[:, rows].unsqueeze(2))
        if before:
            torch.mul(now, forget[:, rows], out=by_cell[:, before])
            by_state[:, before].baddbmm_(slopes[:, rows], weights)


def summed_by(group_of_row: Tensor, rows: Tensor, n_groups: int) -> Tensor:
    """Sums rows by group: `[n_groups, width]`. A bag of rows is many times faster than `index_add_` on a CPU."""
    by_group = group_of_row.argsort(stable=True)
    starts = torch.searchsorted(group_of_row[by_group], torch.arange(n_groups, device=rows.device))
    return F.embedding_bag(by_group, rows, starts, mode="sum")
