"""Pictures of what was found in minimal sets."""

import numpy as np

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.pictures.of_run import figures_of_kind, scores_figure
from polyprobe.analysis.reports.finished_run import draw_run, report_run
from polyprobe.analysis.reports.side_by_side import scores_side_by_side
from polyprobe.analysis.results.kinds import CONSTRUCTIONS
from tests.analysis.handmade import as_read
from tests.analysis.handmade_minimal_sets import minimal_set_run, rows_of_minimal_sets, set_scores

THREE_OF_FOUR = [2.0, 1.0, 1.0, -1.0] * 10
ALL = [1.0] * 40


def rows_of(folder, *scores, **columns):
    return as_read([row for one in scores for row in rows_of_minimal_sets(one, "wrong", **columns)], folder, "run")


def test_one_model_is_drawn_with_its_values_and_intervals(tmp_path):
    rows = rows_of(tmp_path, set_scores("vp_coord", {"s1": THREE_OF_FOUR}), set_scores("prep_anim", {"s1": ALL[:10]}))
    (axes,) = scores_figure(CONSTRUCTIONS, rows).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["vp_coord", "prep_anim (n=10)"]
    assert list(axes.lines[0].get_xdata()) == [50, 100]
    assert list(axes.lines[-1].get_xdata()) == [75, 100]
    assert [text.get_text() for text in axes.texts] == ["75.0", "100.0"]


def test_epochs_are_curves_with_the_average(tmp_path):
    models = {f"s{seed}/{epoch}": THREE_OF_FOUR if epoch == 0 else ALL for epoch in (0, 8) for seed in (1, 2)}
    rows = rows_of(tmp_path, set_scores("vp_coord", models), set_scores("prep_anim", models))
    figure = scores_figure(CONSTRUCTIONS, rows)
    assert [axes.get_title() for axes in figure.axes] == ["vp_coord", "prep_anim", "average"]
    for axes in figure.axes:
        assert axes.lines[0].get_xydata().tolist() == [[0, 75], [8, 100]]


def test_few_models_are_lines_and_many_are_a_heat_map(tmp_path):
    def many(n):
        return [
            row
            for number in range(n)
            for row in rows_of(tmp_path, set_scores("vp_coord", {"s1": ALL}), predictor=f"kind{number}")
        ]

    legend = scores_figure(CONSTRUCTIONS, many(6)).legends[0]
    assert [text.get_text() for text in legend.get_texts()] == [f"kind{number}" for number in range(6)]
    heat_map = scores_figure(CONSTRUCTIONS, many(7)).axes[0]
    assert [label.get_text() for label in heat_map.get_xticklabels()] == [f"kind{number}" for number in range(7)]
    np.testing.assert_array_equal(heat_map.images[0].get_array(), [[100] * 7])


def test_a_run_draws_its_picture_and_draws_it_again_the_same(tmp_path):
    folder = minimal_set_run(tmp_path, "run", set_scores("vp_coord", {"s1": THREE_OF_FOUR}))
    show(report_run(folder))
    files = {file.name: file.read_bytes() for file in (folder / "pictures").iterdir()}
    assert sorted(files) == [f"minimal_sets.{ending}" for ending in ("csv", "md", "pdf", "png", "tex")]
    show(draw_run(folder))
    assert {file.name: file.read_bytes() for file in (folder / "pictures").iterdir()} == files


def test_runs_side_by_side_have_one_picture_and_the_table_beside(tmp_path, capsys):
    for name in "ab":
        minimal_set_run(tmp_path, name, set_scores("vp_coord", {"s1": ALL}), predictor=f"kind {name}")
    show(scores_side_by_side(tmp_path, ["a", "b"]))
    files = sorted(file.name for file in (tmp_path / "comparisons").iterdir())
    assert files == [f"a-beside-b.{ending}" for ending in ("csv", "md", "pdf", "png", "tex")]
    assert "a-beside-b.png" in capsys.readouterr().out


def test_each_grouping_of_constructions_has_a_picture_of_its_own(tmp_path):
    rows = rows_of(tmp_path, set_scores("vp_coord", {"s1": THREE_OF_FOUR}), set_scores("prep_anim", {"s1": ALL}))
    groups = [{**row, "stage": "minimal_set_groups", "grouping": "kind"} for row in rows if row.get("test")]
    names = [name for name, _ in figures_of_kind(CONSTRUCTIONS, [*rows, *groups], "minimal_sets")]
    assert names == ["minimal_sets", "minimal_sets_kind"]
    assert [name for name, _ in figures_of_kind(CONSTRUCTIONS, rows, "minimal_sets")] == ["minimal_sets"]
