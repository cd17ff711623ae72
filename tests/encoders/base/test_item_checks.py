"""What encoders refuse before they compute anything; the rest stands in the contract table."""

from pathlib import Path

import pytest

from polyprobe.encoders.base.encoder import path_of
from polyprobe.encoders.fasttext import Fasttext
from polyprobe.encoders.table import Table
from polyprobe.errors import BadValue
from tests.encoders.kinds import checkpoint, elmo, static_vectors, subword_vectors, transformer


@pytest.mark.parametrize("value", [None, 2024, ["a"]])
def test_what_is_no_name_of_a_file_is_refused_by_its_key(value):
    assert path_of("encoder.path", "2024") == Path("2024")
    with pytest.raises(BadValue, match=r"encoder\.path must be the name of a file or folder"):
        path_of("encoder.path", value)


@pytest.mark.parametrize(
    ("build", "key"),
    [
        (lambda folder: static_vectors.build(folder, path=None), "path"),
        (lambda folder: Fasttext(None, lowercase=True, dotless_i=False), "path"),
        (lambda folder: subword_vectors.build(folder, path=None), "path"),
        (lambda folder: subword_vectors.build(folder, model=None), "model"),
        (lambda folder: Table(None), "path"),
        (lambda folder: elmo.build(folder, path=None), "path"),
        (lambda folder: checkpoint.build(folder, run=None), "run"),
        (lambda folder: transformer.TransformerEncoder(**{**transformer.OPTIONS, "model": 2024}), "model"),
    ],
)
def test_every_encoder_of_a_file_names_the_key(tmp_path, build, key):
    with pytest.raises(BadValue, match=rf"encoder\.{key} must be"):
        build(tmp_path)
