"""Checkpoints of a transformer's training as epochs of one encoder."""

import json

import numpy as np
import pytest
from huggingface_hub import constants

from polyprobe.encoders.base.encoder import Layer
from polyprobe.encoders.cache.store import VectorCache, encoded
from polyprobe.encoders.inputs.vector_source import VectorSource
from polyprobe.encoders.transformer import encoder as transformer_encoder
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import file_digest
from polyprobe.items import Form, Sentence, TokenInContext
from tests.encoders.kinds.transformer import transformer
from tests.encoders.tiny_transformers import write_transformer

ITEMS = [TokenInContext(("talo", "paloi"), 1), Form("talossa"), Sentence(("x", "al", "ta")), Form("ta")]
SEEDS = {"step1000": 5, "step0": 3, "step200": 4}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("tiny")
    return {name: write_transformer(root / name, "bert", seed) for name, seed in SEEDS.items()}


def of_all(folders, **changes):
    return transformer(None, model=None, folders=[str(folder) for folder in folders.values()], **changes)


def encode(encoder, items=ITEMS):
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


def test_each_layer_at_each_epoch_is_that_of_the_checkpoint_alone(folders):
    one = of_all(folders, layers=[0, 2])
    assert one.layers == tuple(Layer(f"layer_{number}", 8, epoch) for epoch in (0, 200, 1000) for number in (0, 2))
    alone = [
        layer
        for name in ("step0", "step200", "step1000")
        for layer in encode(transformer(folders[name], layers=[0, 2]))
    ]
    for found, expected in zip(encode(one), alone, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert not np.allclose(alone[1], alone[3], atol=0.01)


def test_one_model_is_in_memory_at_a_time_and_each_is_loaded_once_for_a_block(folders, monkeypatch):
    loaded = []
    load = transformer_encoder.FrozenTransformer
    monkeypatch.setattr(transformer_encoder, "FrozenTransformer", lambda *rest: loaded.append(rest[0]) or load(*rest))
    one = of_all(folders)
    encode(one)
    assert [folder.name for folder in loaded] == ["step0", "step200", "step1000"]
    assert one._held[0].name == "step1000"


def test_the_fingerprint_knows_weights_and_epochs_and_no_path(folders, tmp_path):
    same = {name: write_transformer(tmp_path / "same" / name, "bert", seed) for name, seed in SEEDS.items()}
    known = of_all(folders).fingerprint
    assert of_all(same).fingerprint == known
    renumbered = {**same, "step200": same["step200"].rename(tmp_path / "same/step300")}
    reweighted = {**folders, "step200": write_transformer(tmp_path / "step200", "bert", 9)}
    alone, single = transformer(folders["step0"]), of_all({"step0": folders["step0"]})
    others = [of_all(renumbered), of_all(reweighted), alone, single]
    assert len({known, *(other.fingerprint for other in others)}) == 5


def test_it_is_named_by_the_folder_around_its_checkpoints(folders):
    around = folders["step0"].parent
    assert of_all(folders).model_name == f"{around.parent.name}/{around.name}"


def test_fresh_weights_are_those_of_the_architecture_once(folders):
    fresh = of_all(folders).randomised(5)
    assert fresh.layers == tuple(Layer(f"layer_{number}", 8) for number in range(3))
    assert fresh.fingerprint == transformer(folders["step0"]).randomised(5).fingerprint
    for found, expected in zip(encode(fresh), encode(transformer(folders["step0"]).randomised(5)), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_the_cache_keeps_all_epochs(folders, tmp_path):
    one = of_all(folders, layers=[2])
    vectors = encoded(one, ITEMS, VectorCache(folder=tmp_path))
    for number, expected in enumerate(encode(one)):
        np.testing.assert_array_equal(vectors.matrix(number)[vectors.rows(ITEMS)], expected)


def test_the_inputs_of_a_task_are_those_of_one_checkpoint(folders, tmp_path):
    with pytest.raises(PolyprobeError, match=r"one of encoder\.folders"):
        VectorSource(of_all(folders, layers=[2]), VectorCache(folder=tmp_path))
    single = of_all({"step200": folders["step200"]}, layers=[2])
    assert VectorSource(single, VectorCache(folder=tmp_path)).width == 8


def changed_config(folder, **changes):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))
    return folder


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (lambda path: write_transformer(path, "gpt2"), r"differ in model_type \(bert, gpt2\)"),
        (lambda path: changed_config(write_transformer(path, "bert"), num_hidden_layers=1),
         r"differ in num_hidden_layers \(2, 1\)"),
        (lambda path: write_transformer(path, "bert"), "have the same weights. Name each checkpoint once"),
    ],
)  # fmt: skip
def test_checkpoints_that_are_not_of_one_training_are_refused(folders, tmp_path, other, words):
    with pytest.raises(PolyprobeError, match=rf"encoder\.folders: .*step0 and .*/step7 .*{words}"):
        of_all({"step0": folders["step0"], "step7": other(tmp_path / "step7")})


def test_another_vocabulary_is_refused(folders, tmp_path):
    other = write_transformer(tmp_path / "step7", "bert", 9)
    content = json.loads((other / "tokenizer.json").read_text(encoding="utf-8"))
    pieces = content["model"]["vocab"]
    content["model"]["vocab"] = {{"a": "b", "b": "a"}.get(piece, piece): number for piece, number in pieces.items()}
    (other / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(PolyprobeError, match="differ in tokenizer"):
        of_all({"step0": folders["step0"], "step7": other})


def test_revisions_of_a_model_that_was_fetched_before_are_epochs(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    root = tmp_path / "models--owner--tiny"
    (root / "refs").mkdir(parents=True)
    for number, name in enumerate(("step0", "step512")):
        write_transformer(root / "snapshots" / (40 * str(number)), "bert", number)
        (root / "refs" / name).write_text(40 * str(number))
    one = transformer(None, model="owner/tiny", revisions=["step512", "step0"])
    assert (one.model_name, sorted({layer.epoch for layer in one.layers})) == ("owner/tiny", [0, 512])
    alone = transformer(None, model="owner/tiny", revision="step512")
    for found, expected in zip(encode(one)[3:], encode(alone), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_provenance_has_the_digests_of_the_weights_of_each_checkpoint(folders):
    digest = file_digest(folders["step200"] / "model.safetensors")
    assert transformer(folders["step200"]).provenance["files"]["model.safetensors"] == digest
    assert of_all(folders).provenance["files"]["200/model.safetensors"] == digest
    drawn = transformer(folders["step200"], weights="random").provenance["files"]
    assert "model.safetensors" not in drawn
