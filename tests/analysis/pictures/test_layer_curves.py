import re
from xml.etree import ElementTree

import numpy as np
import pytest

from polyprobe.analysis.comparisons.compare import compare
from polyprobe.analysis.comparisons.neighbouring_layers import compare_layers
from polyprobe.analysis.output.tables import show
from polyprobe.analysis.pictures.curves import layers_figure
from polyprobe.analysis.pictures.heat_maps import confusion_figure, heat_map_figure
from polyprobe.analysis.pictures.panels import svg_text
from polyprobe.analysis.reports.details import draw_confusions
from polyprobe.analysis.reports.finished_run import report_run
from tests.analysis.handmade import as_read, predicted_run, predictions, probing
from tests.analysis.pictures.drawn import legend, lines, marked_with
from tests.analysis.told import pictures

CASE, MOOD = {"0": 0.4, "1": 0.6, "2": 0.5}, {"0": 0.7, "2": 0.8}


@pytest.fixture
def rows(tmp_path):
    """Case at three layers; Mood, whose layer 1 is missing."""
    values = {"Case": CASE, "Mood": MOOD}
    made = [
        probing(test, value, layer=layer, interval_low=value - 0.03, interval_high=value + 0.03)
        for test, by_layer in values.items()
        for layer, value in by_layer.items()
    ]
    return as_read(made, tmp_path)


