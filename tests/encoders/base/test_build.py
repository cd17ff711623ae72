"""A user's own encoder: from the working directory to a result."""

import sys

import numpy as np
import pytest

from polyprobe.encoders.base.build import checked_encoder, make_encoder
from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.errors import PolyprobeError
from polyprobe.items import Form

MINE = """
import numpy as np
from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.items import Form


class Length(Encoder):
    accepts = frozenset({Form})

    def __init__(self, power=1):
        self.power, self.layers, self.fingerprint = power, (Layer("length", 1),), f"length-{power}"

    def encode(self, items):
        yield (np.array([[len(item.form) ** self.power] for item in items], dtype=np.float32),)
"""


class Bare:
    layers = (Layer("ones", 2),)
    accepts = frozenset({Form})
    fingerprint = "bare-1"

    def encode(self, items):
        yield (np.ones((len(items), 2), np.float32),)


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "mine_of_test_own.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_a_class_of_the_working_directory_is_found_and_takes_its_options(here):
    encoder = make_encoder({"_target_": "mine_of_test_own.Length", "power": 2})
    ((vectors,),) = encoder.encode([Form("talo")])
    assert (vectors.tolist(), encoder.fingerprint) == ([[16]], "length-2")


def test_what_an_encoder_lacks_is_named():
    class Half:
        layers, encode = (), None

    with pytest.raises(PolyprobeError, match="Half is no encoder: it has no accepts and no fingerprint"):
        checked_encoder(Half())


@pytest.mark.parametrize("layers", [("static", "contextual"), "static", (), 3])
def test_layers_that_are_no_layers_are_named(layers):
    wrong = Bare()
    wrong.layers = layers
    with pytest.raises(PolyprobeError, match=r"layers of Bare must be Layer objects, such as .*, got "):
        checked_encoder(wrong)


def test_a_class_without_the_base_class_gets_what_that_gives():
    encoder = checked_encoder(Bare())
    assert isinstance(encoder, Encoder)
    assert encoder.known(["talo"]) is None
    assert encoder.randomised(1) is None
    assert next(encoder.encode([Form("talo")]))[0].shape == (1, 2)


def test_what_a_class_says_of_itself_is_asked():
    class Knowing(Bare):
        def known(self, words):
            return np.array([word == "talo" for word in words])

        def randomised(self, seed):
            return f"fresh {seed}"

    encoder = checked_encoder(Knowing())
    assert encoder.known(["talo", "auto"]).tolist() == [True, False]
    assert encoder.randomised(3) == "fresh 3"
