"""A bidirectional LSTM with highway connections and recurrent variational dropout (AllenNLP 0.6.1, `AugmentedLstm`)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from src.models.layers.full_precision import full_precision, widened
from src.models.layers.highway_steps import N_GATES, HighwaySteps
from src.models.layers.packing import Packing
from src.models.layers.shared_dropout import drawn_masks


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
