"""The transformer encoder: alignment, pooling, long sentences, options, bad folders."""

import json
import logging
from functools import cache

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer, ByT5Tokenizer

from src.encoders.transformer import TransformerEncoder
from src.encoders.transformer_files import NotATransformer
from src.encoders.transformer_model import check_fresh
from src.formats.errors import BadValue, PolyprobeError, UnknownChoice
from src.formats.items import Form, Sentence, TokenInContext
from tests.encoders.kinds.transformer import OPTIONS
from tests.encoders.tiny_transformers import ARCHITECTURES, LIMIT, write_transformer

SENTENCES = [("talo", "paloi", "eilen"), ("ta",), ("x", "talossa"), ("o", "o", "o", "o", "o", "o"), ("Xalo", "al")]
WORDS = [TokenInContext(words, index) for words in SENTENCES for index in range(len(words))]
SPECIAL = {"bert": (1, 1), "xlmr": (1, 1), "gpt2": (0, 0), "t5": (0, 1), "mbart": (0, 2)}  # before and after


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("transformers")
    return {name: write_transformer(root / name, name) for name in ARCHITECTURES}


def build(folder, **changes):
    return TransformerEncoder(**{**OPTIONS, "model": str(folder), **changes})


def encode(encoder, items):
    return [np.concatenate(layer) for layer in zip(*encoder.encode(items), strict=True)]


def pieces_one_by_one(folder, architecture, words):
    """Tokenises each word by itself, as it stands behind a blank; gives ids, and the word of each."""
    tokenizer, _ = tokenizer_and_model(folder)
    blank = " " if architecture == "gpt2" else ""
    by_word = [tokenizer(blank + word, add_special_tokens=False)["input_ids"] for word in words]
    before, after = SPECIAL[architecture]
    special = tokenizer("a")["input_ids"]
    prefix, suffix = special[:before], special[len(special) - after :]
    ids = [*prefix, *(piece for pieces in by_word for piece in pieces), *suffix]
    owners = [number for number, pieces in enumerate(by_word) for _ in pieces]
    return ids, [*[-1] * before, *owners, *[-1] * after]


@cache
def tokenizer_and_model(folder):
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    return AutoTokenizer.from_pretrained(folder), model


def states_one_by_one(folder, ids):
    """Gives `[layers, pieces, width]` of one sequence, alone."""
    _, model = tokenizer_and_model(folder)
    with torch.no_grad():
        return torch.stack(model(torch.tensor([ids]), output_hidden_states=True).hidden_states)[:, 0].numpy()


POOLED = {
    "first": lambda pieces: pieces[:, 0],
    "last": lambda pieces: pieces[:, -1],
    "mean": lambda pieces: pieces.mean(1),
    "max": lambda pieces: pieces.max(1),
}


@pytest.fixture(scope="module")
def slow(folders):
    """For each architecture and sentence: the states of all pieces, alone, and the word of each piece."""
    found = {}
    for architecture, folder in folders.items():
        for words in SENTENCES:
            ids, owners = pieces_one_by_one(folder, architecture, words)
            found[architecture, words] = states_one_by_one(folder, ids), np.array(owners)
    return found


def assert_close(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5 * np.abs(other).max())


@pytest.mark.parametrize("pooling", POOLED)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_word_is_pooled_over_its_pieces_in_its_sentence(folders, slow, architecture, pooling):
    expected = []
    for item in WORDS:
        states, owners = slow[architecture, item.words]
        expected.append(POOLED[pooling](states[:, owners == item.index]))
    found = encode(build(folders[architecture], word_pooling=pooling), WORDS)
    assert_close(found, np.stack(expected, axis=1))


@pytest.mark.parametrize("pooling", ["mean", "mean_with_special_tokens", "max", "cls"])
@pytest.mark.parametrize("architecture", ["bert", "xlmr"])
def test_a_sentence_is_pooled_with_or_without_special_tokens(folders, slow, architecture, pooling):
    expected = []
    for words in SENTENCES:
        states, owners = slow[architecture, words]
        counted = np.full(len(owners), True) if pooling == "mean_with_special_tokens" else owners >= 0
        kind = {"max": "max", "cls": "first"}.get(pooling, "mean")
        expected.append(POOLED[kind](states if pooling == "cls" else states[:, counted]))
    found = encode(build(folders[architecture], sentence_pooling=pooling), [Sentence(words) for words in SENTENCES])
    assert_close(found, np.stack(expected, axis=1))


