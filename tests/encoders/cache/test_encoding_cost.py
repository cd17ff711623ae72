"""What encoding will cost, before it is paid; what the disk has no room for is refused before the first block."""

import shutil
from collections import namedtuple

import numpy as np
import pytest

from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.encoders.cache import store
from polyprobe.encoders.cache.encoding_cost import EncodingCost
from polyprobe.encoders.cache.store import CacheNotWritten, VectorCache, encoded
from polyprobe.items import Form, TokenInContext

FORMS = [Form(f"talo{number}") for number in range(100)]
Usage = namedtuple("Usage", "total used free")


class Costly(Encoder):
    """Layers 250 wide, with a clock that moves on a second for each item."""

    accepts = frozenset({Form})

    def __init__(self, fingerprint="costly", n_layers=2, weight_bytes=None):
        self.fingerprint, self.weight_bytes, self.now, self.n_encoded = fingerprint, weight_bytes, 0.0, 0
        self.layers = tuple(Layer(f"layer_{number}", 250) for number in range(n_layers))

    def encode(self, items):
        self.now += len(items)
        self.n_encoded += len(items)
        yield tuple(np.ones((len(items), 250), np.float32) for _ in self.layers)

    def n_positions(self, items):
        return 3 * len(items)


@pytest.fixture
def free(monkeypatch):
    """Sets how many bytes the disk has free."""
    return lambda n: monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**12, 0, n))


def test_what_is_not_kept_yet_costs(tmp_path, free):
    free(10**9)
    encoded(Costly(), FORMS[:40], VectorCache(folder=tmp_path))
    cost = EncodingCost.of([Costly(weight_bytes=440_000_000)], FORMS * 2, VectorCache(folder=tmp_path))
    assert [len(cost.new), cost.n_items, cost.n_positions] == [60, 100, 180]
    expected = "distinct items: 100, to encode: 60, positions: about 180, vectors: 122 kB, weights: 440 MB"
    assert cost.line() == expected


def test_a_random_counterpart_costs_too(tmp_path):
    cost = EncodingCost.of([Costly(), Costly("random", 1)], FORMS, VectorCache(folder=tmp_path, number="float16"))
    assert cost.n_positions == 600
    assert 3 * 100 * 250 * 2 < cost.n_bytes < 1.1 * 3 * 100 * 250 * 2


def test_what_is_kept_costs_nothing(tmp_path):
    encoded(Costly(), FORMS, VectorCache(folder=tmp_path))
    cost = EncodingCost.of([Costly(weight_bytes=5)], FORMS, VectorCache(folder=tmp_path))
    assert cost.line() == cost.measured_line() == "distinct items: 100, to encode: 0"


def test_the_time_is_that_of_a_sample_without_what_comes_before_it(tmp_path):
    encoder = Costly()
    cost = EncodingCost.of([encoder], FORMS, VectorCache(folder=tmp_path))
    assert cost.seconds(lambda: encoder.now) == 100
    assert encoder.n_encoded == 65
    assert cost.measured_line().endswith("; less than a minute, extrapolated from 64 of them")
    assert not list(tmp_path.iterdir())


def test_what_the_disk_has_no_room_for_is_told(tmp_path, free):
    free(1000)
    assert "vectors: 203 kB (free: 1 kB)" in EncodingCost.of([Costly()], FORMS, VectorCache(folder=tmp_path)).line()


class CostlySentences(Costly):
    accepts = frozenset({TokenInContext})
    computes_all_words = True


WORDS = [TokenInContext(("talo", "on", str(number), "."), 0) for number in range(100)]


def test_words_that_are_kept_beside_those_asked_for_cost_room(tmp_path, free):
    free(800_000)
    cost = EncodingCost.of([CostlySentences()], WORDS, VectorCache(folder=tmp_path, kept_words="all"))
    expected = "distinct items: 100, to encode: 100, kept with them: 300 other words of their sentences, positions: "
    assert cost.line() == f"{expected}about 300, vectors: 821 kB (free: 800 kB)"
    with pytest.raises(CacheNotWritten, match=r"400 items take 821 kB"):
        encoded(CostlySentences(), WORDS, VectorCache(folder=tmp_path, kept_words="all"))


def test_the_expected_end_is_said_after_the_first_block_of_long_work(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(store, "WORTH_SAYING", 0.0)
    encoded(Costly(), FORMS, VectorCache(folder=tmp_path))
    assert "more, extrapolated from the first 100 of 100 items" in capsys.readouterr().out
    monkeypatch.setattr(store, "WORTH_SAYING", 60.0)
    encoded(Costly("other"), FORMS, VectorCache(folder=tmp_path))
    assert capsys.readouterr().out == ""
