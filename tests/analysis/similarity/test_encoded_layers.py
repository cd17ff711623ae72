from pathlib import Path

import numpy as np
import pytest

from polyprobe.analysis.similarity.compared_runs import ComparedEncoder, encoded_layers
from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.cache.encoding_blocks import Block, item_key
from polyprobe.encoders.cache.store import EncodedItems
from polyprobe.items import Form

ITEMS = [Form(one) for one in "abcdefg"]


@pytest.mark.parametrize("number", [np.float32, np.float16])
def test_vectors_come_from_the_blocks_where_they_lie(number):
    """Three blocks of two layers; the items are asked for in another order than they lie."""
    matrices = [np.arange(14).reshape(7, 2).astype(number), np.arange(100, 121).reshape(7, 3).astype(number)]
    ends = [(0, 3), (3, 4), (4, 7)]
    blocks = [Block(Path(), (), tuple(matrix[start:end] for matrix in matrices)) for start, end in ends]
    layers = (Layer("low", 2), Layer("high", 3, epoch=8))
    encoded = EncodedItems(layers, tuple(blocks), np.arange(7), {item_key(item): row for row, item in enumerate(ITEMS)})
    encoder = ComparedEncoder(
        "run-a", "own", "mine", "ab12", "fi", layers, [0, 1], lambda items: encoded, lambda items: None
    )
    items = [ITEMS[place] for place in (6, 0, 3, 3, 2)]
    low, high = encoded_layers([encoder], items)
    assert (low.n_items, low.width, high.width) == (5, 2, 3)
    assert (low.name, high.name) == ("run-a, layer low", "run-a, layer high/8")
    assert (low.identity, high.identity) == ("own mine low ab12", "own mine high/8 ab12")
    assert low.block(0, 5).tolist() == [[12, 13], [0, 1], [6, 7], [6, 7], [4, 5]]
    assert high.block(1, 3).tolist() == [[100, 101, 102], [109, 110, 111]]
    assert low.block(0, 5).dtype == np.float32


def test_vectors_come_from_among_those_of_further_items():
    """Seven vectors in two blocks, of which three are of the items."""
    matrix = np.arange(14, dtype=np.float32).reshape(7, 2)
    blocks = tuple(Block(Path(), (), (part,)) for part in (matrix[:3], matrix[3:]))
    row_of_key = {item_key(item): row for row, item in enumerate(ITEMS[:3])}
    encoded = EncodedItems((Layer("only", 2),), blocks, np.array([1, 3, 6]), row_of_key)
    encoder = ComparedEncoder(
        "run-a", "own", None, "ab12", "fi", encoded.layers, [0], lambda items: encoded, lambda items: None
    )
    (only,) = encoded_layers([encoder], [ITEMS[place] for place in (2, 0, 1)])
    assert only.block(0, 3).tolist() == [[12, 13], [2, 3], [6, 7]]


def test_only_the_chosen_layers_are_compared():
    layers = (Layer("0", 2), Layer("1", 2), Layer("2", 2))
    block = Block(Path(), (), tuple(np.full((1, 2), number, np.float32) for number in range(3)))
    encoded = EncodedItems(layers, (block,), np.arange(1), {item_key(ITEMS[0]): 0})
    encoder = ComparedEncoder(
        "run-a", "own", None, "ab12", "fi", layers, [0, 2], lambda items: encoded, lambda items: None
    )
    found = encoded_layers([encoder], ITEMS[:1])
    assert [(one.place.name, one.block(0, 1).tolist()) for one in found] == [("0", [[0, 0]]), ("2", [[2, 2]])]
