"""What fasttext alone promises; the promises of every encoder stand in test_contract.py."""

import numpy as np
import pytest

from polyprobe.encoders.fasttext import Fasttext
from polyprobe.formats.vectors.fasttext_bin import read_vectors
from polyprobe.formats.vectors.vector_rows import UnreadableVectors
from polyprobe.items import Form, Sentence, TokenInContext
from tests.encoders.kinds.fasttext import build


def test_items_are_their_words_under_the_case_rule(tmp_path):
    encoder = build(tmp_path, lowercase=True, dotless_i=True)
    words = ["paloi", "ılık", "."]
    ((layer,),) = encoder.encode([Form("PALOi"), TokenInContext(("a", "ILIK"), 1), Sentence(("Paloi", "ILIK", "."))])
    vectors = read_vectors(encoder.model, words)
    np.testing.assert_allclose(layer, [vectors[0], vectors[1], vectors.mean(axis=0)], atol=1e-6)


def test_words_that_share_their_ending_are_nearer_than_others(tmp_path):
    """Unseen words have vectors of their own: the n-grams make them."""
    ((layer,),) = build(tmp_path).encode([Form("mökissämme"), Form("järvissämme"), Form("kahvia")])
    first, second, other = layer / np.linalg.norm(layer, axis=1, keepdims=True)
    assert first @ second > first @ other


@pytest.mark.parametrize(("name", "words"), [("absent.bin", "there is no such file"), ("cut.bin", "the file ends")])
def test_a_file_that_is_neither_is_refused_as_a_model(tmp_path, name, words):
    (tmp_path / "cut.bin").write_bytes(b"\x01\x02\x03")
    with pytest.raises(UnreadableVectors, match=rf"{name}: {words}"):
        Fasttext(tmp_path / name, lowercase=False, dotless_i=False)


@pytest.mark.parametrize("text", ["2 3\nfoo 1 2 3\nbar 1 2 3\n", "foo 1 2 3\nbar 1 2 3\n"])
def test_a_file_of_vectors_without_ngrams_names_the_encoder_that_reads_it(tmp_path, text):
    path = tmp_path / "wiki.vec"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableVectors, match=r"wiki\.vec.* encoder=static_vectors reads such a file"):
        Fasttext(path, lowercase=False, dotless_i=False)


def test_what_was_read_is_known_by_its_sizes_and_digest(tmp_path):
    found = build(tmp_path).provenance
    sizes = {"vocabulary": 9, "width": 6, "ngrams": "3-5"}
    assert {**found, "files": [*found["files"]]} == {"files": ["1.bin"], **sizes}
