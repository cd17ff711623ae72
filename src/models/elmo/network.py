"""ELMo: words from characters, then a language model in both directions (Peters et al. 2018)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.models.layers.packing import Packing


@dataclass(frozen=True)
class ElmoSizes:
    """Everything about a model but its weights."""

    n_characters: int
    character_size: int
    filters: tuple[tuple[int, int], ...]
    n_highways: int
    activation: str
    """These five: see `CharacterCNN`."""
    n_words: int
    word_size: int
    """Both of the table of whole words; 0 where the model reads characters alone."""
    projection_size: int
    """Width of a word's vector and of a state of one direction."""
    hidden_size: int
    cell_clip: float | None
    projection_clip: float | None
    """These three: see `ProjectedLSTM`."""
    n_layers: int
    """LSTM layers of each direction."""
    is_residual: bool
    """Whether from the second layer on a layer's input is added to its output."""

    @property
    def layer_names(self) -> tuple[str, ...]:
        """The input, each LSTM layer, and the mean of all of these."""
        return ("token", *(f"lstm_{number}" for number in range(1, self.n_layers + 1)), "average")


class ProjectedLSTM(nn.Module):
    """One layer in one direction, for reading, not for training; every sequence starts from zero states.

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


def _clipped(values: Tensor, limit: float | None) -> Tensor:
    return values if limit is None else values.clamp(-limit, limit)


_ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh}
ACTIVATIONS = tuple(_ACTIVATIONS)
