"""The small vector files with expected values that stand beside the corpora."""

import json
from pathlib import Path

import numpy as np
import pytest

from polyprobe.encoders.fasttext import Fasttext
from polyprobe.encoders.static_vectors import StaticVectors
from polyprobe.formats.vectors.fasttext_bin import ngram_hashes, read_head, read_vectors
from polyprobe.formats.vectors.word_vectors import opened
from polyprobe.items import Form

pytestmark = pytest.mark.real_data


@pytest.fixture
def folder(data_folder) -> Path:
    return data_folder / "vectors"


def test_every_ngram_has_its_published_hash(folder):
    cases = json.loads((folder / "fasttext_ngrams_hashes.json").read_text(encoding="utf-8"))
    settings = [(word, size, rows) for word, by_size in cases.items() for size, rows in by_size.items()]
    assert len(settings) == 32
    for word, size, rows in settings:
        min_n, max_n = map(int, size.split("-"))
        assert ngram_hashes([word], min_n, max_n)[1].tolist() == [hashed for _, hashed in rows], (word, size)


def test_a_fasttext_model_has_its_expected_head_and_vectors(folder):
    expected = json.loads((folder / "tiny_fasttext_expected.json").read_text(encoding="utf-8"))
    model = read_head(folder / "tiny_fasttext.bin")
    head, dictionary = expected["header"], expected["dictionary"]
    assert (model.width, model.n_buckets, model.min_n, model.max_n) == tuple(
        head[key] for key in ("dim", "bucket", "minn", "maxn")
    )
    assert (model.n_words, model.n_entries) == (dictionary["nwords"], dictionary["size"])
    vectors = [case["vector"] for case in expected["vectors"].values()]
    np.testing.assert_allclose(read_vectors(model, list(expected["vectors"])), vectors, rtol=0, atol=1e-6)


def test_the_encoder_gives_the_expected_vectors(folder):
    expected = json.loads((folder / "tiny_fasttext_expected.json").read_text(encoding="utf-8"))["vectors"]
    encoder = Fasttext(folder / "tiny_fasttext.bin", lowercase=False, dotless_i=False)
    ((layer,),) = encoder.encode([Form(word) for word in expected])
    np.testing.assert_allclose(layer, [case["vector"] for case in expected.values()], rtol=0, atol=1e-6)


def test_the_text_and_the_binary_file_of_one_model_agree(folder):
    files = [opened(folder / f"tiny_word2vec.{end}", None) for end in ("txt", "bin")]
    assert [(file.format, file.width, file.n_rows) for file in files] == [
        ("word2vec_text", 5, 75),
        ("word2vec_binary", 5, 75),
    ]
    rows = (folder / "tiny_word2vec.txt").read_text(encoding="utf-8").split("\n")[1:-1]
    words = [row.split(" ")[0] for row in rows]
    text, binary = (file.read_wanted(words) for file in files)
    assert text.words == binary.words == tuple(words)
    np.testing.assert_allclose(text.vectors, binary.vectors, rtol=1e-5)
    np.testing.assert_array_equal(text.vectors, np.array([row.split(" ")[1:] for row in rows]).astype(np.float32))


def test_the_encoder_reads_both_files(folder):
    options = {"format": None, "unknown": "shared", "seed": 1, "lowercase": True, "dotless_i": True}
    encoders = [StaticVectors(folder / f"tiny_word2vec.{end}", **options) for end in ("txt", "bin")]
    for encoder in encoders:
        assert encoder.known(["BİR", "zzzz"]).tolist() == [True, False]
    assert encoders[0].fingerprint != encoders[1].fingerprint
