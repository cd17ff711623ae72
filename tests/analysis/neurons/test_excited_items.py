"""The items that excite a neuron, in the order of their values."""

import math

import numpy as np
import pytest

from polyprobe.analysis.neurons.rankings import LEAST, MOST, ExcitedItem, excited_items
from tests.analysis.neurons.small_probed import small_probed

PROBED = small_probed(np.zeros((1, 2, 4)))


def lines(found: list[ExcitedItem], end: str) -> list[int]:
    return [row.line for row in found if row.end == end]


def test_items_are_listed_by_activation_and_each_once():
    found = excited_items(PROBED, [0], 3)
    assert lines(found, MOST) == [1, 2, 4]
    assert lines(found, LEAST) == [4, 2, 1]
    assert [row.place for row in found] == [1, 2, 3, 1, 2, 3]


def test_a_row_says_which_item_it_is_and_how_far_its_value_is_from_the_others():
    row = excited_items(PROBED, [0], 1)[1]
    # The values 4, 1, -3 of three items, one of which stands there twice: mean 2/3, variance 26/3 - 4/9 = 74/9.
    assert row == ExcitedItem(
        test="Case",
        epoch=None,
        neuron="0:0",
        end=LEAST,
        place=1,
        activation=-3,
        standardised=pytest.approx(-(3 + 2 / 3) / math.sqrt(74 / 9)),
        label="Nom",
        line=4,
        word="paloi",
        position=2,
        sentence="Talo paloi eilen",
    )


def test_a_neuron_of_one_value_has_no_standardised_one_and_lists_the_first_items():
    found = excited_items(PROBED, [1], 2)
    assert {row.standardised for row in found} == {None}
    assert lines(found, MOST) == lines(found, LEAST) == [1, 2]


def test_several_neurons_come_in_the_order_asked_for_and_few_items_are_all():
    found = excited_items(PROBED, [2, 0], 100)
    assert [row.neuron for row in found] == ["1:0"] * 6 + ["0:0"] * 6
