"""A fault inside of a user's own encoder."""

import numpy as np
import pytest

from polyprobe.encoders.base.build import checked_encoder
from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.cache.store import VectorCache, checked_parts, encoded
from polyprobe.errors import PolyprobeError
from polyprobe.items import Form


class Faulty:
    layers, accepts, fingerprint = (Layer("length", 1),), frozenset({Form}), "faulty"

    def encode(self, items):
        yield (np.zeros((1, 1), np.float32),)
        yield self.looked_up(items[1])

    def looked_up(self, item):
        return {}[item.form]


def test_it_is_told_in_one_line_after_the_frames_of_the_user(capsys):
    with pytest.raises(PolyprobeError, match=r"Faulty.encode failed in test_own_faults.py, line 21: KeyError: 'b'\.$"):
        list(checked_parts(checked_encoder(Faulty()), [Form("a"), Form("b")], "float32"))
    told = capsys.readouterr().err
    assert "in encode" in told
    assert "return {}[item.form]" in told
    assert "checked_parts" not in told
    assert "named.py" not in told


@pytest.mark.parametrize("part", [[0.5], None, np.zeros((1, 1))])
def test_what_is_no_array_is_shown_with_what_was_expected(part):
    encoder = Faulty()
    encoder.encode = lambda items: [part]
    with pytest.raises(
        PolyprobeError, match=r"the encoder yields .*\. Expected a tuple of arrays \[items, width\], one"
    ):
        list(checked_parts(checked_encoder(encoder), [Form("a")], "float32"))


class FirstEmpty:
    layers, accepts, fingerprint = (Layer("length", 1),), frozenset({Form}), "first-empty"

    def encode(self, items):
        yield (np.zeros((0, 1), np.float32),)
        yield (np.array([[len(item.form)] for item in items], np.float32),)


def test_a_first_part_may_have_no_items(tmp_path):
    forms = [Form("a"), Form("bb")]
    found = encoded(checked_encoder(FirstEmpty()), forms, VectorCache(folder=tmp_path))
    np.testing.assert_array_equal(found.matrix(0)[found.rows(forms)], [[1], [2]])
