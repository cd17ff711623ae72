import numpy as np
import pytest

from polyprobe.analysis.pictures.curves import epochs_figure, layers_figure, training_figure
from polyprobe.analysis.pictures.heat_maps import confusion_figure, heat_map_figure
from polyprobe.analysis.pictures.of_run import marks_figure, probing_figure
from polyprobe.analysis.pictures.panels import limits, new_figure, save_figure
from tests.analysis.handmade import PROBING, TRAINING, as_read, predictions, probing, probing_run, training_run
from tests.analysis.pictures.drawn import legend, lines, marked_with


def test_a_panel_per_test_has_accuracy_majority_and_downstream_score_by_epoch(tmp_path):
    figure = epochs_figure(as_read(probing_run(), tmp_path))
    assert [panel.get_title() for panel in figure.axes] == ["Case", "CharacterBin"]
    drawn = lines(figure.axes[0])
    assert drawn["layer encoding"] == ([0, 8], [50, 80])
    assert drawn["majority"][1] == [30, 30]
    assert drawn["memoriser"][1] == [35, 35]
    assert drawn["downstream dev role F1"] == ([0, 8], [2, 60])


def test_the_interval_is_a_band(tmp_path):
    (band,) = epochs_figure(as_read(probing_run(), tmp_path)).axes[0].collections
    heights = {round(float(height), 6) for height in band.get_paths()[0].vertices[:, 1]}
    assert heights == {47, 53, 77, 83}


def test_the_title_names_the_model_and_its_options_and_is_as_wide_as_the_picture(tmp_path):
    which = {"model": "bert-base@0123456789ab", "options": " ".join(f"option_{number}=true" for number in range(9))}
    rows = [probing("Case", 0.5, epoch=0, **which)]
    first, *lines = epochs_figure(as_read(rows, tmp_path)).get_suptitle().splitlines()
    assert first == "Probing by epoch: lang=fi, linspector_type"
    assert lines == [
        "bert-base@0123456789ab, option_0=true option_1=true",
        "option_2=true option_3=true option_4=true option_5=true …",
        PROBING,
    ]


def test_a_test_of_few_items_says_so_in_its_title(tmp_path):
    (panel,) = epochs_figure(as_read([probing("Voice", 0.5, n=12, epoch=0)], tmp_path)).axes
    assert panel.get_title() == "Voice (n=12)"


def test_without_epochs_each_test_and_layer_has_a_mark_and_the_baselines_stand_beside(tmp_path):
    values = {("Case", "0"): 0.4, ("Case", "1"): 0.5, ("Mood", "0"): 0.6, ("Mood", "1"): 0.7}
    rows = [probing(test, value, layer=layer) for (test, layer), value in values.items()]
    figure = marks_figure(as_read(rows, tmp_path))
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Case", "Mood"]
    assert [lines(axes)[name][0] for name in ("layer 0", "layer 1")] == [[40, 60], [50, 70]]
    assert [lines(axes)[name][0] for name in ("majority", "memoriser")] == [[30, 30], [35, 35]]
    assert legend(figure) == ["layer 0", "layer 1", "majority", "memoriser"]


BESIDE = {"random": 0.2, "control": 0.1}


@pytest.mark.parametrize(("draw", "place"), [(epochs_figure, 0), (marks_figure, 1)])
def test_random_encoder_and_control_task_stand_at_the_layer_that_they_are_of(tmp_path, draw, place):
    epoch = {"epoch": 2} if draw is epochs_figure else {}
    (axes,) = draw(as_read([probing("Case", 0.5, **BESIDE, **epoch)], tmp_path)).axes
    drawn = [(line.get_xdata(), line.get_ydata()) for marker in "ox+" for line in marked_with(axes, marker)]
    assert [list(points[1 - place]) for points in drawn] == [[50], [20], [10]]
    assert len({tuple(points[place]) for points in drawn}) == 1
    assert {"random encoder", "control task"} <= set(lines(axes))


