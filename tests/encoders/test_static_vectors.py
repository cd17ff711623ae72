"""What static_vectors alone promises; the promises of every encoder stand in test_contract.py."""

import hashlib

import numpy as np
import pytest

from polyprobe.encoders.static_vectors import StaticVectors
from polyprobe.errors import BadValue
from polyprobe.items import Form, Sentence, TokenInContext

ROWS = {"talo": (1, 2), "ışık": (3, 4), "Talo": (5, 6), "New York": (7, 8), "i̇l": (9, 10)}


def encoder(folder, rows=ROWS, **changes) -> StaticVectors:
    path = folder / "words.vec"
    lines = [f"{len(rows)} 2\n", *(f"{word} {first} {second}\n" for word, (first, second) in rows.items())]
    path.write_text("".join(lines), encoding="utf-8")
    options = {"path": path, "format": None, "unknown": "shared", "seed": 1, "lowercase": False, "dotless_i": False}
    return StaticVectors(**{**options, **changes})


def vectors(encoder: StaticVectors, *words: str) -> list[list[float]]:
    (layer,) = zip(*encoder.encode([Form(word) for word in words]), strict=True)
    return np.concatenate(layer).tolist()


def test_a_word_has_the_vector_of_its_row(tmp_path):
    assert vectors(encoder(tmp_path), "Talo", "New York", "talo") == [[5, 6], [7, 8], [1, 2]]


@pytest.mark.parametrize(
    ("lowercase", "dotless_i", "word", "expected"),
    [(True, False, "TALO", [1, 2]), (True, True, "IŞIK", [3, 4]), ("python", True, "İL", [9, 10])],
)
def test_a_word_is_looked_up_after_the_case_rule(tmp_path, lowercase, dotless_i, word, expected):
    assert vectors(encoder(tmp_path, lowercase=lowercase, dotless_i=dotless_i), word) == [expected]


def test_a_token_is_its_form_and_a_sentence_the_mean_of_its_words(tmp_path):
    ((layer,),) = encoder(tmp_path).encode([TokenInContext(("talo", "ışık"), 1), Sentence(("talo", "ışık", "talo"))])
    np.testing.assert_allclose(layer, [[3, 4], [5 / 3, 8 / 3]], rtol=1e-6)


@pytest.mark.parametrize(
    ("rows", "expected"), [({"UNK": (1, 1), "<unk>": (0, 9)}, [0, 9]), ({"UNK": (1, 1), "unk": (2, 2)}, [2, 2])]
)
def test_unknown_words_share_the_row_that_the_file_has_for_them(tmp_path, rows, expected):
    assert vectors(encoder(tmp_path, {**ROWS, **rows}), "yy", "zz") == [expected, expected]


def test_without_such_a_row_they_share_one_normal_vector(tmp_path):
    here = encoder(tmp_path)
    first, second, known = vectors(here, "yy", "zz", "talo")
    assert first == second != known
    assert vectors(here, "zz", "Talo") == [first, [5, 6]]


def test_with_unknown_own_each_has_its_own_vector_whatever_rows_the_file_has(tmp_path):
    here = encoder(tmp_path, {**ROWS, "<unk>": (0, 9)}, unknown="own")
    first, second = vectors(here, "yy", "zz")
    assert first != second
    assert vectors(here, "zz", "yy", "<unk>") == [second, first, [0, 9]]
    assert vectors(encoder(tmp_path, {**ROWS, "<unk>": (0, 9)}, unknown="own", seed=2), "yy") != [first]


def test_normal_vectors_have_the_mean_and_the_deviation_of_the_files_numbers(tmp_path):
    rows = {
        f"w{number}": (4 + 3 * (number % 2), 4 + 3 * (number % 2)) for number in range(10)
    }  # mean 5.5, deviation 1.5
    drawn = np.array(vectors(encoder(tmp_path, rows, unknown="own"), *(f"u{number}" for number in range(500))))
    assert drawn.mean() == pytest.approx(5.5, abs=0.2)
    assert drawn.std() == pytest.approx(1.5, abs=0.15)


def test_known_says_which_words_the_file_has_under_the_case_rule(tmp_path):
    here = encoder(tmp_path, lowercase=True)
    assert here.known(["TALO", "zz", "talo", "New York", ""]).tolist() == [True, False, True, False, False]
    assert here.known([]).tolist() == []


def test_the_file_is_read_once_however_often_words_are_asked_for_as_known(tmp_path):
    here = encoder(tmp_path)
    vectors(here, "talo", "zz")
    here.file.path.unlink()
    assert here.known(["zz", "talo"]).tolist() == [False, True]


def test_the_fingerprint_knows_what_a_detected_format_is(tmp_path):
    assert encoder(tmp_path).fingerprint == encoder(tmp_path, format="word2vec_text").fingerprint


def test_without_a_file_both_keys_that_name_it_are_said():
    with pytest.raises(BadValue, match=r"encoder\.path must be .*vectors=.*encoder\.path="):
        StaticVectors(path=None, format=None, unknown="own", seed=1, lowercase=False, dotless_i=False)


def test_what_was_read_is_known_by_its_sizes_and_digest(tmp_path):
    found = encoder(tmp_path).provenance
    digest = hashlib.sha256((tmp_path / "words.vec").read_bytes()).hexdigest()
    assert found == {"files": {"words.vec": digest}, "vocabulary": 5, "width": 2}
