"""Layers that have something in common, for the tests of this folder."""

import numpy as np

from polyprobe.analysis.similarity.layers import MatrixRepresentation


def made_layers(n_items: int, widths: tuple[int, ...]) -> list[np.ndarray]:
    """Makes layers that share ten directions, far from the origin: float32 `[items, width]` each."""
    generator = np.random.default_rng(n_items)
    shared = generator.standard_normal((n_items, 10))
    mixed = [shared @ generator.standard_normal((10, width)) for width in widths]
    return [(one + generator.standard_normal(one.shape) + 5).astype(np.float32) for one in mixed]


def representations(matrices: list[np.ndarray]) -> list[MatrixRepresentation]:
    return [
        MatrixRepresentation(f"layer {number}", matrix, np.arange(len(matrix)))
        for number, matrix in enumerate(matrices)
    ]
