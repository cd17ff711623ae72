"""The decoder of Conneau et al. 2018: an LSTM that sees the vector of the sentence at every step, without attention."""

from torch import Tensor

from src.models.decoders.decoder import EncodedSentences
from src.models.decoders.unit_decoder import UnitDecoder


class LSTMDecoder(UnitDecoder):
    """Generates units from the vector of a sentence alone.

    The article gives 2 layers of 512 and that the vector is read at every step. It gives neither the first states, here
    zeros, nor the width of a unit's vector, here a key.

    Args:
        sentence_size: width of the vector of a sentence.
        state_size: width of the state of a word, which this decoder does not read.
        n_units, unit_size, hidden_size, n_layers, dropout: see `UnitDecoder`.
    """

    def __init__(
        self,
        sentence_size: int,
        state_size: int,
        n_units: int,
        unit_size: int,
        hidden_size: int,
        n_layers: int,
        dropout: float,
    ):
        super().__init__(sentence_size, n_units, unit_size, hidden_size, n_layers, dropout)

    def predicting(self, states: Tensor, encoded: EncodedSentences, sentence_ids: Tensor) -> Tensor:
        return states
