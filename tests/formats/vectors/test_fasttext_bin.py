"""fastText's .bin: hashes as published, vectors equal to gensim's, damage named."""

import gzip
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gensim.models import FastText
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model
from gensim.test.utils import datapath
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.errors import PolyprobeError
from polyprobe.formats.vectors import fasttext_bin
from polyprobe.formats.vectors.fasttext_bin import ngram_hashes, read_first, read_head, read_vectors
from polyprobe.formats.vectors.vector_rows import UnreadableVectors

SENTENCES = [
    ["çiçekler", "açtı", "evlerin", "önünde", "."],
    ["evlerimizden", "birinde", "пять", "цветов", "vardı", "."],
    ["ev", "a", "ağaç", "日本語", "\U0001f600", "x" * 40, "."],
]
UNSEEN = ["evlerimiz", "b", "é", "цвет", "日本", "\U0001f601\U0001f601", "aaaaaaaa", "y" * 20, " "]
# Smallest and longest n-gram, buckets. With so few of them n-grams of one word share rows.
NGRAMS = [(3, 6, 2000), (5, 5, 300), (1, 2, 7), (2, 3, 50), (4, 3, 50), (3, 0, 50)]


def saved(folder: Path, min_n: int = 3, max_n: int = 6, n_buckets: int = 20, **options) -> Path:
    model = FastText(
        SENTENCES,
        vector_size=5,
        min_count=1,
        min_n=min_n,
        max_n=max_n,
        bucket=n_buckets,
        epochs=3,
        workers=1,
        **options,
    )
    save_facebook_model(model, str(folder / "model.bin"))
    return folder / "model.bin"


def gensim_vectors(path: Path, words: list[str]) -> np.ndarray:
    """Looks words up in gensim; it refuses an unknown word where a model has no rows for n-grams."""
    model = load_facebook_vectors(str(path))
    zeros = np.zeros(model.vector_size, np.float32)
    return np.stack([model[word] if word in model.key_to_index or model.bucket else zeros for word in words])


def assert_equal_to_gensim(path: Path, words: list[str]) -> None:
    found = read_vectors(read_head(path), words)
    np.testing.assert_allclose(found, gensim_vectors(path, words), rtol=0, atol=1e-6)


@pytest.mark.parametrize(("word", "hashed"), [
    ("ev", [1420232484, 1559244270, 815899156]),  # <ev <ev> ev>
    ("a", [2359087600]),  # <a>
])  # fmt: skip
def test_ngrams_of_three_to_six_characters_have_the_published_hashes(word, hashed):
    assert ngram_hashes([word], 3, 6)[1].tolist() == hashed


def test_letters_outside_ascii_are_hashed_with_their_sign():
    assert {2364059036, 3541517248, 2995165245} <= set(ngram_hashes(["çiçek"], 3, 5)[1].tolist())  # <çi çiçek ek>


def plain_hashes(word: str, min_n: int, max_n: int) -> list[int]:
    """Hashes n-gram by n-gram, byte by byte."""
    marked, hashes = f"<{word}>", []
    for start in range(len(marked) if word != "</s>" else 0):
        for end in range(start + min_n, min(start + max_n, len(marked)) + 1):
            if end - start == 1 and (start == 0 or end == len(marked)):
                continue
            value = 2166136261
            for byte in marked[start:end].encode():
                value = (value ^ (byte | 0xFFFFFF00 if byte > 127 else byte)) * 16777619 % 2**32
            hashes.append(value)
    return hashes


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=5),
    st.integers(1, 4),
    st.integers(0, 6),
)
def test_hashes_of_many_words_equal_those_of_each_ngram_alone(words, min_n, max_n):
    owners, hashes = ngram_hashes(words, min_n, max_n)
    expected = [(number, value) for number, word in enumerate(words) for value in plain_hashes(word, min_n, max_n)]
    assert list(zip(owners.tolist(), hashes.tolist(), strict=True)) == expected


@pytest.mark.parametrize(("min_n", "max_n", "n_buckets"), NGRAMS)
def test_vectors_equal_gensims_on_a_model_that_it_trained(tmp_path, monkeypatch, min_n, max_n, n_buckets):
    """Also where the vocabulary comes in small blocks, and words and rows in small portions."""
    path = saved(tmp_path, min_n, max_n, n_buckets)
    words = [*dict.fromkeys(word for sentence in SENTENCES for word in sentence), *UNSEEN]
    assert_equal_to_gensim(path, words)
    monkeypatch.setattr(fasttext_bin, "BLOCK_SIZE", 7)
    monkeypatch.setattr(fasttext_bin, "_ROWS_AT_ONCE", 5)
    monkeypatch.setattr(fasttext_bin, "_WORDS_AT_ONCE", 3)
    assert_equal_to_gensim(path, words)


def test_vectors_equal_gensims_on_a_model_with_hierarchical_softmax(tmp_path):
    assert_equal_to_gensim(saved(tmp_path, hs=1, negative=0, sg=1), ["ev", *UNSEEN])


