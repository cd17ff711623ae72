"""A training run that goes on under other circumstances than it began with."""

import pytest
import torch

from polyprobe.training.run import train
from tests.commands.scripts import small_training
from tests.runs.composed import composed


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
def test_a_run_resumed_with_other_threads_says_so_and_its_rows_do(small_data, work, capsys):
    small = small_training(small_data, work, "trainer.max_epochs=1", task="pos")
    first = train(composed("train", *small))
    assert "resumed under" not in capsys.readouterr().out
    assert not [row for row in first.rows() if "resumed" in (row.get("note") or "")]
    (start,) = first.record()["starts"]
    assert (start["threads"], start["devices"], start["accelerator"]) == (1, 1, "cpu")
    first.results.unlink()  # its command goes on from the last epoch
    again = train(composed("train", *small, "trainer.threads=2"))
    assert again.name == first.name
    assert "resumed under another thread count: 1, 2\n" in capsys.readouterr().out
    assert {row["note"].split("; ")[0] for row in again.rows()} == {"resumed under another thread count: 1, 2"}
    assert [start["threads"] for start in again.record()["starts"]] == [1, 2]
