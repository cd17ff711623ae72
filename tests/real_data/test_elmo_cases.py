"""Vectors of the released programs for small models in both public formats."""

import json
import shutil

import numpy as np
import pytest

from polyprobe.encoders.elmo import ElmoEncoder
from polyprobe.items import Form, TokenInContext
from polyprobe.models.elmo.files import find_elmo

pytestmark = pytest.mark.real_data


@pytest.fixture
def allennlp(data_folder, tmp_path):
    for name in ("options.json", "weights.hdf5"):
        shutil.copy(data_folder / f"vectors/tiny_elmo_{name}", tmp_path)
    return tmp_path


def encode(folder, items):
    encoder = ElmoEncoder(folder, None, lowercase=False, dotless_i=False, batch_words=64, device=None)
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


def expected(path):
    return json.loads(path.read_text(encoding="utf-8"))


def assert_equals_the_released_program(folder, cases):
    items = [TokenInContext(tuple(case["tokens"]), index) for case in cases for index in range(len(case["tokens"]))]
    layers = [np.concatenate([case["layers"][number] for case in cases]) for number in range(3)]
    layers.append(np.concatenate([case["average"] for case in cases]))
    for found, layer in zip(encode(folder, items), layers, strict=True):
        np.testing.assert_allclose(found, layer, rtol=0, atol=1e-5)


def test_sentences_have_the_vectors_of_allennlp(data_folder, allennlp):
    cases = expected(data_folder / "vectors/tiny_elmo_expected.json")["sentences"]
    assert_equals_the_released_program(allennlp, cases)


def test_words_alone_have_the_vectors_of_allennlp(data_folder, allennlp):
    cases = expected(data_folder / "vectors/tiny_elmo_expected.json")["single_word_sentences"]
    found = encode(allennlp, [Form(case["token"]) for case in cases])
    for number in range(3):
        np.testing.assert_allclose(found[number], [case["layers"][number] for case in cases], rtol=0, atol=1e-5)


def test_sentences_have_the_vectors_of_elmo_for_many_languages(data_folder):
    folder = data_folder / "vectors/tiny_emfl.model"
    assert_equals_the_released_program(folder, expected(folder / "expected.json")["sentences"])


def test_words_are_spelled_as_in_elmo_for_many_languages(data_folder):
    folder = data_folder / "vectors/tiny_emfl.model"
    cases = expected(folder / "expected.json")
    spelling = find_elmo(folder).spelling
    (begin, end, word), word_ids = spelling.spelled(["ev"])
    assert spelling.padded([begin, word, end], 100).tolist() == cases["char_ids_of_bos_ev_eos"]
    assert [word_ids[0], word_ids[2], word_ids[1]] == cases["word_ids"]


def test_words_are_spelled_as_in_allennlp(data_folder, allennlp):
    """The released ids are one higher: 0 is kept for padded words."""
    cases = expected(data_folder / "vectors/tiny_elmo_expected.json")["char_ids"]
    spelling = find_elmo(allennlp).spelling
    (begin, _, *words), _ = spelling.spelled(["ev", "çok"])
    padded = spelling.padded([begin, *words], 100)
    assert (padded[:, :16] + 1).tolist() == [cases["<S>"], cases["ev"], cases["çok"]]
