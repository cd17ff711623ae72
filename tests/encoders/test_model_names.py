"""Which model it was, as results tell it."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from polyprobe.display.shown import last_parts
from polyprobe.encoders.base.build import checked_encoder
from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.static_vectors import StaticVectors
from polyprobe.encoders.transformer.files import model_name
from polyprobe.items import Form

SNAPSHOT = Path("/cache/hub/models--google--bert_fi/snapshots/0123456789abcdef0123456789abcdef01234567")


@pytest.mark.parametrize(
    ("model", "folder", "name"),
    [
        ("google/bert_fi", SNAPSHOT, "google/bert_fi@0123456789ab"),
        (str(SNAPSHOT), SNAPSHOT, "google/bert_fi@0123456789ab"),
        ("/home/me/models/mine", Path("/home/me/models/mine"), "models/mine"),
        ("google/bert_fi", Path("/elsewhere/files"), "google/bert_fi"),
    ],
)
def test_a_transformer_has_its_name_on_the_hub_with_the_commit_or_the_end_of_its_path(model, folder, name):
    assert model_name(model, folder) == name


def test_the_end_of_a_path_tells_files_of_one_name_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert last_parts("/data/fi/vectors.vec") == "fi/vectors.vec"
    assert last_parts("vectors.vec") == f"{tmp_path.name}/vectors.vec"
    assert last_parts("/vectors.vec") == "vectors.vec"


def test_vectors_of_a_file_are_named_by_it(tmp_path):
    path = tmp_path / "words.vec"
    path.write_text("2 2\na 1 2\nb 3 4\n", encoding="utf-8")
    encoder = StaticVectors(path=path, format=None, unknown="shared", seed=1, lowercase=False, dotless_i=False)
    assert encoder.model_name == f"{tmp_path.name}/words.vec"


@pytest.mark.parametrize(("given", "name"), [({"model_name": "mine"}, "mine"), ({"model_name": 3}, None), ({}, None)])
def test_an_encoder_of_ones_own_may_have_a_name(given, name):
    needed = {"layers": (Layer("own", 1),), "accepts": {Form}, "fingerprint": "ab", "encode": None}
    assert checked_encoder(SimpleNamespace(**needed, **given)).model_name == name
