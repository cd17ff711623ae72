"""What subword_vectors alone promises; the promises of every encoder stand in test_contract.py."""

import gzip

import numpy as np
import pytest
from sentencepiece import SentencePieceProcessor

from polyprobe.encoders.subword_vectors import SubwordVectors
from polyprobe.errors import PolyprobeError
from polyprobe.items import Form, Sentence
from tests.encoders.kinds.subword_vectors import build
from tests.encoders.small_pieces import WIDTH, table_of, write_pieces, write_text


def vectors(encoder: SubwordVectors, *words: str) -> np.ndarray:
    return np.concatenate([layer for (layer,) in encoder.encode([Form(word) for word in words])])


def mean_of_pieces(folder, word: str) -> np.ndarray:
    pieces = write_pieces(folder)
    table = table_of(pieces)
    return np.mean([table[piece] for piece in SentencePieceProcessor(model_file=str(pieces)).encode_as_pieces(word)], 0)


def test_a_word_is_the_mean_of_its_pieces(tmp_path):
    found = vectors(build(tmp_path), "taloissa", "eilen")
    np.testing.assert_allclose(found, [mean_of_pieces(tmp_path, word) for word in ("taloissa", "eilen")], atol=1e-6)


def test_digits_of_any_script_are_the_digit_zero(tmp_path):
    year, zeros, arabic = vectors(build(tmp_path), "1984", "0000", "١٩٨٤")
    np.testing.assert_array_equal(year, zeros)
    np.testing.assert_array_equal(arabic, zeros)
    kept, zeros = vectors(build(tmp_path, normalise_digits=False), "1984", "0000")
    assert not np.allclose(kept, zeros)


def test_a_stretch_without_a_piece_has_the_vector_of_the_unknown_piece(tmp_path):
    table = table_of(write_pieces(tmp_path))
    np.testing.assert_allclose(vectors(build(tmp_path), "Ω")[0], (table["▁"] + table["<unk>"]) / 2, atol=1e-6)


def test_a_word_without_pieces_has_zeros(tmp_path):
    assert not vectors(build(tmp_path), "\u3000").any()


def test_a_sentence_is_the_mean_of_its_words(tmp_path):
    encoder = build(tmp_path)
    ((sentence,),) = encoder.encode([Sentence(("talo", "eilen"))])
    np.testing.assert_allclose(sentence[0], vectors(encoder, "talo", "eilen").mean(axis=0), atol=1e-6)


def test_the_vectors_may_be_binary_or_packed_or_have_a_row_for_padding(tmp_path):
    expected = vectors(build(tmp_path), "taloissa", "Ω")
    table = table_of(write_pieces(tmp_path)) | {"<pad>": np.zeros(WIDTH, np.float32)}
    path = write_text(table, tmp_path / "padded.vec")
    (tmp_path / "packed.vec.gz").write_bytes(gzip.compress(path.read_bytes()))
    rows = b"".join(piece.encode() + b" " + vector.tobytes() for piece, vector in table.items())
    (tmp_path / "binary.bin").write_bytes(f"{len(table)} {WIDTH}\n".encode() + rows)
    for name in ("padded.vec", "packed.vec.gz", "binary.bin"):
        np.testing.assert_array_equal(vectors(build(tmp_path, path=tmp_path / name), "taloissa", "Ω"), expected)


def test_vectors_of_another_model_are_refused(tmp_path):
    table = table_of(write_pieces(tmp_path))
    fewer = dict(list(table.items())[:-1])
    with pytest.raises(PolyprobeError, match=r"it has 59 rows, but the model has 60 pieces"):
        build(tmp_path, path=write_text(fewer, tmp_path / "fewer.vec"))
    renamed = {piece.replace("▁", "_"): vector for piece, vector in table.items()}
    with pytest.raises(PolyprobeError, match='it has no row for the piece "▁'):
        vectors(build(tmp_path, path=write_text(renamed, tmp_path / "renamed.vec")), "talo")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model": "absent.model"}, "absent.model: there is no such file. Expected a sentencepiece model"),
        ({"model": "."}, r": it is a folder\. Expected a sentencepiece model"),
        ({"path": "absent.vec"}, "absent.vec: there is no such file"),
        ({"normalise_digits": 1}, "encoder.normalise_digits must be true or false"),
    ],
)
def test_what_cannot_be_is_refused_by_name(tmp_path, change, words):
    with pytest.raises(PolyprobeError, match=words):
        build(tmp_path, **change)
