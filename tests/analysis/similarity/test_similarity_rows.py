from dataclasses import replace

import numpy as np

from polyprobe.analysis.similarity.compared_items import ItemSet
from polyprobe.analysis.similarity.measures import PairValues
from polyprobe.analysis.similarity.similarity_grid import LayerPlace
from polyprobe.analysis.similarity.similarity_job import rows_of_pairs

LAYERS = [LayerPlace("transformer", "bert@1", "0", None), LayerPlace("checkpoint", "srl-s1", "encoding", 8)]
VALUES = PairValues(
    values=np.array([[1, 0.5], [0.4, 1]]),
    permuted=np.array([[0, 0.1], [0.2, 0]]),
    low=np.array([[1, 0.3], [0.2, 1]]),
    high=np.array([[1, np.nan], [0.6, 1]]),
    left_out=np.array([0, 2]),
)
ITEMS = ItemSet("rusenteval", "NShift", "test", "0" * 16, list)


def rows(measure: str):
    return list(rows_of_pairs(measure, VALUES, LAYERS, ITEMS, "ru", 1000))


def test_a_measure_with_a_direction_has_a_row_for_each():
    forth, back = rows("maxcorr")
    assert (forth.encoder, forth.model, forth.layer, forth.epoch) == ("transformer", "bert@1", "0", None)
    assert (forth.other_encoder, forth.other_model, forth.other_layer, forth.other_epoch) == (
        *("checkpoint", "srl-s1", "encoding", 8),
    )
    assert (forth.value, forth.permuted, forth.interval_low, forth.interval_high) == (0.5, 0.1, 0.3, None)
    assert (back.value, back.layer, back.other_layer) == (0.4, "encoding", "0")
    assert (forth.stage, forth.lang, forth.suite, forth.test, forth.split, forth.metric, forth.n) == (
        *("similarity", "ru", "rusenteval", "NShift", "test", "maxcorr", 1000),
    )


def test_a_symmetric_measure_has_one_row_for_a_pair():
    (row,) = rows("cka")
    assert (row.layer, row.other_layer, row.value) == ("0", "encoding", 0.5)


def test_columns_that_were_left_out_are_counted_in_the_order_of_the_sides():
    forth, back = rows("maxcorr")
    assert forth.note == "without 0 constant columns and 2 constant columns"
    assert back.note == "without 2 constant columns and 0 constant columns"


def test_few_items_are_noted_beside_what_was_left_out():
    (row,) = rows_of_pairs("cka", VALUES, LAYERS, ITEMS, "ru", 29)
    assert row.note == "fewer than 30 items, without 0 constant columns and 2 constant columns"


def test_a_pair_without_a_value_says_why():
    values = replace(VALUES, values=np.array([[1, np.nan], [np.nan, np.nan]]))
    (row,) = rows_of_pairs("cka", values, LAYERS, ITEMS, "ru", 1000)
    assert (row.value, row.note) == (None, "not defined: a layer has the same vector for all items, or for all but one")
