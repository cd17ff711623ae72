"""Fresh weights, half precision, bad options and bad folders of the transformer encoder."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, FunnelConfig, FunnelModel

from polyprobe.encoders.transformer.encoder_options import TransformerOptions
from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from polyprobe.items import Form, TokenInContext
from polyprobe.runs.names.conf_folders import choice_settings
from tests.encoders.kinds.transformer import transformer
from tests.encoders.tiny_transformers import write_transformer

WORDS = [
    TokenInContext(words, index) for words in (("talo", "paloi"), ("x", "al", "ta")) for index in range(len(words))
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("transformers")
    return {name: write_transformer(root / name, name) for name in ("bert", "t5")}


def encode(encoder, items):
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


# Fresh weights


def test_fresh_weights_are_reproducible_and_others_than_the_pretrained_ones(folders):
    pretrained = encode(transformer(folders["bert"]), WORDS)
    first, again, other = (encode(transformer(folders["bert"], weights="random", seed=s), WORDS) for s in (1, 1, 2))
    for layer, same, pretrained_layer, other_layer in zip(first, again, pretrained, other, strict=True):
        np.testing.assert_array_equal(layer, same)
        assert not np.allclose(layer, pretrained_layer, atol=0.01)
        assert not np.allclose(layer, other_layer, atol=0.01)


def test_fresh_weights_leave_the_global_generator_alone(folders):
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    encode(transformer(folders["bert"], weights="random"), [Form("talo")])
    assert torch.rand(1) == expected


def test_randomised_is_the_same_encoder_with_fresh_weights(folders):
    encoder = transformer(folders["bert"], layers=[1], word_pooling="last")
    pretrained = encode(encoder, WORDS)
    fresh, expected = (
        encoder.randomised(5),
        transformer(folders["bert"], layers=[1], word_pooling="last", weights="random", seed=5),
    )
    assert (fresh.fingerprint, fresh.layers) == (expected.fingerprint, encoder.layers)
    np.testing.assert_array_equal(encode(fresh, WORDS), encode(expected, WORDS))
    np.testing.assert_array_equal(encode(encoder, WORDS), pretrained)


def test_a_folder_without_weights_can_be_drawn_but_not_loaded(tmp_path):
    folder = write_transformer(tmp_path, "bert")
    (folder / "model.safetensors").unlink()
    assert encode(transformer(folder, weights="random"), [Form("talo")])
    with pytest.raises(NotATransformer, match="it has no weights"):
        encode(transformer(folder), [Form("talo")])


@pytest.mark.parametrize(("number_type", "error"), [("bfloat16", 0.05), ("float16", 0.01)])
def test_half_precision_is_close_and_another_encoder(folders, number_type, error):
    exact, half = transformer(folders["bert"]), transformer(folders["bert"], number_type=number_type)
    for one, other in zip(encode(exact, WORDS), encode(half, WORDS), strict=True):
        assert 0 < np.abs(one - other).max() < error * np.abs(one).max()


# Bad options and folders


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"layers": [3]}, BadValue, "encoder.layers must be a list of layers from 0 .* to 2, .* got \\[3\\]"),
        ({"word_pooling": "men"}, UnknownChoice, "Did you mean mean"),
        ({"token_budget": 0}, BadValue, "encoder.token_budget"),
        ({"device": "cuda:99"}, BadValue, "encoder.device"),
        ({"device_map": "auto"}, BadValue, "encoder.device_map must be null with encoder.device=cpu"),
        ({"quantised": "int8", "weights": "random"}, BadValue, r"quantised must be null with encoder\.weights"),
        ({"model": f"{__file__}/folder"}, PolyprobeError, f"there is no folder {__file__}/folder"),
    ],
)
def test_a_wrong_option_is_refused(folders, changes, error, words):
    with pytest.raises(error, match=words):
        transformer(folders["bert"], **changes)


def test_what_a_missing_package_is_needed_for_is_said(folders, tmp_path, monkeypatch):
    monkeypatch.setattr("polyprobe.encoders.transformer.config_checks.find_spec", lambda name: None)
    words = r"needs accelerate and bitsandbytes, which are not installed: pip install 'polyprobe\[large\]'"
    with pytest.raises(PolyprobeError, match=rf"encoder\.quantised=nf4 {words}"):
        transformer(folders["bert"], quantised="nf4")
    folder = shutil.copytree(folders["bert"], tmp_path / "kept_in_8_bits")
    config = json.loads((folder / "config.json").read_text())
    config["quantization_config"] = {"quant_method": "bitsandbytes", "load_in_8bit": True}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(PolyprobeError, match=rf"quantised by bitsandbytes: this {words}"):
        transformer(folder)


@pytest.mark.parametrize("quantised", ["int8", "nf4"])
def test_weights_in_fewer_bits_are_near_and_another_encoder(tmp_path, quantised):
    for package in ("accelerate", "bitsandbytes"):
        pytest.importorskip(package)
    folder = write_transformer(tmp_path, "bert")
    sizes = {"num_hidden_layers": 2, "hidden_size": 128, "num_attention_heads": 2, "intermediate_size": 256}
    BertModel(BertConfig(vocab_size=100, **sizes)).save_pretrained(folder)
    exact, few = transformer(folder), transformer(folder, quantised=quantised)
    assert exact.fingerprint != few.fingerprint
    for layer, (one, other) in enumerate(zip(encode(exact, WORDS), encode(few, WORDS), strict=True)):
        assert np.abs(one - other).max() < 0.2 * np.abs(one).max()
        assert layer == 0 or np.abs(one - other).max() > 0
    assert few.randomised(3).fingerprint == transformer(folder, weights="random", seed=3).fingerprint


def test_layers_in_several_places_are_read_as_those_in_one(folders, monkeypatch, tmp_path):
    pytest.importorskip("accelerate")
    expected, spread = encode(transformer(folders["bert"]), WORDS), transformer(folders["bert"])
    apart = {"embeddings": "cpu", "encoder.layer.0": "cpu", "encoder.layer.1": "disk", "pooler": "cpu"}
    placed = {"device_map": apart, "offload_folder": str(tmp_path)}
    monkeypatch.setattr("polyprobe.encoders.transformer.model._placed", lambda *rest: placed)
    spread.weights = replace(spread.weights, is_spread=True)
    for found, layer in zip(encode(spread, WORDS), expected, strict=True):
        np.testing.assert_array_equal(found, layer)
    assert spread._model.model.encoder.layer[1].output.dense.weight.device.type == "meta"


def test_cls_is_refused_where_nothing_stands_in_front(folders):
    with pytest.raises(BadValue, match="begins with no special token"):
        transformer(folders["t5"], sentence_pooling="cls")


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(NotATransformer, match=r"it has no config\.json"):
        transformer(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "berd"}')
    with pytest.raises(NotATransformer, match=r"its config\.json cannot be used"):
        transformer(tmp_path)


def test_the_weights_of_another_architecture_are_refused(tmp_path):
    folder = write_transformer(tmp_path / "bert", "bert")
    other = write_transformer(tmp_path / "gpt2", "gpt2")
    (folder / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())
    with pytest.raises(NotATransformer, match=r"its weights lack \d+ tensors"):
        encode(transformer(folder), [Form("talo")])


def test_damaged_weights_are_refused(tmp_path):
    folder = write_transformer(tmp_path, "bert")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(NotATransformer, match="its weights cannot be loaded"):
        encode(transformer(folder), [Form("talo")])


def test_hidden_states_that_do_not_fit_the_configuration_are_refused(folders, tmp_path):
    folder = tmp_path / "funnel"  # its decoder has layers that its number of layers leaves out
    shutil.copytree(folders["bert"], folder)
    sizes = {"d_model": 8, "n_head": 2, "d_head": 4, "d_inner": 16}
    FunnelModel(FunnelConfig(vocab_size=100, block_sizes=[1, 1], num_decoder_layers=2, **sizes)).save_pretrained(folder)
    with pytest.raises(NotATransformer, match="the model returned 6 hidden states"):
        encode(transformer(folder), [Form("talo")])


def test_changed_weights_change_the_fingerprint(tmp_path):
    folder = write_transformer(tmp_path, "bert")
    before = transformer(folder).fingerprint
    weights = folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert transformer(folder).fingerprint != before
    assert transformer(folder, weights="random").fingerprint != transformer(folder).fingerprint


def test_every_option_is_a_key_that_the_commands_take():
    keys = choice_settings("encoder", "transformer").keys() - {"_target_"}
    assert keys == TransformerOptions.__dataclass_fields__.keys()