def test_a_form_is_a_sentence_of_one_word(folders):
    encoder = build(folders["bert"])
    assert_close(encode(encoder, [Form("talo")]), encode(encoder, [TokenInContext(("talo",), 0)]))


def test_words_and_sentences_come_in_the_order_of_the_items(folders):
    encoder = build(folders["gpt2"])
    items = [Sentence(SENTENCES[0]), WORDS[4], Form("al"), Sentence(SENTENCES[2]), WORDS[0], Sentence(SENTENCES[0])]
    alone = [encode(encoder, [item]) for item in items]
    assert_close(encode(encoder, items), [np.concatenate(layer) for layer in zip(*alone, strict=True)])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_batches_do_not_change_vectors(folders, architecture):
    items = [*WORDS, *(Form("o" * length) for length in range(1, 20))]
    expected = encode(build(folders[architecture], token_budget=1), items)
    for budget in (40, 10_000):
        encoder = build(folders[architecture], token_budget=budget)
        assert_close(encode(encoder, items), expected)
        assert encoder.fingerprint == build(folders[architecture]).fingerprint


def test_layers_are_those_asked_for_lowest_first(folders):
    every = build(folders["xlmr"])
    some = build(folders["xlmr"], layers=[2, 0])
    assert [layer.name for layer in every.layers] == ["layer_0", "layer_1", "layer_2"]
    assert [layer.name for layer in some.layers] == ["layer_0", "layer_2"]
    all_layers = encode(every, WORDS)
    assert_close(encode(some, WORDS), [all_layers[0], all_layers[2]])


def test_a_word_of_which_the_tokenizer_keeps_nothing_has_the_unknown_piece(folders, caplog):
    encoder = build(folders["bert"])
    with caplog.at_level(logging.WARNING):
        found = encode(encoder, [TokenInContext(("talo", "\u200d", "al"), index) for index in range(3)])
    assert "1 words have no piece" in caplog.text
    caplog.clear()
    # A word of a foreign script is one unknown piece.
    assert_close(found, encode(encoder, [TokenInContext(("talo", "猫", "al"), index) for index in range(3)]))
    assert not caplog.records


def test_a_word_without_a_piece_is_refused_where_there_is_no_unknown_piece(tmp_path):
    folder = write_transformer(tmp_path, "t5")
    for name in ("tokenizer_config.json", "tokenizer.json"):
        content = json.loads((folder / name).read_text())
        content.pop("unk_token", None)
        (folder / name).write_text(json.dumps(content))
    with pytest.raises(PolyprobeError, match=r"makes nothing of the word '\\u200d'"):
        encode(build(folder), [TokenInContext(("al", "\u200d"), 0)])


def test_lower_case_follows_the_language(folders):
    kept, turkish = build(folders["bert"]), build(folders["bert"], lowercase=True, dotless_i=True)
    assert_close(encode(turkish, [Form("İLTA")]), encode(kept, [Form("ilta")]))


# Long sentences. bert takes 24 pieces, 2 of them special tokens; a letter is a piece, only "ta" is one too.
LONG = ("oooooooooo", "xxxxxxxxxx", "llll", "a")  # 10 + 10 | 4 + 1: a third word would not fit


def test_a_long_sentence_is_split_at_the_border_of_a_word(folders, caplog):
    encoder = build(folders["bert"])
    with caplog.at_level(logging.WARNING):
        found = encode(encoder, [TokenInContext(LONG, index) for index in range(4)])
    assert "1 sentences have more pieces" in caplog.text
    parts = [TokenInContext(LONG[:2], 0), TokenInContext(LONG[:2], 1), *(TokenInContext(LONG[2:], i) for i in (0, 1))]
    assert_close(found, encode(encoder, parts))


