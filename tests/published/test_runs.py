"""What is known of the training whose checkpoints were probed or scored."""

import pytest
import yaml

from polyprobe.runs.directory import RunDirectory
from published.runs import best_epoch, choice_or_setting, trained_runs
from tests.analysis.handmade import as_read, score


def trained(folder, *rows):
    as_read(list(rows), folder, folder.name)
    (folder / "config.yaml").write_text(yaml.safe_dump({"data": {"target": "fr"}}), encoding="utf-8")
    return RunDirectory(folder)


@pytest.mark.parametrize("stage", ["probing", "downstream_task", "minimal_sets", "minimal_set_groups"])
def test_the_best_epoch_is_that_of_the_test_scores(tmp_path, stage):
    run = trained(tmp_path, score("test", "bleu", 0.2, epoch=2))
    assert best_epoch(run, [{"stage": stage, "epoch": epoch} for epoch in (1, 2)]) == {"epoch": 2}
    assert best_epoch(run, [{"stage": stage, "epoch": epoch} for epoch in (0, 1)]) == {}
    assert best_epoch(run, [{"stage": stage, "epoch": 2}]) == {}


def test_a_training_that_still_goes_on_has_no_best_epoch(tmp_path):
    rows = [{"stage": "minimal_sets", "epoch": epoch} for epoch in (1, 2)]
    assert best_epoch(trained(tmp_path), rows) == {}
    assert best_epoch(RunDirectory(tmp_path / "unfinished"), rows) == {}


@pytest.mark.parametrize(
    ("configuration", "names"),
    [
        ({"encoder": {"run": "a"}}, ["a"]),
        ({"encoder": None, "predictor": {"run": ["b", "c"]}}, ["b", "c"]),
        ({"encoder": {"path": "x"}}, []),
    ],
)
def test_every_run_behind_a_run_is_named(configuration, names):
    assert [run.path.name for run in trained_runs(configuration)] == names


def test_a_choice_goes_before_a_section_of_its_name():
    configuration = {"choices": {"model": "bilstm_max"}, "model": {"size": 3}, "data": {"target": "fr"}}
    found = [choice_or_setting(configuration, key) for key in ("model", "model.size", "data.target", "data.other")]
    assert found == ["bilstm_max", 3, "fr", None]
