"""Draws correlations: a panel per language, a line per test, a column per task."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from src.analysis.correlations.coefficients import Correlation, Levels, Matrix, by_language, coefficient
from src.analysis.pictures.panels import new_figure, write_title

COLOUR_MAP = "PuOr"  # zero is white; both ends are distinguished by readers with any colour vision
DARK = 0.65  # beyond it, white letters are readable
GREY, DARK_GREY = "#e4e4e4", "#6e6e6e"  # of coefficients that are not significant, and of their numbers
PANELS_ABREAST = 3


def correlation_figure(rows: Iterable[Correlation], levels: Levels) -> Figure:
    """Draws every coefficient, with a mark where its p-value is below a level.

    With a correction, those that do not survive it are grey (Conneau et al. 2018, Figure 2).
    """
    languages = by_language(rows)
    n_lines = math.ceil(len(languages) / PANELS_ABREAST)
    n_columns = math.ceil(len(languages) / n_lines)
    matrices = [Matrix.of(of_language) for of_language in languages.values()]
    figure = _figure(matrices, n_lines, n_columns)
    panels = figure.subplots(n_lines, n_columns, squeeze=False).flatten()
    for unused in panels[len(matrices) :]:
        unused.remove()
    for panel, language, matrix in zip(panels, languages, matrices, strict=False):
        image = _draw_matrix(panel, matrix, levels)
        panel.set_title(language)
    figure.colorbar(image, ax=panels[: len(matrices)].tolist(), label="Spearman's rho")
    grey = "" if levels.correction is None else "; grey: not so"
    write_title(figure, "Probing scores and downstream scores over encoders", f"{levels.in_words()}{grey}")
    return figure


def _figure(matrices: Sequence[Matrix], n_lines: int, n_columns: int) -> Figure:
    most_tests = max(len(matrix.tests) for matrix in matrices)
    most_tasks = max(len(matrix.tasks) for matrix in matrices)
    width, height = 1.4 + 0.62 * most_tasks, 0.9 + 0.3 * most_tests
    return new_figure(max(5.5, n_columns * width + 1.2), n_lines * height + 0.7)


def _draw_matrix(axes: Axes, matrix: Matrix, levels: Levels) -> AxesImage:
    lines = [matrix.of_test(test) for test in matrix.tests]
    values = np.array([[np.nan if row is None else row.spearman for row in line] for line in lines])
    is_grey = np.array([[_is_grey(row, levels) for row in line] for line in lines])
    axes.imshow(np.where(is_grey, 1.0, np.nan), cmap=ListedColormap([GREY]), aspect="auto")
    image = axes.imshow(np.where(is_grey, np.nan, values), vmin=-1, vmax=1, cmap=COLOUR_MAP, aspect="auto")
    for (line, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            row = lines[line][column]
            colour = DARK_GREY if is_grey[line, column] else "white" if abs(value) > DARK else "black"
            words = f"{coefficient(row)}{levels.mark(row)}"
            axes.text(column, line, words, ha="center", va="center", color=colour, fontsize=7)
    axes.set_yticks(range(len(matrix.tests)), matrix.tests, fontsize=8)
    axes.set_xticks(range(len(matrix.tasks)), matrix.tasks, fontsize=8)
    return image


def _is_grey(row: Correlation | None, levels: Levels) -> bool:
    if row is None or np.isnan(row.spearman) or levels.correction is None:
        return False
    return not levels.is_significant(row)
