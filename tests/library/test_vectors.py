"""What `pp.encoder(…).vectors` makes of texts: words or sentences, by every encoder that there is."""

import re

import numpy as np
import pytest

import polyprobe as pp
from polyprobe.items import Form, Sentence, TokenInContext
from tests.encoders.all_kinds import every_kind
from tests.encoders.contract_items import SENTENCE, encode
from tests.encoders.kinds import static_vectors
from tests.encoders.sentence_folders import modes, write_sentence_folder
from tests.encoders.tiny_transformers import write_transformer

TEXT, WORDS = " ".join(SENTENCE), ["taloissa", "paloi"]
POOLINGS = ("mean", "cls", "max", "mean_with_special_tokens")


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return str(write_transformer(tmp_path_factory.mktemp("bert"), "bert"))


@pytest.fixture(scope="module")
def of_modules(tmp_path_factory):
    return str(write_sentence_folder(tmp_path_factory.mktemp("modules"), modes("cls")))


def chosen(built):
    """A choice of an encoder that is built already."""
    choice = pp.encoder("own")
    choice.__dict__["_config"] = {"encoder": {}, "suite": {}}
    choice._built[None] = built
    return choice


@every_kind
def test_texts_are_sentences_if_one_has_a_blank_else_words(kind, tmp_path):
    built = kind.build(tmp_path)
    vectors = chosen(built).vectors
    of_sentences, of_words = encode(built, [Sentence(SENTENCE)]), encode(built, list(map(Form, WORDS)))
    for layer, sentences, words in zip(built.layers, of_sentences, of_words, strict=True):
        if [one.name for one in built.layers].count(layer.name) == 1:
            np.testing.assert_allclose(vectors([TEXT], layer.name), sentences, rtol=0, atol=1e-6)
            np.testing.assert_allclose(vectors(WORDS, layer.name), words, rtol=0, atol=1e-6)


@every_kind
def test_the_level_of_a_call_says_what_every_text_is(kind, tmp_path, monkeypatch):
    built, asked = kind.build(tmp_path), []
    monkeypatch.setattr(built, "encode", lambda items: asked.extend(items) or iter([(np.zeros((len(items), 1)),)]))
    for level in ("word", "sentence"):
        chosen(built).vectors(["paloi", "a  b"], built.layers[0].name, level=level)
    assert asked == [Form("paloi"), Form("a  b"), Sentence(("paloi",)), Sentence(("a", "b"), "a  b")]


def test_a_sentence_of_word_vectors_is_the_mean_of_its_words(tmp_path):
    static_vectors.build(tmp_path)
    encoder = pp.encoder("static_vectors", path=str(tmp_path / "words.vec"))
    words = encoder.vectors(["talo", "paloi", "eilen"])[0]
    for found in (encoder.vectors(["talo paloi eilen"]), encoder.vectors([" talo  paloi\teilen"])):
        np.testing.assert_allclose(found[0], [words.mean(0)], rtol=1e-6)


def test_each_pooling_has_vectors_of_its_own(bert):
    found = [
        pp.encoder("transformer", model=bert, sentence_pooling=one).vectors(["talo paloi"])[-1] for one in POOLINGS
    ]
    distinct = {tuple(np.round(one[0], 4)) for one in found}
    assert len(distinct) == len(POOLINGS)


def test_a_level_among_the_options_makes_sentences(bert):
    encoder = pp.encoder("transformer", model=bert, sentence_pooling="cls", level="sentence")
    np.testing.assert_array_equal(encoder.vectors(["talo"]), encoder.vectors([Sentence(("talo",))]))
    words = pp.encoder("transformer", model=bert)
    np.testing.assert_array_equal(words.vectors(["talo"]), words.vectors([Form("talo")]))
    assert np.abs(words.vectors(["talo"]) - encoder.vectors(["talo"])).max() > 1e-3


def test_sentences_are_those_of_the_modules_of_a_folder(of_modules):
    encoder = pp.encoder("transformer", model=of_modules)
    texts = ["talo paloi", "paloi"]  # the second one is read as the first, since the modules read sentences alone
    said = pp.encoder("transformer", model=of_modules, level="sentence")
    np.testing.assert_array_equal(encoder.vectors(texts), said.vectors(texts))
    assert encoder.vectors(texts, layer="sentence_embedding").shape == (2, 8)
    assert encoder.layers == ["layer_0", "layer_1", "layer_2"]
    assert said.layers[-1] == "sentence_embedding"


@pytest.mark.parametrize(
    ("options", "texts", "level", "words"),
    [
        ({}, ["talo"], "token", 'level "token" is unknown. Known: sentence, word'),
        ({}, "ta lo", None, 'vectors got the text "ta lo". Expected a list'),
    ],
)
def test_what_no_item_takes_is_refused(bert, options, texts, level, words):
    with pytest.raises(pp.PolyprobeError, match=re.escape(words)):
        pp.encoder("transformer", model=bert, **options).vectors(texts, level=level)


def test_a_pooling_of_sentences_makes_sentences_and_items_are_what_they_are(bert):
    encoder = pp.encoder("transformer", model=bert, sentence_pooling="cls")
    np.testing.assert_array_equal(encoder.vectors(["talo"]), encoder.vectors([Sentence(("talo",))]))
    plain = pp.encoder("transformer", model=bert)
    np.testing.assert_array_equal(plain.vectors(["talo", "ta lo"]), plain.vectors(["talo", "ta lo"], level="sentence"))
    items = [Form("talo"), TokenInContext(("ta", "lo"), 1), Sentence(("ta", "lo"))]
    assert encoder.vectors(items).shape == (3, 3, 8)
    np.testing.assert_array_equal(encoder.vectors(items, layer=2), encoder.vectors(items, layer="layer_2"))
    with pytest.raises(pp.PolyprobeError, match=r'layer of transformer "-1" is unknown'):
        encoder.vectors(items, layer=-1)
