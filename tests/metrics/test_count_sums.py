import numpy as np
import torch

from src.metrics.count_sums import CountSums


def test_rows_are_summed_apart_and_forgotten_when_reset():
    sums = CountSums(units=2, trees=1)
    sums.update(units=torch.tensor([1.5, 2.0]), trees=np.array([3]))
    sums.update(units=np.array([1, 0]))
    assert {name: row.tolist() for name, row in sums.compute().items()} == {"units": [2.5, 2], "trees": [3]}
    sums.reset()
    sums.update()
    assert {name: row.tolist() for name, row in sums.compute().items()} == {"units": [0, 0], "trees": [0]}


def test_what_was_computed_does_not_change_when_more_is_counted():
    sums = CountSums(units=1)
    sums.update(units=np.array([1]))
    before = sums.compute()["units"]
    sums.update(units=np.array([1]))
    assert (before.tolist(), sums.compute()["units"].tolist()) == ([1], [2])
