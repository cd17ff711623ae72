"""Causal and masked predictors and encoders of sentences read a text as its tokenizer does."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

import polyprobe as pp
from polyprobe.predictors.base.predictor import NothingKept, Question
from polyprobe.predictors.masked.predictor import MaskedPredictor
from tests.encoders.sentence_folders import modes, write_json
from tests.predictors.kinds.causal import causal
from tests.predictors.tiny_masked import OPTIONS
from tests.text_families import CAUSAL, FAMILIES, MASKED, TEXTS, write_family

every_family = pytest.mark.parametrize("family", FAMILIES)
QUESTIONS = [Question(tuple(filter(None, text.split(" ")))) for text in TEXTS]  # as suites have them


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    root = tmp_path_factory.mktemp("families")
    return cache(lambda family: write_family(root / family, family))


def sentence_vectors(folder: Path, **options) -> np.ndarray:
    given = {"model": str(folder), "sentence_pooling": "mean_with_special_tokens", "device": "cpu", **options}
    return pp.encoder("transformer", **given).vectors(list(TEXTS), level="sentence")[-1]


def of_the_model(folder: Path) -> np.ndarray:
    """The mean of the last states of each text, alone."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    model = model.get_encoder() if model.config.is_encoder_decoder else model
    with torch.no_grad():
        ids = [tokenizer(text, return_tensors="pt")["input_ids"] for text in TEXTS]
        return np.stack([model(input_ids=one).last_hidden_state[0].mean(0).numpy() for one in ids])


@every_family
def test_a_sentence_has_the_vector_of_its_text(folder_of, family):
    folder = folder_of(family)
    expected = of_the_model(folder)
    np.testing.assert_allclose(sentence_vectors(folder), expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_a_sentence_has_the_vector_that_a_folder_of_sentence_transformers_has(folder_of):
    folder = folder_of("roberta")
    alone = sentence_vectors(folder)
    write_json(folder / "1_Pooling/config.json", {**modes("mean"), "embedding_dimension": 16})
    parts = [("Transformer", ""), ("Pooling", "1_Pooling")]
    kinds = [{"type": f"sentence_transformers.models.{kind}", "path": path} for kind, path in parts]
    write_json(folder / "modules.json", kinds)
    as_modules = sentence_vectors(folder, sentence_pooling=None)
    (folder / "modules.json").unlink()
    np.testing.assert_allclose(as_modules, alone, rtol=0, atol=1e-5)


@pytest.mark.parametrize("family", ["roberta", "modernbert", "gpt2", "qwen2"])
def test_as_words_a_sentence_begins_as_after_a_blank(folder_of, family):
    folder = folder_of(family)
    read = pp.encoder("transformer", model=str(folder), reading="words", device="cpu")
    other = pp.encoder("transformer", model=str(folder), device="cpu")
    found = read.vectors(["dogs bark"], level="sentence")
    np.testing.assert_allclose(found, other.vectors([" dogs bark"], level="sentence"), rtol=0, atol=1e-5)
    assert np.abs(found - other.vectors(["dogs bark"], level="sentence")).max() > 1e-3
    np.testing.assert_array_equal(read.vectors(["dogs"]), other.vectors(["dogs"]))


@pytest.mark.parametrize("family", MASKED)
@pytest.mark.parametrize("score", ["pll", "pll_within_word"])
def test_pseudo_log_likelihoods_are_those_of_the_text(folder_of, family, score):
    folder = folder_of(family)
    answers = MaskedPredictor(**{**OPTIONS, "model": str(folder), "score": score}).answer(QUESTIONS, NothingKept())
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder).eval()
    for question, end, start in zip(QUESTIONS, answers.ends, [0, *answers.ends], strict=False):
        encoding = tokenizer(" ".join(question.words), return_tensors="pt")
        expected = masked_in_turn(encoding, tokenizer, model, score == "pll_within_word")
        found = answers.log_probabilities[start:end]
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def masked_in_turn(encoding, tokenizer, model, is_within_word: bool) -> list[float]:
    ids, words = encoding["input_ids"], encoding.word_ids()
    places = [place for place, word in enumerate(words) if word is not None]
    masked = ids.repeat(len(places), 1)
    for row, place in zip(masked, places, strict=True):
        later = [one for one in range(place, len(words)) if is_within_word and words[one] == words[place]]
        row[[place, *later]] = tokenizer.mask_token_id
    with torch.no_grad():
        scores = model(masked).logits.log_softmax(-1)
    return [scores[row, place, ids[0, place]].item() for row, place in enumerate(places)]


@pytest.mark.parametrize("family", CAUSAL)
def test_a_causal_model_reads_the_text(folder_of, family):
    folder = folder_of(family)
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder).eval()
    found = causal(folder, start="none", first=False).answer(QUESTIONS, NothingKept())
    for question, end, start in zip(QUESTIONS, found.ends, [0, *found.ends], strict=False):
        ids = tokenizer(" ".join(question.words), return_tensors="pt", add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            expected = model(ids).logits.log_softmax(-1)[0, :-1].gather(1, ids[0, 1:, None])[:, 0]
        np.testing.assert_allclose(found.log_probabilities[start:end], expected.numpy(), rtol=1e-4, atol=1e-4)


def test_the_first_word_of_a_text_is_a_form_without_a_mark(folder_of):
    """ "The" is a piece of the vocabulary, "ĠThe" is not."""
    tokenizer = AutoTokenizer.from_pretrained(folder_of("roberta"))
    assert tokenizer.tokenize("The dogs") == ["The", "Ġdogs"]
    assert len(tokenizer.tokenize(" The")) > 1
    focus = [Question(("The", "dogs", "bark"), (0, 1)), Question(("the", "The", "dogs"), (1, 2))]
    options = {**OPTIONS, "model": str(folder_of("roberta")), "score": "focus"}
    assert MaskedPredictor(**options).answer(focus, NothingKept()).refusals == ("", "form of several pieces")
    as_words = MaskedPredictor(**options, reading="words").answer(focus, NothingKept())
    assert as_words.refusals == ("form of several pieces", "form of several pieces")


def test_a_critical_word_of_which_nothing_is_kept_is_refused(folder_of):
    focus = Question(("dogs", "\u200d", "bark"), (1, 2))
    options = {**OPTIONS, "model": str(folder_of("bert")), "score": "focus", "multi_token": True}
    assert MaskedPredictor(**options).answer([focus], NothingKept()).refusals == ("OOV form",)
