"""Curves of accuracy by number of neurons: what is drawn of the rows of neurons=<run>."""

import pytest

from polyprobe.analysis.neurons.ablation_pictures import (
    ablations_figure,
    kept_figures,
    rankings_figure,
)
from polyprobe.analysis.neurons.neuron_settings import FULL, MINIMAL_SET, RETRAINED, STAGE, ZEROED
from polyprobe.analysis.pictures.panels import save_figure
from polyprobe.errors import PolyprobeError
from tests.analysis.handmade import as_read, probing
from tests.analysis.pictures.drawn import legend, lines, marked_with


def point(ablation: str, neurons: int, value: float, ranking: str | None = "weights", test: str = "Case", **columns):
    """A row of an ablation; the baselines of a test stand in that of all neurons alone."""
    columns = {"majority": None, "memoriser": None, **columns}
    return probing(
        test, value, stage=STAGE, layer="all", ablation=ablation, neurons=neurons, ranking=ranking, **columns
    )


def of_test(test: str, **columns):
    """The rows of a test with two rankings, zeroed, and one retrained."""
    about = {"test": test, **columns}
    return [
        point(FULL, 100, 0.9, None, majority=0.4, **about),
        point("top_zeroed", 10, 0.7, interval_low=0.65, interval_high=0.75, **about),
        point("top_zeroed", 1, 0.5, **about),
        point("bottom_zeroed", 10, 0.45, **about),
        point("top_zeroed", 10, 0.6, "probeless", **about),
        point("random_zeroed", 10, 0.55, "random", **about),
        point("top_retrained", 10, 0.88, **about),
        point("top_retrained", 10, 0.3, split="dev", **about),
        point(MINIMAL_SET, 10, 0.88, **about),
    ]


@pytest.fixture
def rows(tmp_path):
    return as_read([*of_test("Case"), *of_test("Mood")], tmp_path)


def test_a_curve_for_either_end_and_manner_of_one_ranking_in_the_order_of_numbers(rows):
    case, mood = ablations_figure(rows, "weights").axes
    drawn = lines(case)
    assert drawn["top, zeroed"] == ([1, 10], pytest.approx([50, 70]))
    assert drawn["bottom, zeroed"] == ([10], pytest.approx([45]))
    assert drawn["random, zeroed"] == ([10], pytest.approx([55]))
    assert drawn["top, retrained"] == ([10], pytest.approx([88]))
    assert (case.get_title(), mood.get_title(), case.get_xscale()) == ("Case", "Mood", "log")


def test_all_neurons_and_the_majority_are_lines_across_and_the_minimal_set_a_star(rows):
    figure = ablations_figure(rows, "weights")
    axes = figure.axes[0]
    assert lines(axes)["all neurons"][1] == [90, 90]
    assert lines(axes)["majority"][1] == [40, 40]
    assert [(list(star.get_xdata()), list(star.get_ydata())) for star in marked_with(axes, "*")] == [([10], [88])]
    assert {"minimal set", "top, zeroed", "bottom, zeroed", "majority"} <= set(legend(figure))
    assert figure.get_suptitle().startswith("Neurons kept, ranking weights: lang=fi, linspector_type")


def test_a_minimal_set_of_all_neurons_has_no_star(tmp_path):
    rows = as_read([*of_test("Case")[:-1], point(MINIMAL_SET, 100, 0.9)], tmp_path)
    assert marked_with(ablations_figure(rows, "weights").axes[0], "*") == []


def test_bands_are_the_intervals(rows):
    axes = ablations_figure(rows, "weights").axes[0]
    heights = {round(float(height)) for height in axes.collections[0].get_paths()[0].vertices[:, 1]}
    assert heights == {50, 65, 75}


def test_another_ranking_has_its_own_curve_beside_the_random_one(rows):
    axes = ablations_figure(rows, "probeless").axes[0]
    assert lines(axes)["top, zeroed"] == ([10], pytest.approx([60]))
    assert {"bottom, zeroed", "top, retrained", "minimal set"}.isdisjoint(lines(axes))


def test_rankings_stand_beside_each_other(rows):
    drawn = lines(rankings_figure(rows, ZEROED).axes[0])
    assert drawn["weights"] == ([1, 10], pytest.approx([50, 70]))
    assert drawn["probeless"] == ([10], pytest.approx([60]))
    assert drawn["random"] == ([10], pytest.approx([55]))
    assert "minimal set" not in drawn
    assert "minimal set" in lines(rankings_figure(rows, RETRAINED).axes[0])


def test_of_several_epochs_the_last_is_drawn(tmp_path):
    early = [point("top_zeroed", 10, 0.1, epoch=2)]
    figure = ablations_figure(as_read([*of_test("Case", epoch=8), *early], tmp_path), "weights")
    assert lines(figure.axes[0])["top, zeroed"][0] == [1, 10]
    assert "epoch 8" in figure.get_suptitle()


def test_the_last_epoch_is_that_at_which_neurons_were_kept(tmp_path):
    rows = as_read([*of_test("Case", epoch=0), point(FULL, 100, 0.95, None, epoch=3)], tmp_path)
    figure = ablations_figure(rows, "weights")
    assert lines(figure.axes[0])["all neurons"][1] == [90, 90]
    assert "epoch 0" in figure.get_suptitle()


def test_a_failed_probe_leaves_a_gap(tmp_path):
    rows = as_read([*of_test("Case"), point("top_zeroed", 5, None)], tmp_path)
    heights = lines(ablations_figure(rows, "weights").axes[0])["top, zeroed"][1]
    assert heights == pytest.approx([50, float("nan"), 70], nan_ok=True)


def test_what_was_not_measured_is_not_drawn(rows):
    with pytest.raises(PolyprobeError, match='no accuracy of the ranking "gaussian"'):
        ablations_figure(rows, "gaussian")
    with pytest.raises(PolyprobeError, match="no accuracy of retrained neurons"):
        rankings_figure([row for row in rows if row["ablation"] != "top_retrained"], RETRAINED)


def test_pictures_are_written_for_screen_and_paper(rows, tmp_path):
    assert [file.name for file in save_figure(ablations_figure(rows, "weights"), tmp_path / "a")] == ["a.png", "a.pdf"]
    assert [file.name for file in save_figure(rankings_figure(rows, ZEROED, "full"), tmp_path / "b")] == [
        "b.png",
        "b.pdf",
    ]


def test_each_ranking_and_each_manner_has_a_picture(rows):
    names = ["kept_by_weights", "kept_by_probeless", "rankings_zeroed", "rankings_retrained"]
    assert [name for name, _ in kept_figures(rows)] == names


def test_a_ranking_of_any_name_has_its_picture_in_the_folder(tmp_path):
    points = as_read([point("top_zeroed", n, 0.5, "../../elsewhere") for n in (1, 10)], tmp_path)
    assert all("/" not in name for name, _ in kept_figures(points))


def test_without_neurons_that_are_kept_there_is_no_picture(tmp_path):
    assert list(kept_figures(as_read([point(FULL, 100, 0.9, None)], tmp_path))) == []
