"""The matrix of coefficients, with and without a correction."""

import math

import numpy as np

from polyprobe.analysis.correlations.coefficients import Correlation, Levels
from polyprobe.analysis.correlations.downstream import DARK_GREY, correlation_figure

NAN = math.nan
ROWS = [
    Correlation("en", "WC", "MR", 0.7, 0.01, 0.03, 0.03, 0.03, NAN, NAN, NAN, NAN, n=12),
    Correlation("en", "WC", "CR", 0.5, 0.04, 0.12, 0.08, 0.06, NAN, NAN, NAN, NAN, n=12),
    Correlation("en", "SOMO", "MR", NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, n=12),
]


def drawn(correction: str | None):
    """Returns the title, which cells are grey, the coloured values and the words of the matrix."""
    figure = correlation_figure(ROWS, Levels(correction))
    axes = figure.axes[0]
    grey, coloured = (np.ma.filled(image.get_array(), np.nan) for image in axes.get_images())
    words = {text.get_text(): text.get_color() for text in axes.texts}
    return figure.get_suptitle(), ~np.isnan(grey), coloured, words


def test_without_a_correction_every_coefficient_has_its_colour_and_its_mark():
    title, is_grey, coloured, words = drawn(None)
    assert not is_grey.any()
    assert np.array_equal(coloured, [[0.7, 0.5], [np.nan, np.nan]], equal_nan=True)
    assert list(words) == ["0.70**", "0.50**"]
    assert "not corrected" in title.replace("\n", " ")


def test_with_a_correction_what_does_not_survive_it_is_grey():
    title, is_grey, coloured, words = drawn("holm")
    assert is_grey.tolist() == [[False, True], [False, False]]
    assert np.array_equal(coloured, [[0.7, np.nan], [np.nan, np.nan]], equal_nan=True)
    assert words == {"0.70*": "white", "0.50": DARK_GREY}
    assert "after the correction of Holm; grey: not significant" in title.replace("\n", " ")
