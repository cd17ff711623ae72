"""Layers that have something in common, for the tests of this folder."""

import numpy as np

from polyprobe.analysis.similarity.all_pairs import all_pairs
from polyprobe.analysis.similarity.centred_layer import LayerVectors


def made_layers(n_items: int, widths: tuple[int, ...]) -> list[np.ndarray]:
    """Makes layers that share ten directions, far from the origin: float32 `[items, width]` each."""
    generator = np.random.default_rng(n_items)
    shared = generator.standard_normal((n_items, 10))
    mixed = [shared @ generator.standard_normal((10, width)) for width in widths]
    return [(one + generator.standard_normal(one.shape) + 5).astype(np.float32) for one in mixed]


def representations(matrices: list[np.ndarray]) -> list[LayerVectors]:
    return [
        LayerVectors(f"layer {number}", len(matrix), lambda matrix=matrix: matrix)
        for number, matrix in enumerate(matrices)
    ]


def similarity(x: np.ndarray, y: np.ndarray, measure: str) -> float:
    """Returns how alike x is to y, in float64; of a directed measure how well y covers x."""
    matrices = [np.asarray(matrix, np.float64) for matrix in (x, y)]
    return float(all_pairs(representations(matrices), measure, 0, 0, 0).values[0, 1])
