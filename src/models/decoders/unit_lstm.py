"""LSTM layers over the units of targets that read the vector of a sentence at every step."""

import torch
from torch import Tensor, nn

from src.errors import BadValue, check_at_least
from src.models.layers.full_precision import lstm_precision
from src.models.layers.initialisation import initialise_lstm_evenly
from src.models.layers.text_lstm import PrefixStates

UNIT_DEVIATION = 0.1
"""Standard deviation of the first numbers of a unit's vector, as in Gehring et al. 2017."""


class UnitLSTM(nn.Module):
    """Reads units, each beside the vector of the sentence that it is generated from.

        unit -> vector -> dropout, joined with the sentence's vector -> LSTM layers, dropout between them

    All states begin with zeros.

    Args:
        sentence_size: width of the vector of a sentence.
        n_units: of the target vocabulary.
        unit_size: width of the vector of a unit.
        hidden_size: width of a state.
        n_layers: LSTM layers.
        dropout: share of the numbers that is dropped in training.

    Raises:
        BadValue: a setting is out of range.
    """

    def __init__(
        self, sentence_size: int, n_units: int, unit_size: int, hidden_size: int, n_layers: int, dropout: float
    ):
        super().__init__()
        for name, size in {"unit_size": unit_size, "hidden_size": hidden_size, "n_layers": n_layers}.items():
            check_at_least(f"decoder.{name}", size, 1)
        if not 0 <= dropout < 1:
            raise BadValue("decoder.dropout", dropout, "at least 0 and below 1")
        self.embedding = nn.Embedding(n_units, unit_size)
        widths = [unit_size + sentence_size, *[hidden_size] * (n_layers - 1)]
        self.layers = nn.ModuleList(nn.LSTM(width, hidden_size) for width in widths)
        self.dropout = nn.Dropout(dropout)
        self.hidden_size = hidden_size

    def forward(self, sentences: Tensor, unit_ids: Tensor) -> Tensor:
        """Returns the states of the highest layer, before dropout: `[steps, sentences, hidden_size]`.

        Args:
            sentences: `[sentences, sentence_size]`.
            unit_ids: `[steps, sentences]`; time runs down.
        """
        outputs, _ = self._run(sentences, unit_ids, self.first_states(len(sentences)))
        return outputs

    def first_states(self, n_hypotheses: int) -> PrefixStates:
        """Returns the states before anything is read: zeros."""
        zeros = self.embedding.weight.new_zeros(len(self.layers), n_hypotheses, self.hidden_size)
        return PrefixStates(zeros, zeros)

    def step(self, sentences: Tensor, states: PrefixStates, unit_ids: Tensor) -> PrefixStates:
        """Reads one unit in every hypothesis; returns the states after.

        Args:
            sentences: `[hypotheses, sentence_size]`.
            states: before the units.
            unit_ids: `[hypotheses]`.
        """
        return self._run(sentences, unit_ids[None], states)[1]

    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters; the layers' as the framework does, the units' from a normal distribution."""
        nn.init.normal_(self.embedding.weight, std=UNIT_DEVIATION, generator=generator)
        for layer in self.layers:
            initialise_lstm_evenly(layer, generator)

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
