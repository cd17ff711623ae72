"""What the files of a foreign transformer claim: told in one line, nothing of it made, nothing of it run."""

import json
from pathlib import Path

import pytest
import torch

from polyprobe.encoders.transformer.files import NotATransformer, weight_files
from polyprobe.encoders.transformer.model import FrozenTransformer, Weights
from tests.encoders.tiny_transformers import write_transformer
from tests.encoders.unpickled_marker import Marker

SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "intermediate_size", "num_labels")
ABSURD = (10**12, 10**30, -1, "768", [1], {}, 1.5, None)
OTHERS = {"model_type": [1], "hidden_act": 3, "auto_map": 7, "quantization_config": 1, "dtype": "768"}
OTHERS |= {"pad_token_id": 10**6, "transformers_weights": "../../elsewhere.safetensors"}
CASES = [(key, value) for key in SIZES for value in ABSURD] + list(OTHERS.items())
HARMLESS = [("num_labels", -1)]  # a number of names that nobody reads


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


def is_told_in_one_line(folder: Path, seed: int | None) -> bool:
    try:
        FrozenTransformer(folder, Weights(seed=seed))
    except NotATransformer as error:
        return "\n" not in str(error)
    return False


@pytest.mark.parametrize("seed", [None, 1])
def test_absurd_sizes_and_types_are_told_in_one_line(folder, config, seed):
    taken = []
    for key, value in CASES:
        (folder / "config.json").write_text(json.dumps({**config, key: value}))
        if not is_told_in_one_line(folder, seed):
            taken.append((key, value))
    assert taken == HARMLESS


@pytest.mark.parametrize(
    "content",
    ["[" * 100_000, '{"a":' * 9_000 + "1" + "}" * 9_000, '{"a":' * 200 + "1" + "}" * 200, "[]", "7", "", '{"a": "\\'],
    ids=["deep lists", "deep objects", "deep enough", "list", "number", "nothing", "cut off"],
)
def test_a_configuration_that_is_none_is_told_in_one_line(folder, config, content):
    (folder / "config.json").write_text(content)
    assert "config.json: it is " in refused(folder, None)


def test_what_is_claimed_is_held_to_the_weights(folder, config):
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": 10**9}))
    assert "claims 8,000,001,496 parameters, its weights have 12,480 bytes" in refused(folder, None)


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
