"""One layer of an encoder as inputs of a model: each input encoded once, whatever the cache holds already."""

import numpy as np
import pytest

from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.encoders.cache.store import VectorCache, encoded
from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.errors import PolyprobeError
from polyprobe.items import Form, TokenInContext

FIRST, SECOND = ("a", "b", "a"), ("b", "c")


class Lengths(Encoder):
    """Encodes a form as its length, a token as its index and the length of its sentence; remembers what it encoded."""

    def __init__(self, accepts=(Form, TokenInContext), reads_context=False, n_layers=1, value=0.0):
        self.accepts, self.reads_context = frozenset(accepts), reads_context
        self.layers = tuple(Layer(f"layer_{number}", 2) for number in range(n_layers))
        self.fingerprint = f"lengths {value}"
        self.value = value
        self.asked = []

    def encode(self, items):
        self.asked += items
        rows = [
            [len(item.form), self.value] if isinstance(item, Form) else [item.index, len(item.words)] for item in items
        ]
        yield tuple(np.array(rows, np.float32) for _ in self.layers)


def source(folder, **options) -> VectorSource:
    return VectorSource(Lengths(**options), VectorCache(folder=folder))


def test_words_alone_are_encoded_once_each_and_numbered_as_they_are_met(tmp_path):
    words = source(tmp_path)
    words.meet([FIRST, SECOND])
    assert sorted(item.form for item in words.encoder.asked) == ["a", "b", "c"]
    assert words.numbers(FIRST).tolist() == [0, 1, 0]
    assert words.words == ["a", "b", "c"]
    assert words.vectors(np.array([2, 0])).tolist() == [[1, 0], [1, 0]]


def test_words_in_context_have_a_number_for_each_place_of_each_distinct_sentence(tmp_path):
    words = source(tmp_path, reads_context=True)
    words.meet([FIRST, SECOND, FIRST])
    assert [words.numbers(one).tolist() for one in (FIRST, SECOND)] == [[0, 1, 2], [3, 4]]
    assert len(words.encoder.asked) == 5
    assert words.vectors(np.array([2, 3])).tolist() == [[2, 3], [0, 2]]


def test_a_sentence_that_was_not_met_is_encoded_when_it_is_asked_for(tmp_path):
    words = source(tmp_path, reads_context=True)
    words.meet([FIRST])
    assert words.numbers(SECOND).tolist() == [3, 4]
    assert words.vectors(np.array([4, 0])).tolist() == [[1, 2], [0, 3]]
    assert words.numbers(FIRST).tolist() == [0, 1, 2]


def test_numbers_are_the_same_whatever_the_cache_holds_already(tmp_path):
    fresh, later = source(tmp_path / "empty"), source(tmp_path / "full")
    source(tmp_path / "full").meet([("z", "c", "q"), ("b",)])
    for words in (fresh, later):
        words.meet([FIRST, SECOND])
    assert fresh.words == later.words
    np.testing.assert_array_equal(fresh.vectors(np.arange(3)), later.vectors(np.arange(3)))
    assert [item.form for item in later.encoder.asked] == ["a"]


def test_vectors_are_taken_from_among_those_of_further_items(tmp_path):
    words = source(tmp_path, reads_context=True)
    items = [TokenInContext(FIRST, index) for index in range(3)] + [
        TokenInContext(("z",) * 9, index) for index in range(9)
    ]
    encoded(words.encoder, items, VectorCache(folder=tmp_path))
    words.meet([FIRST, SECOND])
    assert len(words.encoder.asked) == len(items) + len(SECOND)
    assert words.vectors(np.arange(5)).tolist() == [[0, 3], [1, 3], [2, 3], [0, 2], [1, 2]]


def test_an_encoder_of_forms_alone_is_never_asked_for_a_context(tmp_path):
    words = source(tmp_path, accepts=(Form,), reads_context=True)
    words.meet([FIRST])
    assert not words.reads_context
    assert all(isinstance(item, Form) for item in words.encoder.asked)


def test_several_layers_are_refused_by_name(tmp_path):
    with pytest.raises(PolyprobeError, match=r"layer_0, layer_1 with encoder\.layers"):
        source(tmp_path, n_layers=2)


def test_the_type_of_number_is_in_the_fingerprint(tmp_path):
    halved = VectorSource(Lengths(), VectorCache(folder=tmp_path, number="float16"))
    assert halved.fingerprint != source(tmp_path).fingerprint


def test_the_root_mean_square_counts_running_words(tmp_path):
    words = source(tmp_path, value=1.0)  # (1, 1) for "a", (4, 1) for "four"
    assert words.rms([("a", "a"), ("four",)]) == pytest.approx(((1 + 1 + 8.5) / 3) ** 0.5)
