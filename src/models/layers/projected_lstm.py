"""An LSTM whose states are projected and clipped, as in ELMo; for reading, not for training."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class ProjectedLSTM(nn.Module):
    """One layer in one direction; every sequence starts from zero states.

        c = s(i) tanh(g) + s(f) c_before, clipped        h = W (s(o) tanh(c)), clipped

    where s is the logistic function and i, f, g, o are the gates in this order (`nn.LSTM`'s order). The projected,
    clipped state is the output of the layer and the input of its next step.

    Args:
        input_size: width of an input.
        hidden_size: width of the memory cell.
        projection_size: width of a state.
        cell_clip, projection_clip: largest absolute value in the cell and in the state; None for no limit.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        projection_size: int,
        cell_clip: float | None,
        projection_clip: float | None,
    ):
        super().__init__()
        self.hidden_size, self.projection_size = hidden_size, projection_size
        self.cell_clip, self.projection_clip = cell_clip, projection_clip
        self.input_weight = nn.Parameter(torch.empty(4 * hidden_size, input_size))
        self.state_weight = nn.Parameter(torch.empty(4 * hidden_size, projection_size))
        self.bias = nn.Parameter(torch.empty(4 * hidden_size))
        self.projection = nn.Parameter(torch.empty(projection_size, hidden_size))

    def forward(self, rows: Tensor, sizes: Sequence[int]) -> Tensor:
        """Returns the state after each row: `[rows, projection_size]`.

        Args:
            rows: `[rows, input_size]`, time after time, longest sequence first (`Packing`).
            sizes: rows at each time step, never rising.
        """
        gates = F.linear(rows, self.input_weight, self.bias)
        cells = rows.new_zeros(sizes[0], self.hidden_size)
        states = rows.new_zeros(sizes[0], self.projection_size)
        steps = []
        for gates_now in gates.split(list(sizes)):
            n_running = len(gates_now)
            gates_now = torch.addmm(gates_now, states[:n_running], self.state_weight.T)
            cells, states = self._step(gates_now, cells[:n_running])
            steps.append(states)
        return torch.cat(steps)

    def _step(self, gates: Tensor, cells: Tensor) -> tuple[Tensor, Tensor]:
        of_input, of_forget, candidate, of_output = gates.chunk(4, dim=1)
        cells = torch.sigmoid(of_input) * torch.tanh(candidate) + torch.sigmoid(of_forget) * cells
        cells = _clipped(cells, self.cell_clip)
        states = F.linear(torch.sigmoid(of_output) * torch.tanh(cells), self.projection)
        return cells, _clipped(states, self.projection_clip)


def _clipped(values: Tensor, limit: float | None) -> Tensor:
    return values if limit is None else values.clamp(-limit, limit)
