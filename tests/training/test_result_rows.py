"""The rows of a training run: what each says of its score, its epoch, its inputs."""

from polyprobe.metrics.task_score import TaskScore
from polyprobe.runs.results import ResultRow
from polyprobe.training.door import training_settings
from polyprobe.training.result_rows import RowsOfRun
from tests.commands.scripts import on_small_data
from tests.training.five_tasks import composed


def test_every_row_says_what_was_scored(small_data, tmp_path):
    settings = training_settings(composed("task=dep", "seed=3", *on_small_data(small_data, tmp_path)))
    rows = RowsOfRun(settings, "mini", "UPOS: gold", None)
    run = {"lang": "mini", "suite": "dep", "corpus": "mini", "seed": 3, "n": 7, "scorer": "CoNLL-2018"}
    learned = {**run, "encoder": "learned", "note": "UPOS: gold"}
    history = [{"epoch": 0.0, "dev/las": 0.1, "dev/uas": 0.2}, {"epoch": 1.0, "dev/las": 0.5, "dev/uas": 0.6}]
    assert list(rows.of_epochs(history, n_scored=7, otherwise={})) == [
        ResultRow(**learned, stage="training", split="dev", epoch=epoch, metric=metric, value=value)
        for epoch, metric, value in [(0, "las", 0.1), (0, "uas", 0.2), (1, "las", 0.5), (1, "uas", 0.6)]
    ]
    nsubj = TaskScore("f1", 0.5, 7, "CoNLL-2018", part="nsubj", precision=0.4, recall=2 / 3)
    assert list(rows.of_best("test", [nsubj], epoch=1)) == [
        ResultRow(
            **{**learned, "stage": "test", "split": "test", "epoch": 1},
            **{"metric": "f1", "test": "nsubj", "value": 0.5, "precision": 0.4, "recall": 2 / 3},
        )
    ]
    (baseline,) = rows.of_baseline("neighbour", "test", [TaskScore("las", 0.3, 7, "CoNLL-2018")], None)
    expected = {**run, "encoder": "neighbour", "stage": "baseline", "split": "test", "metric": "las", "value": 0.3}
    assert baseline == ResultRow(**expected)
