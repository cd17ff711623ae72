"""Pictures of top neurons: by layer, what their bars, marks and cells say."""

import numpy as np

from polyprobe.analysis.neurons.layer_pictures import (
    layer_figures,
    layer_shares_figure,
    layers_by_epoch_figure,
)
from polyprobe.analysis.neurons.top_neurons import CONTROL, TEST, LayerCountRow, layer_count_rows
from polyprobe.analysis.output.tables import write_records
from polyprobe.runs.directory import RunDirectory
from tests.analysis.handmade import as_read
from tests.analysis.neurons.counted import counted_test
from tests.analysis.neurons.neuron_rows import row
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


def test_pictures_are_drawn_of_what_a_run_has_written(tmp_path):
    as_read([], tmp_path / "run")
    written = [
        line
        for epoch, one in enumerate((CASE, MOOD))
        for task, of_task in ((TEST, one.of_test), (CONTROL, one.of_control))
        for counts in of_task.values()
        for line in layer_count_rows(counts, ("=Case", epoch, task), "weights", [])
    ]
    write_records(tmp_path / "run" / "layers.csv", LayerCountRow, written)
    figures = dict(layer_figures(RunDirectory(tmp_path / "run"), [row()]))
    assert list(figures) == ["layer_shares", "layers_by_epoch"]
    (last,) = figures["layer_shares"].axes
    assert heights(last) == [[0, 0, 100], [12.5, 37.5, 50]]
    assert last.get_title().startswith("=Case\n")


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


def test_epochs_stand_side_by_side_and_a_missing_one_is_empty():
    tests = [
        counted_test("Case", [4, 2, 2], [4, 0, 0], epoch=2),
        counted_test("Case", [8, 0, 0], [1, 1, 2], epoch=0),
        counted_test("Mood", [0, 8, 0], [1, 1, 2], epoch=2),
    ]
    case, mood, _ = layers_by_epoch_figure(tests, SAID).axes
    np.testing.assert_allclose(case.images[0].get_array(), [[100, 50], [0, 25], [0, 25]])
    np.testing.assert_allclose(mood.images[0].get_array().filled(-1), [[-1, 0], [-1, 100], [-1, 0]])
    assert x_names(case) == ["0", "2"]
    assert texts(case) == ["100", "50", "0", "25", "0", "25"]
    assert case.get_ylim() == (-0.5, 2.5)