@pytest.mark.parametrize("name", [
    "lee_fasttext_new.bin",  # by Facebook's program, version 12
    "crime-and-punishment.bin",
    "lee_fasttext.bin",  # the oldest layout, without magic number
    "non_ascii_fasttext.bin",
    "cp852_fasttext.bin",  # words whose bytes are not UTF-8
    "toy-model-pretrained.bin",
])  # fmt: skip
def test_vectors_equal_gensims_on_models_of_other_programs(name):
    path = Path(datapath(name))
    words = [word for word in load_facebook_vectors(str(path)).index_to_key[:300] if word != "</s>"]
    assert any(r"\x" in word for word in words) == (name == "cp852_fasttext.bin")
    assert_equal_to_gensim(path, [*words, *UNSEEN])


def test_the_end_of_a_sentence_has_its_own_row_alone():
    model = read_head(datapath("lee_fasttext_new.bin"))
    (vector,) = read_vectors(model, ["</s>"])
    assert vector.any()
    assert vector.tobytes() in model.path.read_bytes()


def test_a_classifier_is_read_without_its_labels():
    model = read_head(datapath("pang_lee_polarity_fasttext.bin"))
    assert (model.n_words, model.n_entries, model.max_n) == (1694, 1696, 0)
    known, label = read_vectors(model, ["the", "__label__0"])
    assert known.any()
    assert not label.any()


def test_an_unknown_word_without_ngrams_has_zeros(tmp_path):
    path = saved(tmp_path, 5, 5)
    assert not read_vectors(read_head(path), ["zz"]).any()


def test_the_first_words_of_a_model_are_its_most_frequent(tmp_path):
    model = read_head(saved(tmp_path))
    np.testing.assert_array_equal(read_first(model, 1), read_vectors(model, ["."]))
    assert len(read_first(model, 1000)) == model.n_words


def test_no_words_and_repeated_words_are_read(tmp_path):
    model = read_head(saved(tmp_path))
    assert read_vectors(model, []).shape == (0, 5)
    one, two = read_vectors(model, ["ev", "ev"])
    np.testing.assert_array_equal(one, two)


@pytest.fixture(scope="module")
def content(tmp_path_factory) -> bytes:
    return saved(tmp_path_factory.mktemp("model")).read_bytes()


def changed(content: bytes, at: int, layout: str, value: object) -> bytes:
    return content[:at] + struct.pack(layout, value) + content[at + struct.calcsize(layout) :]


def after_words(content: bytes) -> int:
    """Returns the place of the flag for quantisation."""
    at = 92
    for _ in range(struct.unpack_from("<i", content, 64)[0]):
        at = content.index(b"\0", at) + 10
    return at


def with_nan(content: bytes) -> bytes:
    return changed(content, after_words(content) + 17, "<f", np.nan)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda content: changed(content, after_words(content), "<?", True), "the model is quantised"),
        (lambda content: changed(content, 84, "<q", 4), "the model is pruned"),
        (lambda content: changed(content, 4, "<i", 13), "its version is 13. Expected version 11 or 12"),
        (lambda content: changed(content, 0, "<i", 1), "does not start with the magic number"),
        (lambda content: changed(content, 8, "<i", -3), "its options are impossible"),
        (lambda content: changed(content, 8, "<i", 6), "its matrix is .* x 5. Expected .* x 6"),
        (lambda content: changed(content, 40, "<i", 21), "its matrix is 36 x 5. Expected 37 x 5"),
        (lambda content: b"2 3\na 1 2 3\n" * 20, "does not start with the magic number"),
        (gzip.compress, "does not start with the magic number"),
        (lambda content: content[:3], "the file ends after 3 bytes"),
        (lambda content: content[:60], "the file ends after 60 bytes"),
        (lambda content: content[:200], "the vocabulary ends after . of 16 entries"),
        (lambda content: content[: after_words(content) + 3], "truncated before a matrix"),
        (lambda content: content[: after_words(content) + 300], "truncated before a matrix"),
        (lambda content: content[:-1], "it has .* bytes. Expected .* as its matrices say"),
        (lambda content: content + b"\0", "it has .* bytes"),
        (with_nan, "row 1 of its matrix is not finite"),
        (lambda content: b"", "the file ends after 0 bytes"),
    ],
)
def test_a_model_that_cannot_be_read_is_refused_by_name(tmp_path, content, damage: Callable[[bytes], bytes], words):
    path = tmp_path / "model.bin"
    path.write_bytes(damage(content))
    first = content[92 : content.index(b"\0", 92)].decode()
    with pytest.raises(UnreadableVectors, match=rf"model\.bin: .*{words}"):
        read_vectors(read_head(path), [first])


def test_a_model_cut_at_any_byte_is_refused(tmp_path, content):
    path = tmp_path / "model.bin"
    for end in range(0, len(content), 31):
        path.write_bytes(content[:end])
        with pytest.raises(UnreadableVectors):
            read_vectors(read_head(path), ["ev"])


def test_a_model_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(PolyprobeError, match="there is no such file"):
        read_head(tmp_path / "absent.bin")
    with pytest.raises(PolyprobeError, match=f"{tmp_path}: it is a folder. Expected a fastText model"):
        read_head(tmp_path)


def test_a_head_that_claims_more_words_than_the_file_has_room_for_is_refused_at_once(tmp_path, content):
    counts = struct.pack("<3i", 2_000_000_000, 2_000_000_000, 0)
    (tmp_path / "model.bin").write_bytes(content[:64] + counts + content[76:])
    with pytest.raises(UnreadableVectors, match=r"its head claims 2,000,000,000 words, but it has [\d,]+ bytes"):
        read_head(tmp_path / "model.bin")
