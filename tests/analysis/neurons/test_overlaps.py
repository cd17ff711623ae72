"""Neurons that orders have in common, counted by hand."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from polyprobe.analysis.neurons.top_neurons import OF_TESTS, OverlapRow, orders_of_seeds, overlaps
from tests.analysis.neurons.small_probed import small_probed

ORDERS = {"Case": np.array([0, 1, 2, 3, 4, 5]), "Mood": np.array([2, 9, 0, 1, 3, 4]), "Tense": np.array([7, 8, 9])}


def test_every_two_orders_are_compared_by_their_first_neurons():
    found = overlaps({name: ORDERS[name] for name in ("Case", "Mood")}, 4, 10)
    assert found.shares.tolist() == [[1, 0.75], [0.75, 1]]
    assert found.n == 4


def test_all_are_compared_by_as_many_as_the_shortest_has():
    found = overlaps(ORDERS, 4, 10)
    assert found.n == 3
    np.testing.assert_allclose(found.shares, [[1, 2 / 3, 0], [2 / 3, 1, 1 / 3], [0, 1 / 3, 1]])


def test_a_row_says_what_chance_would_give():
    # Two sets of 2 of 10: of the 45 second sets 28 share none, 16 one, 1 both; 1/45 is less than 2.5 %.
    (row,) = overlaps({"a": np.array([3, 1]), "b": np.array([1, 4])}, 2, 10).rows(OF_TESTS, None, 5)
    assert row == OverlapRow(OF_TESTS, None, 5, "a", "b", 2, 0.5, pytest.approx(0.2), 0.0, 0.5)


def test_three_orders_have_three_rows():
    rows = overlaps(ORDERS, 3, 10).rows(OF_TESTS, None, None)
    assert [(row.first, row.second) for row in rows] == [("Case", "Mood"), ("Case", "Tense"), ("Mood", "Tense")]


def test_each_seed_that_was_trained_has_an_order_of_its_own():
    weights = np.array([[[4, 1, 0, 2], [0, 1, 0, 1]], np.full((2, 4), np.nan), [[0, 1, 3, 2], [1, 0, 0, 8]]])
    orders = orders_of_seeds(small_probed(weights))
    assert list(orders) == ["seed 0", "seed 2"]
    # The first neuron of either label enters at once, and of these that with the larger weight comes first.
    assert (orders["seed 0"][0], orders["seed 2"][0]) == (0, 3)


def test_a_label_without_train_items_orders_no_neurons():
    probed = small_probed(np.array([[[4, 1, 0, 2], [0, 1, 9, 1]]]))
    label_ids = {**probed.label_ids, "train": torch.zeros(4, dtype=torch.int64)}
    assert orders_of_seeds(replace(probed, label_ids=label_ids))["seed 0"].tolist() == [0, 3, 1, 2]
