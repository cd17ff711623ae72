"""Sentence encoders as one would write them with torch's modules: padded batches, nothing shared between steps."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from polyprobe.models.sentence_networks.gated_convnet import positions

NO_LOSS = -100


class PlainBiLSTMMax(nn.Module):
    """`nn.LSTM` over padded sentences, packed, longest first; the maximum over real words.

    Without packing the backward direction would read padding first; on a CPU that takes as long.
    """

    def __init__(self, input_size: int, hidden_size: int, n_layers: int, dropout: float):
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, n_layers, dropout=dropout, bidirectional=True, batch_first=True)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Returns `[sentences, 2 hidden_size]`.

        Args:
            vectors: `[sentences, words, input_size]`, longest sentence first.
            lengths: `[sentences]`.
        """
        states, _ = self.lstm(pack_padded_sequence(vectors, lengths, batch_first=True))
        states, _ = pad_packed_sequence(states, batch_first=True, padding_value=-torch.inf)
        return states.max(1).values


class PlainGatedConvNet(nn.Module):
    """`nn.Conv1d` over padded sentences; padding is set to zero before every convolution."""

    def __init__(self, input_size: int, hidden_size: int, n_layers: int, kernel_size: int, dropout: float):
        super().__init__()
        widths = [input_size, *[hidden_size] * (n_layers - 1)]
        self.layers = nn.ModuleList(
            nn.Conv1d(width, 2 * hidden_size, kernel_size, padding=kernel_size // 2) for width in widths
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Returns `[sentences, hidden_size]`.

        Args:
            vectors: `[sentences, words, input_size]`.
            lengths: `[sentences]`.
        """
        is_real = (torch.arange(vectors.shape[1]) < lengths[:, None])[:, None]
        features = (vectors + positions(*vectors.shape[1:], vectors.device)).transpose(1, 2) * is_real
        for layer in self.layers:
            gated = F.glu(layer(self.dropout(features)), dim=1)
            summed = (gated + features) * 0.5**0.5 if gated.shape == features.shape else gated
            features = summed * is_real
        return features.masked_fill(~is_real, -torch.inf).max(2).values


class PlainDecoder(nn.Module):
    """Embedding joined with the sentence's vector at every step, `nn.LSTM`, linear layer, cross-entropy."""

    def __init__(
        self, sentence_size: int, n_units: int, unit_size: int, hidden_size: int, n_layers: int, dropout: float
    ):
        super().__init__()
        self.embedding, self.dropout = nn.Embedding(n_units, unit_size), nn.Dropout(dropout)
        self.lstm = nn.LSTM(unit_size + sentence_size, hidden_size, n_layers, dropout=dropout)
        self.output = nn.Linear(hidden_size, n_units)
        self.loss = nn.CrossEntropyLoss(ignore_index=NO_LOSS)

    def forward(self, sentences: Tensor, previous_ids: Tensor, next_ids: Tensor) -> Tensor:
        """Returns the mean surprisal in nats.

        Args:
            sentences: `[sentences, sentence_size]`.
            previous_ids, next_ids: `[steps, sentences]`, `NO_LOSS` at padding.
        """
        units = self.dropout(self.embedding(previous_ids))
        states, _ = self.lstm(torch.cat([units, sentences.expand(len(units), -1, -1)], dim=2))
        return self.loss(self.output(self.dropout(states)).flatten(0, 1), next_ids.flatten())