@pytest.mark.parametrize(("draw", "ends"), [(epochs_figure, "get_ylim"), (marks_figure, "get_xlim")])
def test_the_axis_reaches_from_the_lowest_baseline_to_the_highest_interval(tmp_path, draw, ends):
    epoch = {"epoch": 2} if draw is epochs_figure else {}
    row = probing("Case", 0.7, interval_low=0.65, interval_high=0.8, **BESIDE, **epoch)
    rows = as_read([row], tmp_path)
    assert getattr(draw(rows).axes[0], ends)() == pytest.approx((6.5, 83.5))  # 5 % more on either side


def test_a_training_run_shows_its_dev_scores_the_best_epoch_and_its_probes(tmp_path):
    probes = [probing("Case", value, epoch=epoch, seed=1) for epoch, value in enumerate((0.3, 0.5, 0.6))]
    figure = training_figure(as_read(training_run() + probes, tmp_path, TRAINING))
    drawn = lines(figure.axes[0])
    assert drawn["dev role F1"] == ([0, 1, 2], [1, 64, 60])
    assert drawn["dev semantic F1"] == ([0, 1, 2], [40, 80, 70])
    assert drawn["best: 64.0, epoch 1"] == ([1], [64])
    assert drawn["probe Case, layer encoding"] == ([0, 1, 2], [30, 50, 60])


@pytest.mark.parametrize(("draw", "run"), [(probing_figure, probing_run), (training_figure, training_run)])
def test_pictures_are_written_for_screen_and_paper(tmp_path, draw, run):
    files = save_figure(draw(as_read(run(), tmp_path)), tmp_path / "pictures" / "curves")
    assert [file.name for file in files] == ["curves.png", "curves.pdf"]
    assert files[0].read_bytes().startswith(b"\x89PNG")
    assert files[1].read_bytes().startswith(b"%PDF")
    assert len(list((tmp_path / "pictures").iterdir())) == 2


ODD_NAMES = [
    "$x$ and $\\frac$",
    "a_$b^$",
    "a\x1b[2Jb",
    "two\nlines",
    "格の名前",
    "\u202eX",
    "x\0y",
    "_hidden",
    "\\",
    "{}%s",
    "x" * 215,
]


@pytest.mark.filterwarnings("error")
def test_names_of_any_kind_are_text_in_every_picture(tmp_path):
    rows = [probing(name, 0.5, layer=layer, encoder=name) for name in ODD_NAMES for layer in ODD_NAMES[:3]]
    rows = as_read(rows, tmp_path, ODD_NAMES[0])
    files = save_figure(heat_map_figure(rows), tmp_path / "heat_map")
    files += save_figure(layers_figure(rows, {}), tmp_path / "layers")
    right = {ODD_NAMES[0]: [[1, 0] * len(ODD_NAMES)]}
    confused = predictions(ODD_NAMES[0], right, labels=np.array(ODD_NAMES))
    files += save_figure(confusion_figure(confused, ODD_NAMES[0], f"run {ODD_NAMES[0]}"), tmp_path / "confusion")
    assert len(files) == 6


def test_what_would_steer_is_written_escaped(tmp_path):
    figure = new_figure(3, 2)
    figure.suptitle("a\x1b[2J\u202e\nb")
    figure.add_subplot().set_yticks([0, 1], ["a\x1b[2J", "x" * 215])
    save_figure(figure, tmp_path / "picture")
    assert figure.get_suptitle() == "a\\x1b[2J\\u202e\nb"
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a\\x1b[2J", "x" * 59 + "…"]


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([30, 70], (28, 72)),
        ([99, 100], (94.5, 102)),
        ([0, 100], (-2, 102)),
        ([50, float("nan")], (45, 55)),
        ([float("nan")], (0, 100)),
        ([], (0, 100)),
    ],
)
def test_axes_stay_within_percentages_and_show_some_range(values, ends):
    assert limits(values) == pytest.approx(ends)
