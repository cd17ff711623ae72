"""Pictures of top neurons: by layer, what their bars, marks and cells say; the heat map of those in common."""

import numpy as np
import pytest

from polyprobe.analysis.neurons.layer_pictures import (
    layer_numbers_figure,
    layer_shares_figure,
    layers_by_epoch_figure,
    overlaps_figure,
)
from polyprobe.analysis.neurons.top_neurons import MASS, NUMBER, overlaps
from polyprobe.analysis.pictures.panels import save_figure
from tests.analysis.neurons.counted import counted_test
from tests.analysis.pictures.drawn import legend, lines, marked_with

CASE = counted_test("Case", mass=[1, 1, 2], number=[6, 2, 0], control=[2, 2, 4])
MOOD = counted_test("Mood", mass=[0, 0, 5], number=[1, 3, 4])
SAID = ("transformer tiny", "run-1")


def heights(axes) -> list[list[float]]:
    return [[bar.get_height() for bar in of_meaning] for of_meaning in axes.containers]


def x_names(axes) -> list[str]:
    return [label.get_text() for label in axes.get_xticklabels()]


def texts(axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_bars_are_percent_of_the_top_neurons_by_both_meanings():
    case, mood = layer_shares_figure([CASE, MOOD], SAID).axes
    assert heights(case) == [[25, 25, 50], [75, 25, 0]]
    assert heights(mood) == [[0, 0, 100], [12.5, 37.5, 50]]
    assert (case.get_title(), x_names(case)) == ("Case\n4 by mass, 8 by number", ["embeddings", "1", "2"])


def test_the_control_task_is_marked_and_the_line_is_what_chance_gives():
    figure = layer_shares_figure([MOOD, CASE], SAID)
    mood, case = figure.axes
    assert [list(mark.get_ydata()) for mark in marked_with(case, "D")] == [[25, 25, 50]] * 2
    assert marked_with(mood, "D") == []
    assert lines(case)["chance level"][1][1:-1] == [25, 25, 50]
    assert figure.get_suptitle() == "Top neurons by layer\ntransformer tiny\nrun-1"
    assert sorted(legend(figure)) == [
        "95 % range of random draws",
        "chance level",
        "control task",
        "top 20 % of the neurons",
        "top 20 % of the weight mass",
    ]


def test_a_thin_line_is_the_range_of_even_draws():
    (axes,) = layer_shares_figure([CASE], SAID).axes
    by_mass = axes.collections[0].get_segments()
    # Of 4 neurons drawn from 40, 0 to 3 lie in a layer of 10; of all 91,390 draws, 210 have all 4 there.
    assert [segment[:, 1].tolist() for segment in by_mass][:2] == [[0, 75]] * 2


def test_numbers_have_a_line_per_test_and_panels_for_meanings_and_the_control_task():
    figure = layer_numbers_figure([CASE, MOOD], SAID)
    of_mass, control, of_number, _ = figure.axes[:4]
    assert texts(of_mass) == ["1", "1", "2", "0", "0", "5"]
    assert texts(control) == ["2", "2", "4", "", "", ""]
    assert texts(of_number) == ["6", "2", "0", "1", "3", "4"]
    np.testing.assert_allclose(of_number.images[0].get_array(), [[75, 25, 0], [12.5, 37.5, 50]])
    assert control.get_title() == "control task, 20 % of the weight mass"
    assert x_names(of_number) == ["embeddings", "1", "2"]


def test_without_control_tasks_there_are_two_panels_and_the_bar_of_colours():
    assert len(layer_numbers_figure([MOOD], SAID).axes) == 3


def test_names_stay_when_a_picture_is_saved(tmp_path):
    figure = layer_numbers_figure([CASE, MOOD], SAID)
    save_figure(figure, tmp_path / "layers")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["Case", "Mood"]


def test_epochs_stand_side_by_side_and_a_missing_one_is_empty():
    tests = [
        counted_test("Case", [4, 0, 0], [4, 2, 2], epoch=2),
        counted_test("Case", [1, 1, 2], [8, 0, 0], epoch=0),
        counted_test("Mood", [1, 1, 2], [0, 8, 0], epoch=2),
    ]
    case, mood, _ = layers_by_epoch_figure(tests, NUMBER, SAID).axes
    np.testing.assert_allclose(case.images[0].get_array(), [[100, 50], [0, 25], [0, 25]])
    np.testing.assert_allclose(mood.images[0].get_array().filled(-1), [[-1, 0], [-1, 100], [-1, 0]])
    assert x_names(case) == ["0", "2"]
    assert texts(case) == ["100", "50", "0", "25", "0", "25"]
    assert case.get_ylim() == (-0.5, 2.5)


def test_many_epochs_are_drawn_without_numbers():
    tests = [counted_test("Case", [1, 1, 2], [8, 0, 0], epoch=epoch) for epoch in range(40)]
    axes = layers_by_epoch_figure(tests, MASS, SAID).axes[0]
    assert texts(axes) == []
    assert x_names(axes) == [str(epoch) for epoch in range(0, 40, 5)]


@pytest.mark.parametrize("drawn", [layer_shares_figure, layer_numbers_figure])
def test_pictures_are_written_for_screen_and_paper(drawn, tmp_path):
    files = save_figure(drawn([CASE], SAID), tmp_path / "new" / "layers")
    assert [file.name for file in files] == ["layers.png", "layers.pdf"]


def test_the_picture_of_epochs_is_written(tmp_path):
    assert all(file.is_file() for file in save_figure(layers_by_epoch_figure([CASE], MASS, SAID), tmp_path / "epochs"))


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
        "Neurons in common: tests, ranking weights the first 2 of 10; chance level 20.0 % (0.0 to 50.0) run-1"
    )


def test_it_is_written_for_screen_and_paper(tmp_path):
    files = save_figure(overlaps_figure(FOUND, "tests", ()), tmp_path / "overlaps")
    assert [file.name for file in files] == ["overlaps.png", "overlaps.pdf"]