@pytest.mark.parametrize("architecture", ["xlmr", "gpt2", "mbart"])
def test_a_sentence_that_just_fits_is_not_split(folders, architecture, caplog):
    fitting = LIMIT - sum(SPECIAL[architecture]) - 1  # one for the blank before the word
    encode(build(folders[architecture]), [Form("o" * fitting)])
    assert not caplog.records
    encode(build(folders[architecture]), [Form("o" * (fitting + 1))])
    assert "1 sentences have more pieces" in caplog.text


def test_a_model_with_relative_positions_takes_any_length(folders, caplog):
    encode(build(folders["t5"]), [Form("o" * 500)])
    assert not caplog.records


def test_a_word_longer_than_the_model_allows_is_pooled_over_its_parts(folders):
    encoder = build(folders["bert"])
    (first, second) = (encode(encoder, [Form("o" * 22)]), pieces_alone(folders["bert"], ["##o"] * 8))
    means = [(22 * one[0] + other.sum(0)) / 30 for one, other in zip(first, second, strict=True)]
    assert_close([layer[0] for layer in encode(encoder, [Form("o" * 30)])], means)


def pieces_alone(folder, pieces):
    tokenizer, _ = tokenizer_and_model(folder)
    ids = tokenizer.convert_tokens_to_ids(["[CLS]", *pieces, "[SEP]"])
    return states_one_by_one(folder, ids)[:, 1:-1]


def test_a_split_sentence_is_pooled_over_all_its_parts(folders):
    parts = [Sentence(LONG[:2]), Sentence(LONG[2:])]
    for pooling, joined in (("mean", lambda one, two: (20 * one + 5 * two) / 25), ("max", np.maximum)):
        encoder = build(folders["bert"], sentence_pooling=pooling)
        expected = [joined(*layer) for layer in encode(encoder, parts)]
        assert_close([layer[0] for layer in encode(encoder, [Sentence(LONG)])], expected)
    first_alone = build(folders["bert"], sentence_pooling="cls")
    assert_close(encode(first_alone, [Sentence(LONG)]), encode(first_alone, [parts[0]]))


def test_a_long_sentence_is_refused_by_name_where_that_is_asked_for(folders):
    encoder = build(folders["bert"], over_long="refuse")
    with pytest.raises(PolyprobeError, match=r"oooooooooo.*has 25 pieces.*takes 22.*encoder.over_long=split"):
        encode(encoder, [Form("talo"), TokenInContext(LONG, 1)])


# Fresh weights


def test_fresh_weights_are_reproducible_and_others_than_the_pretrained_ones(folders):
    pretrained = encode(build(folders["bert"]), WORDS)
    first, again, other = (encode(build(folders["bert"], weights="random", seed=s), WORDS) for s in (1, 1, 2))
    for layer, same, pretrained_layer, other_layer in zip(first, again, pretrained, other, strict=True):
        np.testing.assert_array_equal(layer, same)
        assert not np.allclose(layer, pretrained_layer, atol=0.01)
        assert not np.allclose(layer, other_layer, atol=0.01)


def test_fresh_weights_leave_the_global_generator_alone(folders):
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    encode(build(folders["bert"], weights="random"), [Form("talo")])
    assert torch.rand(1) == expected


def test_randomised_is_the_same_encoder_with_fresh_weights(folders):
    encoder = build(folders["bert"], layers=[1], word_pooling="last")
    fresh = encoder.randomised(5)
    assert (
        fresh.fingerprint
        == build(folders["bert"], layers=[1], word_pooling="last", weights="random", seed=5).fingerprint
    )
    assert fresh.layers == encoder.layers


def test_a_model_that_is_not_fresh_is_refused(folders):
    model = AutoModel.from_pretrained(folders["bert"], dtype=torch.float32)
    with pytest.raises(PolyprobeError, match=r"word_embeddings\.weight of the fresh model equals"):
        check_fresh(model, model)


def test_a_folder_without_weights_can_be_drawn_but_not_loaded(tmp_path):
    folder = write_transformer(tmp_path, "bert")
    (folder / "model.safetensors").unlink()
    assert encode(build(folder, weights="random"), [Form("talo")])
    with pytest.raises(NotATransformer, match="it has no weights"):
        encode(build(folder), [Form("talo")])


