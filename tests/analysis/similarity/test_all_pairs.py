"""All pairs of layers against each pair on its own."""

import numpy as np
import pytest

from src.analysis.similarity.all_pairs import MEASURES, all_pairs
from src.analysis.similarity.centred_layers import NotComparable
from src.analysis.similarity.representation import MatrixRepresentation
from src.errors import UnknownChoice

SYMMETRIC = ("cka", "lincka")


def made_layers(n_items: int, widths: tuple[int, ...]) -> list[np.ndarray]:
    """Makes layers that share ten directions, far from the origin: float32 `[items, width]`."""
    generator = np.random.default_rng(n_items)
    shared = generator.standard_normal((n_items, 10))
    mixed = [shared @ generator.standard_normal((10, width)) for width in widths]
    return [(one + generator.standard_normal(one.shape) + 5).astype(np.float32) for one in mixed]


def representations(matrices: list[np.ndarray]) -> list[MatrixRepresentation]:
    return [
        MatrixRepresentation(f"layer {number}", matrix, np.arange(len(matrix)))
        for number, matrix in enumerate(matrices)
    ]


def unbiased(x: np.ndarray, y: np.ndarray) -> float:
    """Song et al. (2012), equation 5, up to a factor that CKA is free of."""
    first, second = x @ x.T, y @ y.T
    np.fill_diagonal(first, 0)
    np.fill_diagonal(second, 0)
    n = len(x)
    rows = first.sum(axis=0) @ second.sum(axis=0)
    return np.sum(first * second) + first.sum() * second.sum() / (n - 1) / (n - 2) - 2 / (n - 2) * rows


def plain(x: np.ndarray, y: np.ndarray, measure: str) -> float:
    x, y = x.astype(np.float64), y.astype(np.float64)
    if measure == "cka":
        return unbiased(x, y) / np.sqrt(unbiased(x, x) * unbiased(y, y))
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    if measure == "lincka":
        return np.sum((x.T @ y) ** 2) / np.linalg.norm(x.T @ x) / np.linalg.norm(y.T @ y)
    return np.abs((x / x.std(axis=0)).T @ (y / y.std(axis=0)) / len(x)).max(axis=1).mean()


# More columns than items; about as many; far fewer, where covariances cost less than Gram matrices.
@pytest.mark.parametrize(("n_items", "widths"), [(61, (5, 90, 33)), (150, (120, 40, 20)), (3000, (16, 8, 9))])
@pytest.mark.parametrize("measure", MEASURES)
def test_all_pairs_equal_each_pair_on_its_own(measure, n_items, widths):
    matrices = made_layers(n_items, widths)
    found = all_pairs(representations(matrices), measure, 0, 0, 1).values
    expected = [[plain(x, y, measure) for y in matrices] for x in matrices]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_an_unknown_measure_names_the_nearest():
    with pytest.raises(UnknownChoice, match="Did you mean maxcorr"):
        all_pairs(representations(made_layers(20, (3, 4))), "macorr", 0, 0, 1)


def test_layers_of_different_items_are_refused():
    layers = representations([np.ones((20, 3), np.float32), np.ones((21, 3), np.float32)])
    with pytest.raises(NotComparable, match="layer 1 has 21 items, layer 0 20"):
        all_pairs(layers, "cka", 0, 0, 1)


def test_a_layer_that_never_differs_is_refused():
    layers = representations([*made_layers(20, (3,)), np.ones((20, 3), np.float32)])
    with pytest.raises(NotComparable, match="layer 1 has the same vector for all 20 items"):
        all_pairs(layers, "cka", 0, 0, 1)
