"""What is held while Gram matrices are multiplied, and how often vectors are read."""

import numpy as np
import torch

from polyprobe.analysis.similarity import layers as layers_module
from polyprobe.analysis.similarity import products
from polyprobe.analysis.similarity.all_pairs import all_pairs
from polyprobe.analysis.similarity.half_samples import half_samples
from polyprobe.analysis.similarity.measures import MEASURES
from polyprobe.analysis.similarity.products import group_inner_products
from tests.analysis.similarity.made_layers import made_layers


class CountedReads:
    """A layer that notes which of its items are read."""

    def __init__(self, matrix: np.ndarray):
        self.name, self.n_items, self.width = "counted", *matrix.shape
        self.n_read = np.zeros(len(matrix), int)
        self._matrix = matrix

    def block(self, start: int, stop: int) -> np.ndarray:
        self.n_read[start:stop] += 1
        return self._matrix[start:stop]


def test_each_block_is_read_once(monkeypatch):
    monkeypatch.setattr(layers_module, "BLOCK_ROWS", 30)
    for measure in MEASURES:
        layers = [CountedReads(matrix) for matrix in made_layers(70, (5, 6, 7))]
        all_pairs(layers, measure, 2, 3, 1)
        assert all((layer.n_read == 1).all() for layer in layers), measure


def test_no_more_than_the_buffer_is_held_of_gram_matrices(monkeypatch):
    monkeypatch.setattr(products, "BUFFER_NUMBERS", 50_000)
    samples, held = half_samples(3000, 0, 1), []

    def kernel(layer: int, rows: slice, columns: slice, out: torch.Tensor) -> None:
        held.append(out.numel())
        out.fill_(layer + 1)

    sums = group_inner_products(2, samples, kernel, torch.float32)
    assert 2 * max(held) <= 50_000
    # 32 groups of 96 rows, padding included: 3,072 rows with 3,071 others each.
    assert sums.sum(dim=(0, 1)).tolist() == [[3072 * 3071, 2 * 3072 * 3071], [2 * 3072 * 3071, 4 * 3072 * 3071]]