@pytest.mark.parametrize(("number_type", "error"), [("bfloat16", 0.05), ("float16", 0.01)])
def test_half_precision_is_close_and_another_encoder(folders, number_type, error):
    exact, half = build(folders["bert"]), build(folders["bert"], number_type=number_type)
    for one, other in zip(encode(exact, WORDS), encode(half, WORDS), strict=True):
        assert 0 < np.abs(one - other).max() < error * np.abs(one).max()


# Bad options and folders


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"layers": [3]}, BadValue, "encoder.layers must be a list of layers from 0 .* to 2, .* is \\[3\\]"),
        ({"layers": []}, BadValue, "encoder.layers"),
        ({"word_pooling": "men"}, UnknownChoice, "Did you mean mean"),
        ({"sentence_pooling": "sum"}, UnknownChoice, "encoder.sentence_pooling"),
        ({"number_type": "float64"}, UnknownChoice, "bfloat16, float16, float32"),
        ({"over_long": "cut"}, UnknownChoice, "refuse, split"),
        ({"weights": "none"}, UnknownChoice, "encoder.weights"),
        ({"token_budget": 0}, BadValue, "encoder.token_budget"),
        ({"device": "cuda:99"}, BadValue, "encoder.device"),
        ({"device": "gpu"}, BadValue, "encoder.device"),
        ({"model": "/no/such/folder"}, PolyprobeError, "there is no folder /no/such/folder"),
    ],
)
def test_a_wrong_option_is_refused(folders, changes, error, words):
    with pytest.raises(error, match=words):
        build(folders["bert"], **changes)


def test_cls_is_refused_where_nothing_stands_in_front(folders):
    with pytest.raises(BadValue, match="begins with no special token"):
        build(folders["t5"], sentence_pooling="cls")


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(NotATransformer, match=r"it has no config\.json"):
        build(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "berd"}')
    with pytest.raises(NotATransformer, match=r"its config\.json cannot be used"):
        build(tmp_path)


def test_a_folder_without_a_tokenizer_is_refused(tmp_path):
    folder = write_transformer(tmp_path, "bert")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(NotATransformer, match="its tokenizer cannot be loaded"):
        build(folder)


def test_a_tokenizer_without_offsets_is_refused(tmp_path):
    folder = write_transformer(tmp_path, "t5")
    (folder / "tokenizer.json").unlink()
    ByT5Tokenizer().save_pretrained(folder)
    with pytest.raises(NotATransformer, match="its tokenizer, ByT5Tokenizer, has no offsets"):
        build(folder)


def test_the_weights_of_another_architecture_are_refused(tmp_path):
    folder = write_transformer(tmp_path / "bert", "bert")
    other = write_transformer(tmp_path / "gpt2", "gpt2")
    (folder / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())
    with pytest.raises(NotATransformer, match=r"its weights lack \d+ tensors"):
        encode(build(folder), [Form("talo")])


def test_damaged_weights_are_refused(tmp_path):
    folder = write_transformer(tmp_path, "bert")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(NotATransformer, match="its weights cannot be loaded"):
        encode(build(folder), [Form("talo")])


def test_a_tokenizer_of_another_model_is_refused(tmp_path):
    folder = write_transformer(tmp_path / "bert", "bert")
    other = write_transformer(tmp_path / "gpt2", "gpt2")
    (folder / "tokenizer.json").write_bytes((other / "tokenizer.json").read_bytes())
    with pytest.raises(NotATransformer, match="its tokenizer gives piece"):
        encode(build(folder), [Form("talo")])


def test_hidden_states_that_do_not_fit_the_configuration_are_refused(folders, monkeypatch):
    encoder = build(folders["bert"])
    encode(encoder, [Form("talo")])
    encoder._model.config.num_hidden_layers = 3
    with pytest.raises(NotATransformer, match="the model gives 3 hidden states"):
        encode(encoder, [Form("talo")])


def test_changed_weights_change_the_fingerprint(tmp_path):
    folder = write_transformer(tmp_path, "bert")
    before = build(folder).fingerprint
    weights = folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert build(folder).fingerprint != before
    assert build(folder, weights="random").fingerprint != build(folder).fingerprint
