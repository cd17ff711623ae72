"""Folders of sentence-transformers: which of their layers there are, what typed options change, what is refused."""

import json
import logging
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.errors import BadValue, Impossible, MissingExtra, PolyprobeError
from polyprobe.items import Form, Sentence, TokenInContext
from tests.encoders.kinds.transformer import transformer
from tests.encoders.plain_transformer import pieces_one_by_one, states_one_by_one
from tests.encoders.sentence_folders import NORMALIZE, dense, drawn, flags, write_json, write_sentence_folder
from tests.encoders.tiny_transformers import write_transformer
from tests.encoders.unpickled_marker import Marker

SENTENCES = [Sentence(("talo", "paloi", "eilen")), Sentence(("ta",)), Sentence(("x", "talossa"))]
QUERY = {"prompts": {"query": "ta al: ", "passage": ""}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("sentence") / "folder"
    return write_sentence_folder(path, flags("cls", "mean"), dense(16, 5), NORMALIZE, of_model=QUERY)


@pytest.fixture(scope="module")
def plain(folder, tmp_path_factory):
    """The same transformer without what sentence-transformers says of it."""
    path = tmp_path_factory.mktemp("plain") / "folder"
    shutil.copytree(folder, path)
    (path / "modules.json").unlink()
    return path


@pytest.fixture
def copied(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "copy")
    return tmp_path / "copy"


def own(folder, **changes):
    return transformer(folder, **{"sentence_pooling": None, **changes})


def encode(encoder, items=SENTENCES):
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


def test_every_layer_is_pooled_as_the_folder_says_and_the_last_is_the_whole_model(folder, plain):
    encoder = own(folder)
    widths = [(layer.name, layer.width) for layer in encoder.layers]
    assert widths == [("layer_0", 16), ("layer_1", 16), ("layer_2", 16), ("sentence_embedding", 5)]
    *hidden, whole = encode(encoder)
    first, mean = (encode(transformer(plain, sentence_pooling=kind)) for kind in ("cls", "mean_with_special_tokens"))
    for found, *expected in zip(hidden, first, mean, strict=True):
        np.testing.assert_allclose(found, np.concatenate(expected, 1), rtol=0, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(whole, axis=1), 1, rtol=1e-5)


def test_layers_are_chosen_by_number_and_by_name(folder):
    every = encode(own(folder))
    found = encode(own(folder, layers=["sentence_embedding", 1]))
    for one, expected in zip(found, [every[1], every[3]], strict=True):
        np.testing.assert_allclose(one, expected, atol=1e-6)
    with pytest.raises(BadValue, match="to 2, or sentence_embedding, or null"):
        own(folder, layers=[3])
    with pytest.raises(BadValue, match="to 2, or null"):
        transformer(folder, layers=["sentence_embedding"])


def test_what_the_folder_decided_is_named_for_rows(folder, plain):
    assert own(folder).resolved == "folder=cls,mean,Dense(5,Tanh),Normalize max_seq_length=24"
    assert own(folder, prompt="query").resolved.endswith(' before="ta al: "')
    assert transformer(folder).resolved is None
    assert own(plain).resolved is None


@pytest.mark.parametrize("pooling", ["mean", "mean_with_special_tokens", "cls", "last"])
def test_with_a_typed_pooling_the_folder_is_its_transformer_alone(folder, plain, pooling):
    one, other = (transformer(path, sentence_pooling=pooling) for path in (folder, plain))
    assert (one.fingerprint, one.layers) == (other.fingerprint, other.layers)


@pytest.mark.parametrize("level", ["token", "type"])
def test_of_words_the_folder_is_its_transformer_alone(folder, plain, level):
    encoder = own(folder, level=level)
    alone = transformer(plain, level=level, sentence_pooling="mean_with_special_tokens")
    assert encoder.fingerprint == alone.fingerprint
    words = [Form("talo"), TokenInContext(("ta", "al"), 1)]
    for one, other in zip(encode(encoder, words), encode(transformer(plain), words), strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(Impossible, match="Form or TokenInContext, not Sentence"):
        encode(encoder)


def test_lower_case_of_the_folder_is_that_of_words_too(copied):
    write_json(copied / "sentence_bert_config.json", {"do_lower_case": True})
    lower, kept = own(copied, level="token"), transformer(copied, level="token")
    assert lower.fingerprint != kept.fingerprint
    for one, other in zip(encode(lower, [Form("TALO")]), encode(kept, [Form("talo")]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_last_piece_is_the_vector_of_a_sentence_of_a_causal_model(tmp_path):
    folder = write_transformer(tmp_path, "gpt2")
    found = encode(transformer(folder, sentence_pooling="last", reading="words"))
    for place, sentence in enumerate(SENTENCES):
        ids, _ = pieces_one_by_one(folder, "gpt2", sentence.words)
        expected = states_one_by_one(folder, ids)[:, -1]
        np.testing.assert_allclose([layer[place] for layer in found], expected, rtol=0, atol=1e-5)


def test_of_a_split_sentence_the_last_piece_is_that_of_its_last_part(plain):
    encoder = transformer(plain, sentence_pooling="last")
    found = encode(encoder, [Sentence(("oooooooooo", "xxxxxxxxxx", "llll", "a"))])
    for one, other in zip(found, encode(encoder, [Sentence(("llll", "a"))]), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)


def test_fresh_weights_are_those_of_the_modules_too(folder):
    encoder = own(folder)
    fresh = encoder.randomised(5)
    assert fresh.layers == encoder.layers
    assert fresh.fingerprint == own(folder, weights="random", seed=5).fingerprint
    one, again = encode(fresh), encode(own(folder, weights="random", seed=5))
    np.testing.assert_array_equal(one[-1], again[-1])
    assert not np.allclose(one[-1], encode(encoder)[-1], atol=0.01)


def test_checkpoints_have_the_layer_of_the_whole_model_each(tmp_path, folder):
    paths = [shutil.copytree(folder, tmp_path / name) for name in ("step1", "step2")]
    write_transformer(paths[1], "bert", seed=8)
    both = own(None, model=None, folders=[str(path) for path in paths])
    assert [(layer.epoch, layer.name) for layer in both.layers][3:5] == [(1, "sentence_embedding"), (2, "layer_0")]
    np.testing.assert_allclose(encode(both)[7], encode(own(paths[1]))[3], atol=1e-6)
    write_json(paths[1] / "1_Pooling/config.json", flags("cls", "max"))
    with pytest.raises(PolyprobeError, match="epochs 1 and 2 make vectors of sentences in different ways"):
        own(None, model=None, folders=[str(path) for path in paths])


# Prompts


def test_a_prompt_of_a_plain_model_is_read_before_its_sentences(plain):
    found = encode(own(plain, prompt="ta al "))
    for one, other in zip(
        found, encode(own(plain), [Sentence(("ta", "al", *s.words)) for s in SENTENCES]), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5)


def test_no_prompt_is_told_from_the_folders_default(copied):
    write_json(copied / "config_sentence_transformers.json", {**QUERY, "default_prompt_name": "query"})
    default, named, without = (own(copied, prompt=prompt).fingerprint for prompt in (None, "query", ""))
    assert default == named != without


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"prompt": "querry"}, r"one of the folder's prompts \(query, passage\), or a text .*, got 'querry'"),
        ({"prompt": 7}, "encoder.prompt must be a text"),
        ({"prompt": "query", "level": "token"}, "null with tests of words"),
        ({"level": "word"}, 'encoder.level "word" is unknown'),
    ],
)
def test_a_wrong_option_is_refused(folder, changes, words):
    with pytest.raises(PolyprobeError, match=words):
        own(folder, **changes)


