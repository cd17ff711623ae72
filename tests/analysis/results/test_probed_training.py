"""What is known of the training whose checkpoints were probed."""

from src.analysis.results.probed_training import best_epoch
from src.runs.directory import RunDirectory


def test_a_training_that_still_goes_on_has_no_best_epoch(tmp_path):
    rows = [{"stage": "minimal_sets", "epoch": epoch} for epoch in (1, 2)]
    assert best_epoch(RunDirectory(tmp_path), rows) == {}
