"""Sites inside of layers: equal to hooks written by hand, in one run, under a fingerprint of their own."""

import numpy as np
import pytest
import torch
import transformers

from polyprobe.encoders.transformer.inner_sites import inner_sites
from polyprobe.errors import BadValue, PolyprobeError, UnknownChoice
from polyprobe.items import TokenInContext
from tests.encoders.kinds.transformer import transformer
from tests.encoders.plain_transformer import pieces_one_by_one, tokenizer_and_model
from tests.encoders.tiny_transformers import write_transformer
from tests.predictors.tiny_causal import write_causal

WORDS = ("talo", "tas", "on")
SITES = ["residual", "attention", "mlp"]
# Modules of layer 1.
BY_HAND = {
    "bert": {"attention": "encoder.layer.0.attention.output.dense", "mlp": "encoder.layer.0.output.dense"},
    "gpt2": {"attention": "h.0.attn", "mlp": "h.0.mlp"},
    "llama": {"attention": "layers.0.self_attn", "mlp": "layers.0.mlp"},
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("sites")
    folders = {name: write_transformer(root / name, name) for name in ("bert", "gpt2")}
    return {**folders, "llama": write_causal(root, "llama")}


def by_hand(folder, architecture, module):
    """Returns the mean over the pieces of each word of what a module computes: `[words, width]`."""
    of_words = "xlmr" if architecture == "llama" else architecture
    ids, owners = pieces_one_by_one(folder, of_words, WORDS)
    _, model = tokenizer_and_model(folder)
    kept = []
    handle = model.get_submodule(module).register_forward_hook(lambda module, given, output: kept.append(output))
    with torch.no_grad():
        model(torch.tensor([ids]))
    handle.remove()
    states = kept[0][0] if isinstance(kept[0], tuple) else kept[0]
    return np.stack([states.reshape(len(ids), -1)[np.array(owners) == word].mean(0).numpy() for word in range(3)])


def encoded(encoder):
    (layers,) = encoder.encode([TokenInContext(WORDS, index) for index in range(3)])
    return {layer.name: vectors for layer, vectors in zip(encoder.layers, layers, strict=True)}


@pytest.mark.parametrize("architecture", BY_HAND)
def test_sites_are_what_a_hook_on_their_module_sees(folders, architecture):
    found = encoded(transformer(folders[architecture], layers=[0, 1, 2], sites=SITES))
    assert list(found) == [
        "layer_0", "layer_1.attention", "layer_1.mlp", "layer_1", "layer_2.attention", "layer_2.mlp", "layer_2"
    ]  # fmt: skip
    for site, module in BY_HAND[architecture].items():
        np.testing.assert_allclose(
            found[f"layer_1.{site}"], by_hand(folders[architecture], architecture, module), atol=1e-5
        )
    plain = encoded(transformer(folders[architecture]))
    assert all(np.array_equal(found[name], vectors) for name, vectors in plain.items())


def test_what_attention_and_mlp_compute_is_added_to_the_residual_stream(folders):
    found = encoded(transformer(folders["gpt2"], layers=[0, 1], sites=SITES))
    summed = found["layer_0"] + found["layer_1.attention"] + found["layer_1.mlp"]
    np.testing.assert_allclose(summed, found["layer_1"], atol=1e-5)


def test_modules_have_their_own_names_and_widths(folders):
    encoder = transformer(folders["gpt2"], layers=[2], sites=["h.*.mlp.c_fc", "h.0.attn.c_proj"])
    assert [(layer.name, layer.width) for layer in encoder.layers] == [("h.1.mlp.c_fc", 32), ("h.0.attn.c_proj", 8)]
    for name, vectors in encoded(encoder).items():
        np.testing.assert_allclose(vectors, by_hand(folders["gpt2"], "gpt2", name), atol=1e-5)


def test_all_sites_come_from_one_run_that_ends_at_the_highest(folders):
    encoder, runs = transformer(folders["bert"], layers=[1], sites=["attention", "mlp"]), []
    encoder._model.model.register_forward_pre_hook(lambda module, given: runs.append("model"))
    encoder._model.model.encoder.layer[1].register_forward_pre_hook(lambda module, given: runs.append("layer 2"))
    encoded(encoder)
    assert runs == ["model"]


def test_where_layers_are_not_found_one_by_one_they_and_the_sites_come_from_one_run(folders):
    encoder, runs = transformer(folders["bert"], layers=[0, 1], sites=SITES), []
    expected = encoded(encoder)
    encoder._model._places = None  # as of a model with one layer that is used several times
    encoder._model.model.register_forward_pre_hook(lambda module, given: runs.append("model"))
    found = encoded(encoder)
    assert runs == ["model"]
    assert list(found) == list(expected)
    assert all(np.array_equal(found[name], vectors) for name, vectors in expected.items())


def test_sites_are_part_of_the_fingerprint_only_where_they_are_given(folders):
    plain, residual, inner, other = (
        transformer(folders["bert"], sites=sites) for sites in (None, ["residual"], SITES, ["attention"])
    )
    assert plain.fingerprint == residual.fingerprint == transformer(folders["bert"]).fingerprint
    assert len({plain.fingerprint, inner.fingerprint, other.fingerprint}) == 3
    assert (inner.top, other.top) == (2, "layer_2.attention")


def test_random_weights_have_the_same_sites(folders):
    encoder = transformer(folders["bert"], sites=["mlp"])
    random = encoder.randomised(1)
    assert random.layers == encoder.layers
    assert not np.allclose(encoded(random)["layer_1.mlp"], encoded(encoder)["layer_1.mlp"])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"sites": ["h.*.attn.c_porj"]}, UnknownChoice, r"Did you mean h\.\*\.attn\.c_proj"),
        ({"sites": []}, BadValue, "encoder.sites must be a list such as"),
        ({"sites": ["mlp"], "layers": [0]}, BadValue, "layer 0, the embeddings, has none inside"),
        ({"sites": ["h.0.attn.resid_dropout", "h"]}, PolyprobeError, "its module h computes nothing. Expected a state"),
    ],
)
def test_other_sites_are_refused_with_the_nearest_names(folders, options, error, words):
    with pytest.raises(error, match=words):
        transformer(folders["gpt2"], **options)