# What is too long


def test_a_text_over_the_limit_is_cut_and_counted(copied, caplog):
    write_json(copied / "sentence_bert_config.json", {"max_seq_length": 5})
    long = [Sentence(("t", "o", "x", "al", "paloi")), Sentence(("t",))]
    with caplog.at_level(logging.WARNING):
        found = encode(own(copied), long)
    assert "longer than the model's limit: 1. They are truncated" in caplog.text
    np.testing.assert_allclose(found[-1][0], encode(own(copied), [Sentence(("t", "o", "x"))])[-1][0], atol=1e-6)
    with pytest.raises(PolyprobeError, match=r"limit is 5\. To encode such sentences cut: encoder.over_long=split"):
        encode(own(copied, over_long="refuse"), long)


def test_a_prompt_that_leaves_no_room_for_a_sentence_is_told(copied):
    write_json(copied / "sentence_bert_config.json", {"max_seq_length": 4})
    with pytest.raises(PolyprobeError, match=r"encoder.prompt: 't o x al ' has 6 pieces, .* takes 4: .*no room"):
        encode(own(copied, prompt="t o x al "))


# What is not known, or does not go together


def changed(file, **values):
    def change(folder):
        path = folder / file
        write_json(path, {**(json.loads(path.read_text()) if path.is_file() else {}), **values})

    return change


