"""Words composed from their characters by convolutions and highway layers, as in ELMo (Peters et al. 2018)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

_ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh}
ACTIVATIONS = tuple(_ACTIVATIONS)


class CharacterCNN(nn.Module):
    """Composes a vector of `n_features` numbers from the characters of a word.

        characters -> vectors -> for each width: convolution without padding, maximum over positions, activation
        -> all concatenated -> highway layers

    Args:
        n_characters: rows of the character table; padding has a row, too, and takes part like any character.
        character_size: width of a character's vector.
        filters: (width in characters, number of features), in the order of the features.
        n_highways: highway layers.
        activation: one of `ACTIVATIONS`, after the maximum; highways always use relu.
    """

    def __init__(
        self,
        n_characters: int,
        character_size: int,
        filters: Sequence[tuple[int, int]],
        n_highways: int,
        activation: str,
    ):
        super().__init__()
        self.characters = nn.Embedding(n_characters, character_size)
        self.convolutions = nn.ModuleList(nn.Conv1d(character_size, count, width) for width, count in filters)
        self.n_features = sum(count for _, count in filters)
        self.widest = max(width for width, _ in filters)
        self.highways = nn.ModuleList(nn.Linear(self.n_features, 2 * self.n_features) for _ in range(n_highways))
        self._activate = _ACTIVATIONS[activation]

    def forward(self, character_ids: Tensor) -> Tensor:
        """Returns `[words, n_features]`.

        Args:
            character_ids: `[words, positions]`, at least `widest` positions.
        """
        vectors = self.characters(character_ids).transpose(1, 2)
        maxima = [convolution(vectors).amax(dim=2) for convolution in self.convolutions]
        features = self._activate(torch.cat(maxima, dim=1))
        for highway in self.highways:
            candidate, gate = highway(features).chunk(2, dim=1)
            features = torch.lerp(torch.relu(candidate), features, torch.sigmoid(gate))
        return features