SMALL = {
    "num_hidden_layers": 2, "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 30,
    "max_position_embeddings": 32, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1,
    "sep_token_id": 2,
}  # fmt: skip
OTHERS = {
    "GPTNeoXConfig": ("layers.1.attention.dense", "layers.1.mlp.dense_4h_to_h"),
    "ModernBertConfig": ("layers.1.attn", "layers.1.mlp"),
    "BloomConfig": ("h.1.self_attention.dense", "h.1.mlp.dense_4h_to_h"),
    "OPTConfig": ("decoder.layers.1.self_attn", "decoder.layers.1.fc2"),
    "DebertaV2Config": ("encoder.layer.1.attention.output.dense", "encoder.layer.1.output.dense"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_families_name_their_sites_otherwise(tmp_path, name):
    more = {"n_layer": 2, "n_head": 2} if name == "BloomConfig" else {}
    more |= {"word_embed_proj_dim": 8, "ffn_dim": 16} if name == "OPTConfig" else {}
    config = getattr(transformers, name)(**SMALL, **more)
    found = inner_sites(tmp_path, config, SITES, [2], lambda: transformers.AutoModel.from_config(config).eval())
    assert tuple(one.module for one in found) == OTHERS[name]
    assert [(one.name, one.width) for one in found] == [("layer_2.attention", 8), ("layer_2.mlp", 8)]


def test_a_family_without_attention_is_refused_and_its_modules_are_named(tmp_path):
    config = transformers.MambaConfig(num_hidden_layers=2, hidden_size=8, vocab_size=30)
    with pytest.raises(PolyprobeError, match=r"\(MambaBlock\) has no attention known here\..*\*\.norm, \*\.mixer"):
        inner_sites(tmp_path, config, ["attention"], [1], AssertionError)
    (found,) = inner_sites(tmp_path, config, ["layers.1.mixer"], [1], AssertionError)
    assert (found.name, found.width) == ("layers.1.mixer", 8)
