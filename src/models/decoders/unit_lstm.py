"""LSTM layers over the units of targets, in rows without padding, that read the vector of a sentence at every step."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.models.layers.full_precision import lstm_precision, widened
from polyprobe.models.layers.initialisation import initialise_lstm_evenly
from polyprobe.models.layers.lstm_steps import LSTMSteps
from polyprobe.models.layers.shared_dropout import DropShare
from polyprobe.models.layers.text_lstm import PrefixStates
from polyprobe.section import Count, checked


class TargetRows:
    """Rows are time after time, longest target first; every target has at least one.

    next_ids    a  d  f           rows    a f d | b g | c
                b  -  g
                c  -  -

    Has `sizes`, how many targets are still running at each time step, and `steps` and `sentences`, both `[rows]`, where
    a row lies. The rows end with the last unit of each target.

    Args:
        next_ids: `[steps, sentences]`, the units to predict, below 0 where there is none.
    """

    def __init__(self, next_ids: Tensor):
        times = torch.arange(1, len(next_ids) + 1, device=next_ids.device)
        lengths = torch.where(next_ids >= 0, times[:, None], 1).amax(0)
        falling, order = lengths.sort(descending=True, stable=True)
        is_running = times[:, None] <= falling
        steps, places = is_running.nonzero(as_tuple=True)
        self.sizes = tuple(size for size in is_running.sum(1).tolist() if size)
        self.steps, self.sentences = steps, order.index_select(0, places)

    def read(self, grid: Tensor) -> Tensor:
        """Returns `[rows, …]` of `[steps, sentences, …]`."""
        return grid[self.steps, self.sentences]


UNIT_DEVIATION = 0.1
"""Standard deviation of the first numbers of a unit's vector, as in Gehring et al. 2017."""


class UnitLSTM(nn.Module):
    """Reads units, each beside the vector of the sentence that it is generated from.

        unit -> vector -> dropout, joined with the sentence's vector -> LSTM layers, dropout between them

    All states begin with zeros. On a CPU nothing is computed for padding, and dropout drops the same numbers at all
    occurrences of a unit in a batch; elsewhere `nn.LSTM` itself runs, over padded targets.

    Args:
        sentence_size: width of the vector of a sentence.
        unit_size: width of the vector of a unit.
        hidden_size: width of a state.
    """

    @checked("model.head")
    def __init__(
        self,
        sentence_size: int,
        n_units: int,
        unit_size: Count,
        hidden_size: Count,
        n_layers: Count,
        dropout: DropShare,
    ):
        super().__init__()
        self.embedding = nn.Embedding(n_units, unit_size)
        widths = [unit_size + sentence_size, *[hidden_size] * (n_layers - 1)]
        self.layers = nn.ModuleList(nn.LSTM(width, hidden_size) for width in widths)
        self.dropout = nn.Dropout(dropout)
        self.hidden_size = hidden_size

    def forward(self, sentences: Tensor, unit_ids: Tensor, rows: TargetRows) -> Tensor:
        """Returns the states of the highest layer, before dropout: `[rows, hidden_size]`.

        Args:
            sentences: `[sentences, sentence_size]`.
            unit_ids: `[steps, sentences]`; time runs down.
            rows: of these that are read.
        """
        if sentences.is_cpu and not torch.is_autocast_enabled("cpu"):
            return self._steps_in_one_node(widened(sentences), rows.read(unit_ids), rows)
        outputs, _ = self._run(sentences, unit_ids, self.first_states(len(sentences)))
        return rows.read(outputs)

    def first_states(self, n_hypotheses: int) -> PrefixStates:
        """Returns the states before anything is read: zeros."""
        zeros = self.embedding.weight.new_zeros(len(self.layers), n_hypotheses, self.hidden_size)
        return PrefixStates(zeros, zeros)

    def step(self, sentences: Tensor, states: PrefixStates, unit_ids: Tensor) -> PrefixStates:
        """Reads one unit in every hypothesis; returns the states after.

        Args:
            sentences: `[hypotheses, sentence_size]`.
            unit_ids: `[hypotheses]`.
        """
        return self._run(sentences, unit_ids[None], states)[1]

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters; the layers' as the framework does, the units' from a normal distribution."""
        nn.init.normal_(self.embedding.weight, std=UNIT_DEVIATION, generator=generator)
        for layer in self.layers:
            initialise_lstm_evenly(layer, generator)

    def _steps_in_one_node(self, sentences: Tensor, unit_ids: Tensor, rows: TargetRows) -> Tensor:
        """Returns the same without padding: the first layer reads each sentence and each distinct unit once.

        Args:
            sentences: `[sentences, sentence_size]`.
            unit_ids: `[rows]`.
        """
        first, *others = self.layers
        distinct, unit_of_row = unit_ids.unique(return_inverse=True)
        units = self.dropout(self.embedding(distinct))
        of_units, of_sentences = first.weight_ih_l0.split([units.shape[1], sentences.shape[1]], dim=1)
        projected = F.linear(units, of_units), unit_of_row, _projections(first, sentences, of_sentences), rows.sentences
        states = LSTMSteps.apply(first.weight_hh_l0[None], rows.sizes, *projected)[0]
        for layer in others:
            projections = _projections(layer, self.dropout(states), layer.weight_ih_l0)
            states = LSTMSteps.apply(layer.weight_hh_l0[None], rows.sizes, projections, None)[0]
        return states

    def _run(self, sentences: Tensor, unit_ids: Tensor, begin: PrefixStates) -> tuple[Tensor, PrefixStates]:
        units = self.dropout(self.embedding(unit_ids))
        outputs = torch.cat([units, sentences.to(units.dtype).expand(len(units), -1, -1)], dim=2)
        hidden, cells = [], []
        for number, layer in enumerate(self.layers):
            inputs = self.dropout(outputs) if number else outputs
            with lstm_precision(sentences.device):
                outputs, end = layer(inputs, (begin.hidden[number, None], begin.cells[number, None]))
            hidden.append(end[0])
            cells.append(end[1])
        return outputs, PrefixStates(torch.cat(hidden), torch.cat(cells))


def _projections(layer: nn.LSTM, inputs: Tensor, weights: Tensor) -> Tensor:
    """Returns the parts of the gates that do not depend on states, biases included: `[inputs, 4 hidden_size]`."""
    return F.linear(inputs, weights, layer.bias_ih_l0 + layer.bias_hh_l0)
