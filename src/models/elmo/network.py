"""ELMo: words from characters, then a language model in both directions (Peters et al. 2018)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from src.models.layers.character_cnn import CharacterCNN
from src.models.layers.packing import Packing
from src.models.layers.projected_lstm import ProjectedLSTM


@dataclass(frozen=True)
class ElmoSizes:
    """Everything about a model but its weights.

    Attributes:
        n_characters, character_size, filters, n_highways, activation: see `CharacterCNN`.
        n_words, word_size: of the table of whole words; 0 where the model reads characters alone.
        projection_size: width of a word's vector and of a state of one direction.
        hidden_size, cell_clip, projection_clip: see `ProjectedLSTM`.
        n_layers: LSTM layers of each direction.
        is_residual: whether from the second layer on a layer's input is added to its output.
    """

    n_characters: int
    character_size: int
    filters: tuple[tuple[int, int], ...]
    n_highways: int
    activation: str
    n_words: int
    word_size: int
    projection_size: int
    hidden_size: int
    cell_clip: float | None
    projection_clip: float | None
    n_layers: int
    is_residual: bool

    @property
    def layer_names(self) -> tuple[str, ...]:
        """The input, each LSTM layer, and the mean of all of these."""
        return ("token", *(f"lstm_{number}" for number in range(1, self.n_layers + 1)), "average")


class Elmo(nn.Module):
    """Computes the vectors of words in their sentences, layer by layer; no state is kept between calls.

    The released modules keep the last states of a call and start the next call from them, so that a sentence has other
    vectors the second time; here every sentence starts from zero states.
    """

    def __init__(self, sizes: ElmoSizes):
        super().__init__()
        self.sizes = sizes
        self.character_cnn = CharacterCNN(
            sizes.n_characters, sizes.character_size, sizes.filters, sizes.n_highways, sizes.activation
        )
        self.words = nn.Embedding(sizes.n_words, sizes.word_size) if sizes.word_size else None
        self.projection = nn.Linear(sizes.word_size + self.character_cnn.n_features, sizes.projection_size)
        self.forward_layers = nn.ModuleList(_lstm(sizes) for _ in range(sizes.n_layers))
        self.backward_layers = nn.ModuleList(_lstm(sizes) for _ in range(sizes.n_layers))

    def word_vectors(self, character_ids: Tensor, word_ids: Tensor) -> Tensor:
        """Composes words outside of any sentence.

        Args:
            character_ids: `[words, positions]`.
            word_ids: `[words]`, rows of the table of whole words; ignored if the model has none.

        Returns:
            `[words, projection_size]`.
        """
        features = self.character_cnn(character_ids)
        if self.words is not None:
            features = torch.cat([self.words(word_ids), features], dim=1)
        return self.projection(features)

    def forward(self, word_vectors: Tensor, packing: Packing) -> list[Tensor]:
        """Reads sentences from both ends.

        Args:
            word_vectors: `[cells, projection_size]`, the words of sentence after sentence, marks of its begin and end
                included.
            packing: of the lengths of the sentences.

        Returns:
            For each of `ElmoSizes.layer_names` `[cells, 2 projection_size]`, forward then backward; the input twice.
        """
        rows = word_vectors[packing.cell_of_row].chunk(2)
        directions = [
            self._states(layers, rows_of_direction, packing.sizes)
            for layers, rows_of_direction in zip((self.forward_layers, self.backward_layers), rows, strict=True)
        ]
        layers = [torch.cat([word_vectors, word_vectors], dim=1)]
        for forward, backward in zip(*directions, strict=True):
            states = torch.cat([forward, backward])
            layers.append(states[packing.rows_of_cell].flatten(1))
        return [*layers, torch.stack(layers).mean(dim=0)]

    def _states(self, layers: nn.ModuleList, rows: Tensor, sizes: Sequence[int]) -> list[Tensor]:
        """Returns the states of each layer of one direction, `[cells, projection_size]`, in the order of `rows`."""
        states = []
        for number, layer in enumerate(layers):
            output = layer(rows, sizes)
            # Added outside the layer: its own next step reads the state without it.
            rows = output + rows if number and self.sizes.is_residual else output
            states.append(rows)
        return states


def with_weights(sizes: ElmoSizes, weights: dict[str, Tensor]) -> Elmo:
    """Builds a model around these tensors, none copied, in evaluation mode."""
    with torch.device("meta"):
        model = Elmo(sizes)
    model.load_state_dict(weights, assign=True)
    return model.eval()


def weight_shapes(sizes: ElmoSizes) -> dict[str, tuple[int, ...]]:
    """Returns the name and shape of every tensor of such a model."""
    with torch.device("meta"):
        return {name: tuple(tensor.shape) for name, tensor in Elmo(sizes).state_dict().items()}


def fresh_weights(sizes: ElmoSizes, generator: torch.Generator) -> dict[str, Tensor]:
    """Draws new weights; the initialisation is ours, the papers of the suites do not set one.

    Tables of characters and words are standard normal. All else is uniform within one over the root of the numbers
    that a unit reads, biases like their matrices, as `nn.Linear` starts; forget gates get 1 more.
    """
    shapes, weights = weight_shapes(sizes), {}
    for name, shape in shapes.items():
        if name in ("character_cnn.characters.weight", "words.weight"):
            weights[name] = torch.randn(shape, generator=generator)
        else:
            weights[name] = (2 * torch.rand(shape, generator=generator) - 1) * _n_read(name, shapes) ** -0.5
        if "_layers." in name and name.endswith(".bias"):
            weights[name][sizes.hidden_size : 2 * sizes.hidden_size] += 1
    return weights


def _n_read(name: str, shapes: Mapping[str, tuple[int, ...]]) -> int:
    """Returns the numbers that a unit reads through its row of a matrix; a bias goes with the matrix of its module."""
    module, _, kind = name.rpartition(".")
    if kind == "bias":
        name = f"{module}.weight" if f"{module}.weight" in shapes else f"{module}.input_weight"
    return math.prod(shapes[name][1:])


def _lstm(sizes: ElmoSizes) -> ProjectedLSTM:
    return ProjectedLSTM(
        sizes.projection_size, sizes.hidden_size, sizes.projection_size, sizes.cell_clip, sizes.projection_clip
    )
