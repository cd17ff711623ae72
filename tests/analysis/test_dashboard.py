import shutil

import pytest

from polyprobe.analysis.dashboard import curves, log_run, pictures
from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.finished_run import report_run
from polyprobe.analysis.reports.result_kinds import kinds_of, run_results
from polyprobe.analysis.results.kinds import PROBING
from polyprobe.analysis.results.result_grid import grid_of
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.training.settings import LoggerSettings
from tests.analysis.handmade import TRAINING, as_read, predicted_run, predictions, probing, training_run
from tests.analysis.handmade_minimal_sets import minimal_set_run, set_scores
from tests.offline_dashboards import OfflineRun, offline_run

OFFLINE = LoggerSettings.of({"wandb": "offline", "project": "polyprobe"})


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A probing run with predictions and pictures, to be read only."""
    case = predictions("Case", {layer: [[1, 1, 0, 1]] for layer in "012"})
    folder = predicted_run(tmp_path_factory.mktemp("work"), "run", case, predictions("Mood", {"0": [[1, 0]]}))
    show(report_run(folder))
    return folder


@pytest.fixture
def run(drawn, tmp_path):
    shutil.copytree(drawn, tmp_path / "run")
    return RunDirectory(tmp_path / "run")


def of_kind(run):
    """Returns the tables and the numbers that are sent of a run."""
    results = run_results(run.path)
    return kinds_of(results)[0].logged(results)


def test_scores_have_a_row_per_test_and_layer_and_the_columns_that_there_are(run):
    scores = of_kind(run)[0]["scores"]
    assert scores.header == ["test", "layer", "n", "value", "majority", "memoriser"]
    assert scores.rows[0] == ["Case", "0", 4, 0.75, 0.3, 0.35]
    assert len(scores.rows) == 4


def test_the_pictures_of_the_run_are_sent(run):
    assert sorted(pictures(run)) == ["heat_map", "probing"]


def test_the_summary_has_a_number_for_each_test_and_layer_and_what_runs_are_sorted_by(run):
    _, found = of_kind(run)
    assert found["accuracy/Case/2"] == 0.75
    assert [found[name] for name in ("Case", "majority/Case", "memoriser/Case")] == [0.75, 0.3, 0.35]
    assert len(found) == 4 + 2 * 3


def test_the_layer_that_dev_chose_stands_for_a_test_with_its_interval(tmp_path):
    layers = {
        "0": {"value": 0.9, "dev": 0.5},
        "1": {"value": 0.8, "dev": 0.6, "interval_low": 0.7, "interval_high": 0.9},
    }
    rows = [probing("Case", **values, layer=layer) for layer, values in layers.items()]
    as_read(rows, tmp_path)
    _, found = of_kind(RunDirectory(tmp_path))
    assert [found[f"Case{which}"] for which in ("", "/low", "/high")] == [0.8, 0.7, 0.9]


def logged(run: RunDirectory, **config) -> OfflineRun:
    log_run(run, OFFLINE, config)
    return offline_run(run.path)


def test_a_dashboard_has_all_of_a_probing_run(run):
    found = logged(run, seed=1, encoder={"width": 8})
    assert found.job_type == "probing"
    assert found.tags == ["fi", "linspector_type", "checkpoint"]
    assert {key: found.config[key] for key in ("seed", "encoder")} == {"seed": 1, "encoder": {"width": 8}}
    first, *_ = found.history
    sent = {name.partition("/")[0]: first[name] for name in first if name.endswith("/_type")}
    assert sent == {
        **dict.fromkeys(("scores", "tests by layers", "labels"), "table-file"),
        **dict.fromkeys(("probing", "heat_map"), "image-file"),
        **{"report": "html-file"},
    }
    assert found.summary["accuracy/Case/2"] == 0.75
    assert found.artifacts["eval_results"] == ["report.html", "results.jsonl", "run.json"]
    (page,) = run.path.glob("wandb/offline-*/files/media/html/*.html")
    assert page.read_bytes() == (run.path / "report.html").read_bytes()


def test_layers_are_the_axis_of_native_curves(run):
    found = logged(run)
    assert found.axes == {"by_layer/Case": "layer", "by_layer/Mood": "layer"}
    assert [without_times(row) for row in found.history[1:]] == [
        {"layer": 0, "by_layer/Case": 0.75, "by_layer/Mood": 0.5},
        {"layer": 1, "by_layer/Case": 0.75},
        {"layer": 2, "by_layer/Case": 0.75},
    ]


def without_times(row: dict) -> dict:
    return {name: value for name, value in row.items() if not name.startswith("_")}


@pytest.mark.parametrize(
    ("names", "numbers"),
    [(["layer_0", "layer_6"], [0, 6]), (["layer_4", "sentence_embedding"], [0, 1]), (["a1", "b1"], [0, 1])],
)
def test_a_layer_has_the_number_of_its_name_or_its_place(names, numbers, tmp_path):
    rows = as_read([probing("Case", 0.5, layer=name) for name in names], tmp_path)
    assert [point["layer"] for point in curves(grid_of(PROBING, rows))] == numbers


def test_layers_at_several_epochs_are_curves_over_both(tmp_path):
    values = {("l1", 0): 0.1, ("l1", 8): 0.2, ("l2", 0): 0.3, ("l2", 8): None}
    rows = as_read(
        [probing("Case", value, layer=layer, epoch=epoch) for (layer, epoch), value in values.items()], tmp_path
    )
    assert list(curves(grid_of(PROBING, rows))) == [
        {"layer": 1, "by_layer/Case/0": 0.1, "by_layer/Case/8": 0.2},
        {"layer": 2, "by_layer/Case/0": 0.3},
        {"epoch": 0, "by_epoch/Case/l1": 0.1, "by_epoch/Case/l2": 0.3},
        {"epoch": 8, "by_epoch/Case/l1": 0.2},
    ]


def test_a_training_that_an_earlier_command_finished_is_not_sent_again(tmp_path):
    as_read(training_run(), tmp_path / TRAINING, TRAINING)
    log_run(RunDirectory(tmp_path / TRAINING), OFFLINE, {})
    assert not (tmp_path / TRAINING / "wandb").exists()


def test_without_a_logger_nothing_is_written(run):
    log_run(run, LoggerSettings.of({"wandb": None}), {})
    assert not (run.path / "wandb").exists()


def test_without_a_login_one_line_says_what_to_do(run, monkeypatch, tmp_path):
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(PolyprobeError, match=r"logger=wandb cannot start: .* logger=wandb_offline needs neither"):
        log_run(run, LoggerSettings.of({"wandb": "online", "project": "polyprobe"}), {})


def test_one_line_says_where_the_dashboard_is_and_nothing_else_is_said(run, capfd):
    log_run(run, OFFLINE, {"seed": 1})
    said = capfd.readouterr()
    assert said.out.startswith(f"dashboard {run.path / 'wandb' / 'offline-run-'}")
    assert (said.out.count("\n"), said.err) == (1, "")


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A run of minimal sets of two epochs and seeds, drawn."""
    models = {f"s{seed}/{epoch}": [1.0, 1.0, -1.0, float(epoch)] for epoch in (0, 8) for seed in (1, 2)}
    folder = minimal_set_run(
        tmp_path_factory.mktemp("work"), "scored", set_scores("vp_coord", models), set_scores("prep_anim", models)
    )
    show(report_run(folder))
    return RunDirectory(folder)


