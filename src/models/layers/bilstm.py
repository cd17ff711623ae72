"""A bidirectional LSTM over ragged sequences whose inputs repeat."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from src.models.layers.packing import Packing


class BiLSTM(nn.LSTM):
    """One bidirectional layer; its parameters have the names and shapes of `nn.LSTM`'s.

    Args:
        input_size: width of an input.
        hidden_size: width of a state of one direction.
    """

    def __init__(self, input_size: int, hidden_size: int):
        super().__init__(input_size, hidden_size, bidirectional=True)

    def forward(self, inputs: Tensor, input_of_cell: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
        """Runs over all sequences at once.

        Args:
            inputs: `[distinct inputs, input_size]`.
            input_of_cell: `[cells]`, which of them a cell reads; cells stand sequence after sequence.
            packing: of the lengths of the sequences.

        Returns:
            The states of all cells `[cells, 2 hidden_size]`, forward then backward, and the last states of both
            directions `[sequences, 2 hidden_size]` (of the backward direction that is the state at the first cell).
        """
        return self._packed(inputs, input_of_cell, packing)

    def _packed(self, inputs: Tensor, input_of_cell: Tensor, packing: Packing) -> tuple[Tensor, Tensor]:
        rows = inputs.index_select(0, input_of_cell[packing.cell_of_row[0]])
        output, (last, _) = super().forward(PackedSequence(rows, torch.tensor(packing.sizes)))
        states = output.data.index_select(0, packing.row_of_cell[0])
        return states, torch.cat([*last], dim=1).index_select(0, packing.order.argsort())
