"""What the files of a foreign transformer claim: told in one line, nothing of it made, nothing of it run."""

import json
from pathlib import Path

import pytest
import torch

from polyprobe.encoders.transformer.files import NotATransformer, weight_files
from polyprobe.encoders.transformer.model import FrozenTransformer, Weights
from tests.encoders.tiny_transformers import write_transformer
from tests.encoders.unpickled_marker import Marker

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_transformer(tmp_path_factory.mktemp("models") / "bert", "bert")


@pytest.fixture
def config(folder):
    """Returns the configuration, and puts it back."""
    content = (folder / "config.json").read_bytes()
    yield json.loads(content)
    (folder / "config.json").write_bytes(content)


def refused(folder: Path, seed: int | None) -> str:
    with pytest.raises(NotATransformer) as refusal:
        FrozenTransformer(folder, Weights(seed=seed))
    message = str(refusal.value)
    assert message.startswith(str(folder))
    assert "\n" not in message
    return message


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize(
    "wrong",
    [{"hidden_size": "768"}, {"num_attention_heads": 7}, {"hidden_act": 3}, {"model_type": [1]}, {"dtype": "768"}],
)
def test_sizes_and_types_that_no_model_has_are_told_in_one_line(folder, config, seed, wrong):
    (folder / "config.json").write_text(json.dumps({**config, **wrong}))
    refused(folder, seed)


@pytest.mark.parametrize(
    "wrong",
    [{"quantization_config": 1}, {"transformers_weights": "../../elsewhere.safetensors"}],
)
def test_weights_that_are_quantised_otherwise_or_of_another_folder_are_refused(folder, config, wrong):
    (folder / "config.json").write_text(json.dumps({**config, **wrong}))
    assert "config.json: it" in refused(folder, None)


@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, "[]", '{"a": "\\'],
    ids=["deep lists", "list", "cut off"],
)
def test_a_configuration_that_is_none_is_told_in_one_line(folder, config, content):
    (folder / "config.json").write_text(content)
    assert "config.json: it is " in refused(folder, None)


def test_code_that_comes_with_a_model_is_refused_without_advice_to_run_it(folder, config):
    own = {**config, "model_type": "own", "auto_map": {"AutoConfig": "own.Config"}}
    (folder / "config.json").write_text(json.dumps(own))
    assert "trust_remote_code" not in refused(folder, None)


@pytest.mark.parametrize("is_zip", [True, False], ids=["new format", "old format"])
def test_a_pickle_that_runs_code_is_refused_without_advice_to_run_it(tmp_path, is_zip):
    folder = write_transformer(tmp_path / "bert", "bert")
    (folder / "model.safetensors").unlink()
    content = {"embeddings.weight": Marker(tmp_path / "marker")}
    torch.save(content, folder / "pytorch_model.bin", _use_new_zipfile_serialization=is_zip)
    message = refused(folder, None)
    assert not (tmp_path / "marker").exists()
    assert "nothing in it was executed" in message
    assert not any(advice in message for advice in ("weights_only", "trust", "allow_pickle", "safe_globals"))


@pytest.mark.parametrize("length", [2**62, 10**9])
def test_a_header_of_safetensors_longer_than_its_file_is_told_in_one_line(tmp_path, length):
    folder = write_transformer(tmp_path / "bert", "bert")
    (folder / "model.safetensors").write_bytes(length.to_bytes(8, "little") + b"{}" * 20_000)
    assert str(folder) in refused(folder, None)


@pytest.mark.parametrize("name", ["../model.safetensors", "/etc/passwd", "..", "a\0", 7])
@pytest.mark.parametrize("index", ["model.safetensors.index.json", "pytorch_model.bin.index.json"])
def test_an_index_that_names_a_file_outside_its_folder_is_refused(tmp_path, index, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "model.safetensors").write_bytes(b"")
    (tmp_path / "folder" / index).write_text(json.dumps({"weight_map": {"a": name}}))
    with pytest.raises(NotATransformer, match=r"it names .*Expected files of its own folder"):
        weight_files(tmp_path / "folder")
