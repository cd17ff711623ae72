import math
import shutil

import pytest

from polyprobe.analysis.output.tables import show
from polyprobe.analysis.reports.finished_run import report_run
from polyprobe.analysis.reports.wandb_dashboard import log_probing_run, pictures, summary, tables
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.training.settings import LoggerSettings
from tests.analysis.handmade import predicted_run, predictions
from tests.analysis.handmade_minimal_sets import minimal_set_run, set_scores


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A probing run with predictions and pictures, to be read only."""
    case = predictions("Case", {layer: [[1, 1, 0, 1]] for layer in "012"})
    folder = predicted_run(tmp_path_factory.mktemp("work"), "run", case, predictions("Mood", {"0": [[1, 0]]}))
    show(report_run(folder, None))
    return folder


@pytest.fixture
def run(drawn, tmp_path):
    shutil.copytree(drawn, tmp_path / "run")
    return RunDirectory(tmp_path / "run")


def test_scores_have_a_row_per_test_and_layer_and_the_columns_that_there_are(run):
    scores = tables(run)["scores"]
    assert scores.header == ["test", "layer", "n", "value", "majority", "memoriser"]
    assert scores.rows[0] == ["Case", "0", 4, 0.75, 0.3, 0.35]
    assert len(scores.rows) == 4


def test_tests_by_layers_are_a_table(run):
    by_layer = tables(run)["tests by layers"]
    assert by_layer.header == ["test", "0", "1", "2"]
    assert by_layer.rows[0] == ["Case", 0.75, 0.75, 0.75]
    assert by_layer.rows[1][:2] == ["Mood", 0.5]
    assert math.isnan(by_layer.rows[1][2])


def test_the_f1_of_labels_is_a_table(run):
    assert list(tables(run)["labels"].rows[0]) == ["Case", "0", "a", 0.666667, 2]


def test_the_pictures_of_the_run_are_sent(run):
    assert sorted(pictures(run)) == ["heat_map", "probing"]


def test_the_summary_has_a_number_for_each_test_and_layer(run):
    found = summary(run.rows())
    assert found["accuracy/Case/2"] == 0.75
    assert len(found) == 4


def test_offline_everything_is_left_for_a_later_sync(run, monkeypatch):
    monkeypatch.setenv("WANDB_SILENT", "true")
    log_probing_run(run, LoggerSettings.of({"wandb": "offline", "project": "polyprobe"}), {"seed": 1})
    (offline,) = (run.path / "wandb").glob("offline-run-*-run")
    files = [file for ending in ("json", "png") for file in offline.rglob(f"*.{ending}")]
    assert {"table", "images"} <= {file.parent.name for file in files}


def test_without_a_logger_nothing_is_written(run):
    log_probing_run(run, LoggerSettings.of({"wandb": None}), {})
    assert not (run.path / "wandb").exists()


def test_an_unknown_mode_is_refused(run):
    with pytest.raises(PolyprobeError, match=r"logger\.wandb must be online, offline or null"):
        log_probing_run(run, LoggerSettings.of({"wandb": "on", "project": "polyprobe"}), {})


def test_without_a_login_one_line_says_what_to_do(run, monkeypatch, tmp_path):
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(PolyprobeError, match=r"logger=wandb cannot start: .* logger=wandb_offline needs neither"):
        log_probing_run(run, LoggerSettings.of({"wandb": "online", "project": "polyprobe"}), {})


def test_one_line_says_where_the_dashboard_is_and_nothing_else_is_said(run, capfd):
    log_probing_run(run, LoggerSettings.of({"wandb": "offline", "project": "polyprobe"}), {"seed": 1})
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
    show(report_run(folder, None))
    return RunDirectory(folder)


def test_constructions_have_a_row_for_every_metric_and_epoch(scored):
    scores = tables(scored)["scores"]
    assert scores.header[:7] == ["construction", "lang", "predictor", "epoch", "metric", "n", "value"]
    assert scores.rows[0][:7] == ["vp_coord", "fr", "lstm", 0, "accuracy", 4, 0.5]
    assert len(scores.rows) == 2 * 2 * 4


def test_constructions_by_epochs_are_a_table_and_a_summary(scored):
    by_epoch = tables(scored)["constructions"]
    assert by_epoch.header == ["construction", "epoch 0", "epoch 8"]
    assert by_epoch.rows == [["vp_coord", 0.5, 0.75], ["prep_anim", 0.5, 0.75]]
    found = summary(scored.rows())
    assert found["accuracy/vp_coord/epoch 8"] == 0.75
    assert len(found) == 4


def test_a_run_of_minimal_sets_is_left_for_a_later_sync_too(scored, monkeypatch):
    monkeypatch.setenv("WANDB_SILENT", "true")
    log_probing_run(scored, LoggerSettings.of({"wandb": "offline", "project": "polyprobe"}), {"seed": 1})
    (offline,) = (scored.path / "wandb").glob("offline-run-*-scored")
    names = {file.name for ending in ("json", "png") for file in offline.rglob(f"*.{ending}")}
    for sent in ("scores", "constructions", "minimal_sets"):
        assert any(name.startswith(sent) for name in names), names
