"""What every encoder promises, as one table over every kind."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.items import Form, Sentence, TokenInContext
from tests.encoders.all_kinds import every_kind
from tests.encoders.contract_items import NFC, NFD, accepted, encode


def assert_equal_vectors(found: list[np.ndarray], expected: list[np.ndarray]) -> None:
    """To 1e-5 of the largest absolute value."""
    for found_layer, expected_layer in zip(found, expected, strict=True):
        np.testing.assert_allclose(found_layer, expected_layer, rtol=0, atol=1e-5 * np.abs(expected_layer).max())


@every_kind
def test_an_item_has_the_same_vector_alone_and_in_company(kind, tmp_path):
    encoder = kind.build(tmp_path)
    items = accepted(encoder)
    alone = [encode(encoder, [item]) for item in items]
    assert_equal_vectors(encode(encoder, items), [np.concatenate(layer) for layer in zip(*alone, strict=True)])


@every_kind
def test_the_order_of_items_does_not_matter(kind, tmp_path):
    encoder = kind.build(tmp_path)
    items = accepted(encoder)
    order = np.random.default_rng(5).permutation(len(items))
    shuffled = encode(encoder, [items[position] for position in order])
    assert_equal_vectors(shuffled, [layer[order] for layer in encode(encoder, items)])


@every_kind
def test_a_repeated_item_has_equal_vectors(kind, tmp_path):
    for layer in encode(kind.build(tmp_path), [Form("talo"), Form("auto"), Form("talo")]):
        np.testing.assert_allclose(layer[0], layer[2], atol=1e-6)


RESTARTED = """
import pathlib
import sys

import numpy as np

from tests.encoders.contract_items import accepted, encode
from tests.encoders.all_kinds import KINDS

for kind in KINDS:
    folder = pathlib.Path(sys.argv[1]) / kind.name
    folder.mkdir()
    encoder = kind.build(folder)
    fingerprint = np.frombuffer(encoder.fingerprint.encode(), np.uint8)
    np.savez(f"{folder}.npz", *encode(encoder, accepted(encoder)), fingerprint=fingerprint)
"""


@pytest.fixture(scope="module")
def restarted(tmp_path_factory):
    """What a fresh process, with another hash seed for strings, that works in another folder writes for every kind."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-c", RESTARTED, str(elsewhere)], check=True, env=environment)
    return elsewhere


@every_kind
def test_vectors_and_fingerprint_survive_a_restart(kind, restarted, tmp_path):
    encoder = kind.build(tmp_path)
    expected = encode(encoder, accepted(encoder))
    with np.load(restarted / f"{kind.name}.npz") as saved:
        assert saved["fingerprint"].tobytes().decode() == encoder.fingerprint
        assert_equal_vectors([saved[f"arr_{number}"] for number in range(len(expected))], expected)


@every_kind
def test_layers_have_the_declared_widths_in_float32(kind, tmp_path):
    encoder = kind.build(tmp_path)
    items = accepted(encoder)
    layers = encode(encoder, items)
    assert [layer.shape for layer in layers] == [(len(items), layer.width) for layer in encoder.layers]
    assert {layer.dtype for layer in layers} == {np.dtype(np.float32)}


@every_kind
def test_no_items_give_no_blocks(kind, tmp_path):
    assert list(kind.build(tmp_path).encode([])) == []


@every_kind
def test_an_unknown_word_has_a_finite_vector(kind, tmp_path):
    for layer in encode(kind.build(tmp_path), [Form("ζζζζ"), Form("\U0001f600")]):
        assert np.isfinite(layer).all()


REFUSED = {
    Form: [(Form(""), "the form is empty")],
    Sentence: [(Sentence(()), "the sentence has no words"), (Sentence(("a", "")), "word 2 of the sentence is empty")],
    TokenInContext: [
        (TokenInContext(("a", "b"), 2), "index must be 0 to 1, got 2"),
        (TokenInContext(("a", "b"), -1), "index must be 0 to 1, got -1"),
    ],
    str: [("taloissa", "not str")],
}


@every_kind
def test_an_item_that_no_vector_can_stand_for_is_refused(kind, tmp_path):
    encoder = kind.build(tmp_path)
    for item, words in [case for item_type in (*encoder.accepts, str) for case in REFUSED[item_type]]:
        with pytest.raises(PolyprobeError, match=f"{kind.name} cannot encode item 2.*{words}"):
            list(encoder.encode([accepted(encoder)[0], item]))


@every_kind
def test_composed_and_decomposed_spellings_are_as_documented(kind, tmp_path):
    assert "NFC" in kind.build(tmp_path).__class__.__doc__
    for layer in encode(kind.build(tmp_path), [Form(NFC), Form(NFD)]):
        assert np.allclose(layer[0], layer[1], atol=1e-6) == kind.nfc_equals_nfd


@every_kind
def test_equal_options_give_one_fingerprint_whatever_the_folder(kind, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    first, second = (kind.build(folder) for folder in folders)
    assert first.fingerprint == second.fingerprint
    assert int(first.fingerprint, 16) >= 0


@every_kind
def test_every_option_that_matters_changes_the_fingerprint(kind, tmp_path):
    encoders = [kind.build(tmp_path), *(kind.build(tmp_path, **changes) for changes in kind.options)]
    assert len({encoder.fingerprint for encoder in encoders}) == len(encoders)
