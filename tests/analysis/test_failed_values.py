"""What tables, pictures, sweeps and W&B make of rows whose value is null."""

import json
import math

from polyprobe.analysis.correlations.downstream import correlate
from polyprobe.analysis.correlations.encoder_scores import probing_scores
from polyprobe.analysis.pictures.curves import epochs_figure, layers_figure, training_figure
from polyprobe.analysis.pictures.heat_maps import heat_map_figure
from polyprobe.analysis.pictures.of_run import marks_figure, scores_figure
from polyprobe.analysis.reports.result_kinds import Probing, Score, run_results, summary_table
from polyprobe.analysis.reports.sweep_tables import SweepLine, mean_lines, run_scores
from polyprobe.analysis.results.kinds import CONSTRUCTIONS, worth_of_ties
from polyprobe.analysis.results.rows import epoch_scores
from polyprobe.analysis.tables.minimal_sets import minimal_set_tables
from polyprobe.analysis.tables.score_tables import probing_tables
from polyprobe.analysis.tables.training import training_table
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import ResultRow
from tests.analysis.handmade import as_read, probing, score
from tests.analysis.told import csv_file

FAILED = {"seed": 1, "note": "failed: no number"}


def cells(table) -> list[list[str]]:
    return [list(map(str, column)) for column in zip(*table.rows, strict=True)]


def probed(**columns) -> list[ResultRow]:
    """Case failed, Mood did not, at three layers."""
    return [
        row
        for layer in ("0", "1", "2")
        for row in (probing("Case", None, layer=layer, **FAILED, **columns), probing("Mood", 0.5, layer=layer))
    ]


def scored(construction: str, value: float | None, **columns) -> ResultRow:
    usual = {"stage": "minimal_sets", "lang": "fr", "suite": "clams", "metric": "accuracy", "split": "test", "n": 40}
    return ResultRow(test=construction, value=value, **{**usual, "predictor": "ngram", **columns})


def test_probing_tables_and_pictures_show_a_failed_probe_as_none(tmp_path):
    rows = as_read(probed(), tmp_path)
    main, *_ = probing_tables(rows)
    assert main.rows[0] == ["Case", "200", "30.0", "35.0", *["-"] * 3]
    for figure in (layers_figure(rows), heat_map_figure(rows), marks_figure(rows)):
        figure.canvas.draw()
    by_epoch = as_read([probing("Case", None, epoch=0, **FAILED), probing("Case", 0.5, epoch=8)], tmp_path)
    epochs_figure(by_epoch).canvas.draw()


def test_a_construction_without_a_scored_set_is_shown_as_none(tmp_path):
    rows = as_read([scored("prep", None, n=0), scored("vp", 0.5), scored("", 0.5)], tmp_path)
    (table,) = minimal_set_tables(rows)
    assert list(table.rows[0][:3]) == ["prep", "0", "-"]
    scores_figure(CONSTRUCTIONS, rows).canvas.draw()
    assert worth_of_ties([{"stage": "minimal_sets", "ties": 1, "value": None, "n": 0, "correct": 0}]) is None


def test_infinite_perplexities_are_left_out_of_curves_and_told_in_tables(tmp_path):
    columns = {"suite": "lm", "metric": "perplexity"}
    values = (math.inf, 90.0, math.inf)
    rows = [score("training", columns["metric"], value, epoch=epoch, suite="lm") for epoch, value in enumerate(values)]
    rows += [score("test", "perplexity", math.inf, epoch=1, split="test", suite="lm")]
    rows = as_read(rows, tmp_path)
    assert epoch_scores(rows, "training") == {"perplexity": {1: 90.0}}
    table = training_table(rows)
    assert cells(table)[2] == ["-"]
    assert table.notes == [
        "Test scores: best epoch on dev by perplexity (1/2).",
        "perplexity: lower is better.",
        "test: perplexity too large for a number.",
    ]
    assert cells(summary_table(rows))[3] == ["perplexity: test -"]
    training_figure(rows).canvas.draw()


def test_an_encoder_whose_probes_failed_has_no_score_to_correlate(tmp_path):
    rows = as_read([probing("Case", None, layer="vectors", **FAILED), probing("Mood", 0.5, layer="vectors")], tmp_path)
    by_test = {one.name: dict(one.scores) for one in probing_scores(rows, {rows[0]["run"]: "elmo"}, {})}
    assert by_test == {"Case": {}, "Mood": {"elmo": 0.5}}


def test_a_failed_run_takes_no_part_in_a_correlation_of_runs(tmp_path):
    for number, (before, after) in enumerate([(0.5, 0.6), (0.7, 0.8), (0.9, 0.7), (0.4, 0.5), (None, 0.9)]):
        kinds = {"probe": probing("Case", before, encoder=f"e{number}", layer="vectors", seed=1)}
        kinds["train"] = score("test", "accuracy", after, split="test", suite="pos", encoder=f"e{number}")
        for kind, row in kinds.items():
            folder = tmp_path / "runs" / kind / f"{kind}-{number}"
            as_read([row], folder, folder.name)
            (folder / "config.yaml").write_text(json.dumps({"encoder": {}}))
    assert csv_file(correlate(tmp_path, "runs", correction="holm")).read_text().splitlines()[1].endswith(",4")


def test_a_sweep_averages_the_seeds_that_have_a_score(tmp_path):
    def line(seed, value):
        score = Score("accuracy", "0", value, 1)
        return SweepLine({"seed": seed, "probe": "mlp"}, "finished", "", score, tmp_path / seed)

    (mean,) = mean_lines([line("1", 0.5), line("2", math.nan), line("3", 0.7)])
    assert (round(mean.score.value, 6), mean.n) == (0.6, 2)
    (none,) = mean_lines([line("1", math.nan), line("2", math.nan)])
    assert (math.isnan(none.score.value), none.deviation, none.n) == (True, None, 0)


def test_a_mean_over_tests_is_no_number_where_one_failed(tmp_path):
    as_read(probed(), tmp_path)
    (tmp_path / "config.yaml").write_text("seed: 1\n")
    assert all(math.isnan(one.value) for one in run_scores(RunDirectory(tmp_path)))


def test_w_and_b_is_sent_numbers_alone_in_its_summary(tmp_path):
    as_read(probed(), tmp_path)
    tables, numbers = Probing().logged(run_results(tmp_path))
    assert {name for name in numbers if name.startswith("accuracy/")} == {f"accuracy/Mood/{layer}" for layer in "012"}
    assert all(map(math.isfinite, numbers.values()))
    assert tables["scores"].rows[0][3] is None


def test_a_best_epoch_whose_bleu_is_0_as_everywhere_is_said_to_be_the_best_by_perplexity(tmp_path):
    curves = {"bleu": (0.0, 0.0, 0.0), "perplexity": (50.0, 31.25, 40.0)}
    rows = [
        score("training", name, values[epoch], epoch=epoch) for name, values in curves.items() for epoch in range(3)
    ]
    rows = as_read([*rows, score("test", "bleu", 0.0, epoch=1, split="test")], tmp_path)
    assert training_table(rows).notes == [
        "Test scores: best epoch on dev by perplexity, 31.2 (1/2); BLEU is 0 in every epoch."
    ]
