"""Where the files of a transformer come from: folders, snapshots of the hub, nothing at all."""

import json
import os
import shutil
from types import SimpleNamespace

import pytest
from huggingface_hub import HfApi, constants
from huggingface_hub.errors import LocalEntryNotFoundError

from polyprobe.encoders.base.encoder import NamedInAFile
from polyprobe.encoders.transformer import files
from polyprobe.encoders.transformer.files import NotATransformer, digests, model_folder, weight_files
from polyprobe.errors import PolyprobeError
from tests.encoders.kinds.transformer import transformer
from tests.encoders.tiny_transformers import write_transformer
from tests.predictors.kinds.causal import causal
from tests.predictors.tiny_masked import masked
from tests.resources.server import running, send

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
    assert "set their folder as encoder.model" in str(error.value)


def test_a_snapshot_without_weights_is_not_taken_for_the_model(hub):
    (hub / "model.safetensors").unlink()
    with pytest.raises(PolyprobeError, match="cannot be fetched"):
        model_folder("owner/tiny", None, "encoder")


@pytest.mark.parametrize("name", ["./absent", f"{__file__}/absent", "a/b/c", "", "~/absent-folder"])
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


# What of a model is fetched


def of_hub(monkeypatch, folder, names=("config.json",), fetched_before=False):
    """A hub with a model of these files, which lies in a folder once it is fetched; returns what is asked of it."""
    asked = []
    info = SimpleNamespace(siblings=[SimpleNamespace(rfilename=name) for name in names], sha=SHA)
    monkeypatch.setattr(HfApi, "model_info", lambda *_, **__: info)

    def downloaded(model, revision=None, allow_patterns=(), local_files_only=False):
        if local_files_only and not fetched_before:
            raise LocalEntryNotFoundError("nothing here")
        asked.extend(allow_patterns)
        return str(folder)

    monkeypatch.setattr(files, "snapshot_download", downloaded)
    return asked


def test_the_modules_of_sentence_transformers_are_fetched_with_the_transformer(hub, monkeypatch):
    kept = ["config.json", "model.safetensors", "tokenizer.json", "modules.json", "1_Pooling/config.json"]
    kept += ["2_Dense/config.json", "2_Dense/pytorch_model.bin", "3_Dense/model.safetensors"]
    others = ["pytorch_model.bin", "README.md", "onnx/model.onnx", "onnx/config.json", "openvino/config.json"]
    others += ["3_Dense/pytorch_model.bin", "a/1_Pooling/config.json"]
    asked = of_hub(monkeypatch, hub, [*kept, *others])
    model_folder("owner/new", None, "encoder")
    assert sorted(asked) == sorted(kept)


def test_modules_that_were_not_fetched_with_their_transformer_are_fetched(hub, monkeypatch):
    asked = of_hub(monkeypatch, hub, fetched_before=True)
    model_folder("owner/tiny", None, "encoder")
    assert asked == []
    (hub / "modules.json").write_text("[]")
    model_folder("owner/tiny", None, "encoder")
    assert asked == ["config.json"]


def refusing(handler):
    """Answers as the hub does: the names of the files of a gated model are shown; of a private model nothing is."""
    if handler.path.startswith("/api/models/owner/gated"):
        files = [{"type": "file", "path": "config.json", "oid": SHA, "size": 2}]
        info = {"id": "owner/gated", "sha": SHA, "siblings": [{"rfilename": "config.json"}]}
        return send(handler, json.dumps(files if "/tree/" in handler.path else info).encode())
    kinds = {"/owner/gated": (401, "GatedRepo"), "/revision/v2": (404, "RevisionNotFound")}
    status, code = next((one for place, one in kinds.items() if place in handler.path), (401, "RepoNotFound"))
    return send(handler, b"{}", status, X_Error_Code=code)


REFUSED = [
    ("gated", None, "model: owner/gated is gated: .* Accept its terms at .*/owner/gated, then .* HF_TOKEN"),
    ("private", None, "model: http://127.* shows no model owner/private: the name is wrong, or it is private"),
    ("public", "v2", "revision: owner/public has no revision v2. Expected a branch, tag or commit of http"),
]


@pytest.mark.parametrize(("name", "revision", "words"), REFUSED)
def test_a_hub_that_refuses_is_told_by_its_reason(name, revision, words, tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with running() as server:
        server.behaviours = [refusing]
        for constant in ("ENDPOINT", "HUGGINGFACE_CO_URL_TEMPLATE"):
            there = getattr(constants, constant).replace("https://huggingface.co", server.base_url)
            monkeypatch.setattr(constants, constant, there)
        with pytest.raises(PolyprobeError, match=rf"^\w+\.{words}") as refused:
            model_folder(f"owner/{name}", revision, "encoder")
    assert "\n" not in str(refused.value)


# Folders that are no whole models


def masked_at(folder):
    return masked(folder.parent, folder.name)


@pytest.mark.parametrize(
    ("build", "place"),
    [*((build, "quantization_config") for build in (transformer, masked_at, causal)), (transformer, "text_config")],
)
def test_quantised_weights_are_refused_by_name_at_the_start(tmp_path, build, place):
    folder = write_transformer(tmp_path / "bert", "bert")
    config = json.loads((folder / "config.json").read_text())
    config[place] = {"quant_method": "gptq", "bits": 4}
    if place != "quantization_config":
        config[place] = {"quantization_config": config[place]}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(NotATransformer, match=r"its weights are quantised \(gptq\)"):
        build(folder)


@pytest.mark.parametrize(
    "said",
    [
        {"_attn_implementation": "owner/name"},
        {"attn_implementation": "kernels-community/flash-attn2@main:forward"},
        {"attn_implementation": {"": "sdpa", "text_config": "owner/name"}},
        {"attn_implementation": "flash_attention_2"},  # without the package flash_attn
        {"_experts_implementation": "sonicmoe"},
        {"text_experts_implementation": "deepgemm"},
        {"text_config": {"inner": [{"_attn_implementation": "owner/name"}]}},
    ],
)
def test_code_of_a_hub_for_attention_or_experts_is_refused_by_name(tmp_path, said):
    folder = write_transformer(tmp_path / "bert", "bert")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **said}))
    with pytest.raises(NotATransformer, match=r'implementation is ".*", which is code from a hub; nothing was fetched'):
        transformer(folder)
    assert os.environ["USE_HUB_KERNELS"] == "0"


@pytest.mark.parametrize("said", [{"attn_implementation": "eager"}, {"attn_implementation": {"": "sdpa"}}])
def test_implementations_of_transformers_itself_are_taken(tmp_path, said):
    folder = write_transformer(tmp_path / "bert", "bert")
    config = json.loads((folder / "config.json").read_text())
    others = {"cache_implementation": "hybrid", "_attn_implementation_autoset": True, "_attn_implementation": None}
    (folder / "config.json").write_text(json.dumps({**config, **others, **said}))
    assert transformer(folder).layers