def test_constructions_have_a_row_for_every_metric_and_epoch(scored):
    scores = of_kind(scored)[0]["scores"]
    assert scores.header[:7] == ["construction", "lang", "predictor", "epoch", "metric", "n", "value"]
    assert scores.rows[0][:7] == ["vp_coord", "fr", "lstm", 0, "accuracy", 4, 0.5]
    assert len(scores.rows) == 2 * 2 * 4


def test_constructions_by_epochs_are_a_table_and_a_summary(scored):
    tables, found = of_kind(scored)
    by_epoch = tables["constructions"]
    assert by_epoch.header == ["construction", "epoch 0", "epoch 8"]
    assert by_epoch.rows == [["vp_coord", 0.5, 0.75], ["prep_anim", 0.5, 0.75]]
    assert [found[name] for name in ("accuracy/vp_coord/epoch 8", "vp_coord")] == [0.75, 0.75]
    assert found["vp_coord/low"] < 0.75 < found["vp_coord/high"]


def test_a_dashboard_has_all_of_a_run_of_minimal_sets(scored):
    found = logged(scored)
    assert (found.job_type, found.tags) == ("minimal_sets", ["fr", "clams", "lstm"])
    assert {"scores/_type", "constructions/_type", "minimal_sets/_type", "report/_type"} <= set(found.history[0])
    assert [without_times(row) for row in found.history[1:]] == [
        {"epoch": 0, "by_epoch/vp_coord": 0.5, "by_epoch/prep_anim": 0.5},
        {"epoch": 8, "by_epoch/vp_coord": 0.75, "by_epoch/prep_anim": 0.75},
    ]
