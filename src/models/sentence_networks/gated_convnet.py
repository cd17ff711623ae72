"""The gated convolutional network of Conneau et al. 2018, after Dauphin et al. 2017 and Gehring et al. 2017."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import torch
from torch import Tensor, nn

from polyprobe.errors import BadValue
from polyprobe.models.inputs.word_batch import WordBatch
from polyprobe.models.layers.full_precision import widened
from polyprobe.models.layers.shared_dropout import DropShare
from polyprobe.models.sentence_networks.sentence_network import max_over_time, mean_over_time
from polyprobe.section import AboveZero, Count, checked

POSITION_SCALE = 0.1
"""Root of the mean square of a position's numbers, as Gehring et al. draw those that they learn."""

LONGEST_WAVE = 10_000
"""Over 2 pi, in words (Vaswani et al. 2017)."""

_POOLINGS: dict[str, Callable[[Tensor, Sequence[int]], Tensor]] = {"max": max_over_time, "mean": mean_over_time}


class GatedConvNet(nn.Module):
    """Stacks convolutions over words, one half gated by the sigmoid of the other (gated linear units).

        vector of a word + sines of its position
        -> for each layer: dropout -> convolution to twice the width -> a * s(b) -> plus its input, times root 1/2
        -> maximum or mean over the words

    The article gives 8 layers of 512, kernel 3, gates, positional encodings, the maximum, and 12M parameters: a first
    layer that reads 300 numbers and seven that read 512 have 11.9M. It does not say, and we assume: positions are
    fixed sines, so that no sentence is too long; a layer's input is added to its output where the widths agree, as in
    both earlier articles; before the first word and after the last stand zeros; weights are drawn as by Gehring et al.,
    which keeps the variance through the gates.

    For its positions the article cites Sukhbaatar et al. 2015, who multiply the numbers of a word's vector by weights
    that depend on its place and the length of the sentence, and add learned vectors of places in time. We add sines.

    Gehring et al. draw the vectors of words with deviation 0.1, and positions and weights fit that. Frozen vectors may
    be ten times as large: positions then drown, and the maximum over words is so large that a classifier's tanh units
    are saturated. So they are brought to `input_rms` first (`input_scale`).

    Args:
        input_size: width of the vector of a word.
        hidden_size: feature maps of every layer.
        n_layers: convolutions.
        kernel_size: words that a convolution sees, odd.
        dropout: share of the numbers that is dropped before each convolution, in training.
        pooling: "max" or "mean" over the words of a sentence.
        input_rms: root mean square to which frozen vectors are brought; None leaves them as they are, as all networks
            were trained whose checkpoints do not say it.
    """

    @checked("model.encoder")
    def __init__(
        self,
        input_size: int,
        hidden_size: Count,
        n_layers: Count,
        kernel_size: Count,
        dropout: DropShare,
        pooling: Literal[*_POOLINGS],
        input_rms: AboveZero | None = None,
    ):
        super().__init__()
        if kernel_size % 2 == 0:
            raise BadValue("model.encoder.kernel_size", kernel_size, "odd")
        self.input_rms = input_rms
        self.state_width = self.width = hidden_size
        widths = [input_size, *[hidden_size] * (n_layers - 1)]
        self.layers = nn.ModuleList(
            nn.Conv1d(width, 2 * hidden_size, kernel_size, padding=kernel_size // 2) for width in widths
        )
        self.gates = nn.GLU(dim=1)
        self.margin = kernel_size // 2
        self.dropout = nn.Dropout(dropout)
        self._pool = _POOLINGS[pooling]

    def states(self, vectors: Tensor, words: WordBatch) -> Tensor:
        """Returns the features of the highest layer at every word: `[cells, state_width]`.

        Args:
            vectors: `[distinct inputs, input_size]`.
        """
        if vectors.is_cpu and not torch.is_autocast_enabled("cpu"):
            return self._in_rows(widened(vectors), words)
        return self._padded(vectors, words)

    def pooled(self, states: Tensor, words: WordBatch) -> Tensor:
        """Returns the maximum or the mean over the words of each sentence: `[sentences, width]`."""
        return self._pool(states, words.lengths)

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draws all parameters: weights from a normal distribution of variance 4 (1 - dropout) / inputs, biases 0."""
        for layer in self.layers:
            n_inputs = layer.in_channels * layer.kernel_size[0]
            deviation = (4 * (1 - self.dropout.p) / n_inputs) ** 0.5
            nn.init.normal_(layer.weight, std=deviation, generator=generator)
            nn.init.zeros_(layer.bias)

    def _in_rows(self, vectors: Tensor, words: WordBatch) -> Tensor:
        """Returns the states without padding but for the zeros that stand between two sentences."""
        lengths = torch.tensor(words.lengths)
        sentence_of_cell = torch.arange(len(lengths)).repeat_interleave(lengths)
        row_of_cell = torch.arange(len(sentence_of_cell)) + sentence_of_cell * self.margin
        n_rows = len(row_of_cell) + (len(lengths) - 1) * self.margin
        kept = vectors.new_zeros(n_rows, 1).index_fill(0, row_of_cell, 1.0)
        times = torch.arange(len(row_of_cell)) - (lengths.cumsum(0) - lengths)[sentence_of_cell]
        places = positions(max(words.lengths), vectors.shape[1], vectors.device)
        cells = vectors.index_select(0, words.input_of_cell) + places.index_select(0, times)
        features = vectors.new_zeros(n_rows, cells.shape[1]).index_copy(0, row_of_cell, cells)
        for layer in self.layers:
            gated = self.gates(row_convolution(self.dropout(features), layer.weight, layer.bias))
            features = _with_input(gated, features, kept)
        return features.index_select(0, row_of_cell)

    def _padded(self, vectors: Tensor, words: WordBatch) -> Tensor:
        """Returns the states by `nn.Conv1d` over padded sentences."""
        sizes = torch.tensor(words.lengths, device=vectors.device)
        times = torch.arange(max(words.lengths), device=vectors.device)
        is_real = times < sizes[:, None]
        padded = vectors.new_zeros(*is_real.shape, vectors.shape[1])
        padded[is_real] = vectors.index_select(0, words.input_of_cell)
        kept = is_real[:, None].to(vectors.dtype)
        features = (padded + positions(len(times), vectors.shape[1], vectors.device)).transpose(1, 2) * kept
        for layer in self.layers:
            features = _with_input(self.gates(layer(self.dropout(features))), features, kept)
        return features.transpose(1, 2)[is_real]


def _with_input(gated: Tensor, features: Tensor, kept: Tensor) -> Tensor:
    """Adds the input of a layer to its output.

    Args:
        gated, features: output and input of the layer.
        kept: 1 at words, 0 at padding: what a convolution writes there must not be read by the next.
    """
    if gated.shape != features.shape:
        return gated * kept
    return (gated + features) * (kept * 0.5**0.5)


def positions(n_words: int, width: int, device: torch.device) -> Tensor:
    """Returns sines and, from the middle on, cosines of the positions from 0 in waves of rising length.

    Returns:
        `[n_words, width]`.
    """
    n_waves = (width + 1) // 2
    rates = LONGEST_WAVE ** -(torch.arange(n_waves, device=device) / n_waves)
    angles = torch.arange(n_words, device=device)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)[:, :width] * (POSITION_SCALE * 2**0.5)


def row_convolution(rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Returns what `F.conv1d` would for one sequence between zeros, without moving numbers to another layout.

    Several sequences are convolved at once if as many rows of zeros lie between them as half of the kernel covers.

    Args:
        rows: `[rows, channels]`.
        weight: `[outputs, channels, kernel]`, as of `nn.Conv1d`; the kernel is odd.
        bias: `[outputs]`.

    Returns:
        `[rows, outputs]`.
    """
    return _RowConvolution.apply(rows, weight, bias)


class _RowConvolution(torch.autograd.Function):
    """One product for each place of the kernel, added where the shifted rows overlap."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        places = weight.permute(2, 0, 1).contiguous()  # [kernel, outputs, channels]
        outputs = bias.repeat(len(rows), 1)
        for place, read, written in _overlaps(len(rows), len(places)):
            outputs[written].addmm_(rows[read], places[place].t())
        ctx.save_for_backward(rows, places)
        return outputs

    @staticmethod
    def backward(ctx: Any, by_output: Tensor) -> tuple[Tensor | None, Tensor, Tensor]:
        rows, places = ctx.saved_tensors
        by_row = torch.zeros_like(rows) if ctx.needs_input_grad[0] else None
        by_place = torch.zeros_like(places)
        for place, read, written in _overlaps(len(rows), len(places)):
            if by_row is not None:
                by_row[read].addmm_(by_output[written], places[place])
            torch.mm(by_output[written].t(), rows[read], out=by_place[place])
        return by_row, by_place.permute(1, 2, 0), by_output.sum(0)


def _overlaps(n_rows: int, kernel_size: int) -> Iterator[tuple[int, slice, slice]]:
    """Yields each place of the kernel with the rows that are read there and those that are written."""
    for place in range(kernel_size):
        shift = place - kernel_size // 2
        if abs(shift) < n_rows:
            read = slice(max(0, shift), n_rows + min(0, shift))
            yield place, read, slice(max(0, -shift), n_rows - max(0, shift))