def texts(axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_a_panel_per_test_has_accuracy_by_layer_in_its_band_and_the_majority(rows):
    case, mood = layers_figure(rows).axes
    assert lines(case)["accuracy"] == ([0, 1, 2], pytest.approx([40, 60, 50]))
    assert lines(mood)["accuracy"] == ([0, 2], pytest.approx([70, 80]))
    assert lines(case)["majority"][1] == [30, 30]
    heights = {round(float(height)) for height in case.collections[0].get_paths()[0].vertices[:, 1]}
    assert heights == {37, 43, 57, 63, 47, 53}
    assert [label.get_text() for label in case.get_xticklabels()] == ["0", "1", "2"]


def test_significant_rises_are_marked_and_explained(rows):
    figure = layers_figure(rows, {"Case": ["1"]})
    marks = [line for line in figure.axes[0].lines if line.get_marker() == "^"]
    assert [(list(mark.get_xdata()), list(mark.get_ydata())) for mark in marks] == [([1], [60])]
    assert legend(figure)[-1] == "better than the previous layer (Holm)"
    assert "better" not in str(legend(layers_figure(rows)))


def test_the_heat_map_has_a_line_per_test_and_a_column_per_layer(rows):
    axes = heat_map_figure(rows).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Case", "Mood"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "1", "2"]
    np.testing.assert_allclose(axes.images[0].get_array().filled(-1), [[40, 60, 50], [70, -1, 80]])
    assert texts(axes) == ["40", "60", "50", "70", "", "80"]


def test_colours_reach_from_the_lowest_baseline_to_the_highest_score(rows):
    axes = heat_map_figure(rows).axes[0]
    assert axes.images[0].get_clim() == pytest.approx((27.5, 82.5))
    (best,) = [text for text in axes.texts if text.get_text() == "80"]
    assert best.get_color() == "black"


def test_baselines_of_each_layer_are_curves(tmp_path):
    made = [probing("Case", 0.5, layer=layer, random=0.4, control=0.1 + int(layer) / 10) for layer in "012"]
    (axes,) = layers_figure(as_read(made, tmp_path)).axes
    (random,), (control,) = (marked_with(axes, marker) for marker in "x+")
    assert list(random.get_ydata()) == pytest.approx([40, 40, 40])
    assert list(control.get_ydata()) == pytest.approx([10, 20, 30])
    assert {"random encoder", "control task"} <= set(lines(axes))
    assert lines(axes)["memoriser"][1] == [35, 35]


def test_a_sentence_embedding_is_a_point_that_no_curve_joins(tmp_path):
    made = [probing("Case", 0.5, layer=layer, random=0.4) for layer in ("layer_0", "layer_1", "sentence_embedding")]
    (axes,) = layers_figure(as_read(made, tmp_path)).axes
    assert lines(axes)["accuracy"][0] == [0, 1]
    assert [list(line.get_xdata()) for line in marked_with(axes, "o")] == [[0, 1], [2]]
    assert [list(line.get_xdata()) for line in marked_with(axes, "x")] == [[0, 1], [2]]


def test_a_picture_inside_a_page_has_the_colour_of_its_text_and_no_style_of_its_own(rows):
    figures = [heat_map_figure(rows) for _ in range(2)]
    for figure in figures:
        figure.suptitle('<script>$a$ & b 0.123456 id="x"')
    first, second = map(svg_text, figures)
    assert first == second
    assert first.count('fill="#000000"') == 2  # numbers of cells that are light on a dark page, too
    assert not {"style", "xlink", "font-family"} & set(re.findall(r"[#\w-]+", first))
    assert "<script>" not in first
    assert '>&lt;script&gt;$a$ &amp; b 0.123456 id="x"</text>' in first
    assert 'stroke="currentColor"' in first
    assert not re.search(r"\d\.\d{3}", re.sub(r">[^<]+<|label=\"[^\"]*", "", first))
    assert ElementTree.fromstring(first).tag.endswith("svg")


def test_confusion_is_in_percent_of_the_gold_label_without_unused_labels():
    labels, gold = np.array(["a", "b", "unused"]), np.array([0, 0, 0, 1])
    said = np.array([[[0, 0, 1, 1], [0, 1, 1, 1]]])
    example = predictions("Case", {"x": [[1] * 4] * 2}, labels=labels, gold=gold, predicted=said)
    figure = confusion_figure(example, "x", "run")
    assert texts(figure.axes[0]) == ["50", "50", "", "100"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a", "b"]
    assert figure.get_suptitle() == "Confusion: Case, layer x\nrun"


@pytest.mark.parametrize(("tests", "drawn"), [(["Case"], ["probing"]), (["Case", "Mood"], ["heat_map", "probing"])])
def test_several_tests_of_three_layers_get_a_heat_map_one_has_its_curve_alone(tmp_path, tests, drawn):
    run = predicted_run(
        tmp_path, "run", *(predictions(test, {"0": [[1, 0]], "1": [[1, 0]], "2": [[1, 0]]}) for test in tests)
    )
    show(report_run(run))
    names = [f"{name}.{ending}" for name in drawn for ending in ("pdf", "png")]
    assert sorted(file.name for file in (run / "pictures").iterdir() if file.suffix in (".pdf", ".png")) == names


def test_confusion_is_drawn_for_the_tests_that_are_named(tmp_path):
    run = predicted_run(tmp_path, "run", *(predictions(test, {"0": [[1, 0]]}) for test in ("Case", "Mood")))
    files = pictures(draw_confusions(tmp_path, "run", ["Mood"]))
    assert files == [run / "pictures" / "confusion-Mood.png", run / "pictures" / "confusion-Mood.pdf"]
    assert len(pictures(draw_confusions(tmp_path, "run:0", None))) == 4


def test_comparisons_say_which_model_it_is(tmp_path, capsys):
    which = {"model": "bert@0123456789ab", "options": "layers=[0,1]"}
    two_layers = predictions("Case", {layer: [[1, 0] * 20] * 2 for layer in "01"})
    for name in "ab":
        predicted_run(tmp_path, name, two_layers, **which)
    show(compare(tmp_path, ["a:0", "b:0"], None))
    assert "first: a, layer 0, bert@0123456789ab, layers=[0,1]; second: b" in capsys.readouterr().out
    show(compare_layers(tmp_path, "a", None))
    assert "Each layer vs. the previous layer (%): a, bert@0123456789ab, layers=[0,1]" in capsys.readouterr().out
