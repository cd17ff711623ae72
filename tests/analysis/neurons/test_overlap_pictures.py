"""The heat map of neurons in common."""

import numpy as np

from src.analysis.neurons.layer_pictures import overlaps_figure
from src.analysis.neurons.overlaps import overlaps
from src.analysis.pictures.panels import save_figure

ORDERS = {"Case": np.array([0, 1, 2, 3]), "Mood": np.array([0, 2, 4, 5])}
FOUND = overlaps(ORDERS, 2, 10)


def test_cells_are_percent_in_common_and_the_diagonal_is_empty():
    figure = overlaps_figure(FOUND, "tests, ranking weights", ("run-1",))
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["", "50", "50", ""]
    assert axes.get_images()[0].get_clim() == (0, 100)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Case", "Mood"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["Case", "Mood"]


def test_the_title_says_how_many_neurons_and_what_chance_gives():
    title = overlaps_figure(FOUND, "tests, ranking weights", ("run-1",)).get_suptitle()
    assert title.replace("\n", " ") == (
        "Neurons in common: tests, ranking weights the first 2 of 10; by chance 20.0 % (0.0 to 50.0) run-1"
    )


def test_it_is_written_for_screen_and_paper(tmp_path):
    files = save_figure(overlaps_figure(FOUND, "tests", ()), tmp_path / "overlaps")
    assert [file.name for file in files] == ["overlaps.png", "overlaps.pdf"]
