"""All layers of an encoder side by side equal its layers, whatever the blocks of the cache."""

import numpy as np
import pytest

from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.encoders.cache import store
from polyprobe.encoders.cache.store import VectorCache, encoded
from polyprobe.items import Form
from polyprobe.probing.item_vectors import LayersTogether, LayerVectors, layers_together, side_by_side
from tests.probing.small_tests import examples

FORMS = [Form(f"sana{number:02}") for number in range(50)]


class TwoEpochs(Encoder):
    """Two layers at two epochs: layer k of an item is its number times k, in all places."""

    accepts, fingerprint = frozenset({Form}), "ab12"
    layers = tuple(Layer(name, width, epoch) for epoch in (0, 8) for name, width in (("words", 2), ("encoding", 3)))

    def encode(self, items):
        numbers = np.array([[float(item.form[4:])] for item in items], np.float32)
        yield tuple(np.repeat(place * numbers, layer.width, 1) for place, layer in enumerate(self.layers, start=1))


@pytest.fixture(params=["float32", "float16"])
def items(request, tmp_path, monkeypatch):
    monkeypatch.setattr(store, "BLOCK_ITEMS", 8)
    encoded(
        TwoEpochs(), FORMS[:20], VectorCache(folder=tmp_path, number=request.param)
    )  # further blocks, of which some items are not asked for
    return encoded(TwoEpochs(), FORMS[10:], VectorCache(folder=tmp_path, number=request.param))


def test_layers_of_an_epoch_are_one_layer():
    together = layers_together(TwoEpochs.layers)
    assert together == {Layer("all", 5, 0): [0, 1], Layer("all", 5, 8): [2, 3]}


def test_columns_are_the_layers_one_after_another(items):
    expected = np.hstack([items.matrix(2), items.matrix(3)])
    matrix = side_by_side(items, [2, 3]).numpy()
    assert matrix.dtype == items.blocks[0].vectors[0].dtype
    np.testing.assert_array_equal(matrix, expected)


def test_layers_together_hold_the_wanted_items_alone(items):
    wanted = examples([(form,) for form in FORMS[10:]], [0] * 40)
    together, apart = LayersTogether(items, "source"), LayerVectors(items, "source")
    assert [layer.epoch for layer in together.layers] == [0, 8]
    assert [len(matrix) for matrix in together.matrices] == [40, 40]
    rows = together.rows(wanted)[:, 0]
    np.testing.assert_array_equal(together.matrices[1][rows][:, 2:], apart.matrices[3][apart.rows(wanted)[:, 0]])
    assert together.matrices[0][rows][:, 0].tolist() == list(range(10, 50))


def test_vectors_are_there_after_their_memory_was_released(items):
    first = side_by_side(items, [0, 1])
    np.testing.assert_array_equal(side_by_side(items, [0, 1]), first)
