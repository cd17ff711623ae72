"""Where the files of a transformer come from: folders, snapshots of the hub, nothing at all."""

import json
import shutil

import pytest
from huggingface_hub import HfApi, constants

from src.encoders.base.item_checks import NamedInAFile
from src.encoders.transformer.files import NotATransformer, digests, model_folder, weight_files
from src.errors import PolyprobeError

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A cache of the hub with a model that was fetched before, and no network."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))

    def unreachable(*_, **__):
        raise ConnectionError("Name or service not known")

    monkeypatch.setattr(HfApi, "model_info", unreachable)
    snapshot = tmp_path / "models--owner--tiny" / "snapshots" / SHA
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    (snapshot / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "models--owner--tiny" / "refs").mkdir()
    (tmp_path / "models--owner--tiny" / "refs" / "main").write_text(SHA)
    return snapshot


def test_a_model_fetched_before_is_found_without_a_network(hub):
    assert model_folder("owner/tiny", None, "encoder") == hub
    assert model_folder("owner/tiny", SHA, "encoder") == hub
    assert model_folder(NamedInAFile("owner/tiny"), None, "encoder") == hub
    assert model_folder(NamedInAFile(hub), None, "encoder") == hub


@pytest.mark.parametrize(("revision", "words"), [(None, "owner/other "), ("v2", "owner/other at revision v2 ")])
def test_a_model_that_cannot_be_fetched_is_named_with_its_address_and_what_to_do(hub, revision, words):
    with pytest.raises(PolyprobeError, match=f"{constants.ENDPOINT}/{words}") as error:
        model_folder("owner/other", revision, "encoder")
    assert "Name or service not known" in str(error.value)
    assert "give their folder as encoder.model" in str(error.value)


def test_a_snapshot_without_weights_is_not_taken_for_the_model(hub):
    (hub / "model.safetensors").unlink()
    with pytest.raises(PolyprobeError, match="cannot be fetched"):
        model_folder("owner/tiny", None, "encoder")


@pytest.mark.parametrize("name", ["./absent", "/absent", "a/b/c", "", "~/absent-folder"])
def test_a_path_without_a_folder_is_not_asked_of_the_hub(hub, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PolyprobeError):
        model_folder(name, None, "encoder")


def test_safetensors_come_before_pickles(tmp_path):
    for name in ("pytorch_model.bin", "model.safetensors"):
        (tmp_path / name).write_bytes(b"")
    assert weight_files(tmp_path) == [tmp_path / "model.safetensors"]


def test_weights_in_several_files_are_all_needed(tmp_path):
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors", "c": "model-1.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    (tmp_path / "model-1.safetensors").write_bytes(b"one")
    with pytest.raises(NotATransformer, match=r"model-2\.safetensors is missing"):
        weight_files(tmp_path)
    (tmp_path / "model-2.safetensors").write_bytes(b"two")
    assert len(digests(tmp_path, with_weights=True)) == 3
    (tmp_path / "model.safetensors.index.json").write_text("[]")
    with pytest.raises(NotATransformer, match="it cannot be read"):
        weight_files(tmp_path)


def test_digests_are_of_contents_not_of_places(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "config.json").write_text("{}")
    (tmp_path / "one" / "README.md").write_text("no vector depends on this")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    (tmp_path / "two" / "README.md").write_text("nor on this")
    assert digests(tmp_path / "one", with_weights=True) == digests(tmp_path / "two", with_weights=True)
    (tmp_path / "two" / "config.json").write_text("[]")
    assert digests(tmp_path / "one", with_weights=True) != digests(tmp_path / "two", with_weights=True)