def module(place, **values):
    def change(folder):
        listed = json.loads((folder / "modules.json").read_text())
        listed[place : place + 1] = [{**listed[place], **values}] if values else []
        write_json(folder / "modules.json", listed)

    return change


def written(file, content):
    return lambda folder: (folder / file).write_bytes(content)


def weights(**tensors):
    from safetensors.torch import save_file

    return lambda folder: save_file(tensors, folder / "2_Dense/model.safetensors")


POOLING, DENSE = "1_Pooling/config.json", "2_Dense/config.json"
OF_TRANSFORMER = "sentence_bert_config.json"
OURS = "sentence_transformers.models."
REFUSED = {
    "module of another kind": (module(3, type=f"{OURS}CNN"), "its modules are Transformer, Pooling, Dense, CNN"),
    "no pooling": (module(1), "its modules are Transformer, Dense, Normalize"),
    "code of its own": (module(2, type="custom_st.Dense"), "custom_st.Dense.*code of its own is not run"),
    "folder above": (module(1, path="../1_Pooling"), r'a module lies at "\.\./1_Pooling"'),
    "transformer elsewhere": (module(0, path="0_Transformer"), "its transformer lies in 0_Transformer"),
    "no JSON": (written("modules.json", b"[" * 100_000), "it is no JSON, or too deep"),
    "pooling of another kind": (changed(POOLING, pooling_mode="median"), "Invalid pooling mode: 'median'"),
    "pooling without a file": (lambda folder: (folder / POOLING).unlink(), "the file is missing"),
    "activation that calls": (changed(DENSE, activation_function="os.system"), 'is "os.system". Expected one of torch'),
    "wide output": (changed(DENSE, out_features=10**9), r"its sizes are \[16, 1000000000\]"),
    "damaged weights": (written("2_Dense/model.safetensors", b"\xff" * 190), "it cannot be loaded"),
    "task": (changed(OF_TRANSFORMER, transformer_task="fill-mask"), "has transformer_task"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_known_or_does_not_go_together_is_refused_by_name_at_the_start(copied, case):
    change, words = REFUSED[case]
    change(copied)
    with pytest.raises(NotATransformer, match=words) as refusal:
        own(copied)
    assert str(refusal.value).startswith(str(copied))
    assert "\n" not in str(refusal.value)
    # Its transformer is one all the same, for its hidden layers and for words.
    assert len(transformer(copied).layers) == 3
    assert len(own(copied, level="token").layers) == 3


def test_without_the_package_how_to_install_it_is_said(folder, plain, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setitem(sys.modules, "sentence_transformers.sentence_transformer.modules", None)
    with pytest.raises(MissingExtra, match=r"`pip install 'polyprobe\[sentence\]'`"):
        own(folder)
    for of_transformer in (own(plain), transformer(folder), own(folder, level="token")):
        assert len(of_transformer.layers) == 3


def test_a_pickle_of_a_module_that_runs_code_is_refused(copied, tmp_path):
    import torch

    (copied / "2_Dense/model.safetensors").unlink()
    torch.save({"linear.weight": Marker(tmp_path / "marker")}, copied / "2_Dense/pytorch_model.bin")
    with pytest.raises(NotATransformer, match="nothing in it was executed"):
        own(copied)
    assert not Path(tmp_path / "marker").exists()


def test_the_weights_of_a_module_are_in_the_fingerprint(copied):
    before = own(copied).fingerprint
    weights(**{"linear.weight": drawn(5, 16) * 2, "linear.bias": drawn(5)})(copied)
    assert own(copied).fingerprint != before
