from polyprobe.runs.epoch_metrics import read_metrics, write_metrics


def test_a_metric_that_an_epoch_lacks_is_an_empty_cell(tmp_path):
    path = tmp_path / "metrics.csv"
    write_metrics(path, [{"epoch": 0.0, "dev/accuracy": 0.25}, {"epoch": 1.0, "dev/accuracy": 0.5, "train/loss": 2.0}])
    assert path.read_text() == "epoch,dev/accuracy,train/loss\n0,0.25,\n1,0.5,2.0\n"
    cells = read_metrics(path)
    assert [cells[epoch]["train/loss"] for epoch in (0, 1)] == ["", "2.0"]
