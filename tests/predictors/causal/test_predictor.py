"""Causal transformers: conventions one by one, models that take no packed prefixes, what is refused."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import Unigram
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    XLNetConfig,
)

from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.encoders.transformer.model import Weights
from polyprobe.errors import BadValue
from polyprobe.predictors.base.predictor import Answers, KeptBlocks, NothingKept, Question
from polyprobe.predictors.causal.model import CausalModel
from polyprobe.predictors.causal.predictor import CausalPredictor
from polyprobe.predictors.causal.text_pieces import TextPieces
from tests.encoders.tiny_transformers import ARCHITECTURES, write_transformer
from tests.predictors.kinds.causal import causal
from tests.predictors.tiny_causal import KINDS, plain_log_probabilities, write_causal

WORDS = ("the", "dog", "ω", "barks")
SENTENCES = ("the dog", "the dog barks", "the dogs", "a dog", "the dogs bark a", "dog", "the", "öl 9")
START = {"gpt2": "<|endoftext|>", "xlmr": "<s>"}


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("models")


def answers(predictor: CausalPredictor, *sentences: str) -> Answers:
    return predictor.answer([Question(tuple(sentence.split())) for sentence in sentences], NothingKept())


def of_words(models: Path, *words: str, **changes) -> tuple[list[float], list[int], list[bool]]:
    found = answers(causal(write_causal(models, "llama"), **changes), " ".join(words))
    return found.log_probabilities.tolist(), found.word_of_token.tolist(), found.is_unknown.tolist()


@pytest.mark.parametrize("architecture", KINDS)
def test_any_kind_of_model_answers_as_its_plain_loop(models, architecture):
    folder = write_causal(models, architecture)
    found = answers(causal(folder), *SENTENCES)
    start = START[KINDS[architecture][0]]
    expected = [plain_log_probabilities(folder, tuple(one.split()), start)[1] for one in SENTENCES]
    np.testing.assert_allclose(found.log_probabilities, np.concatenate(expected), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "gemma2"])
def test_models_with_plain_attention_take_packed_prefixes(models, architecture):
    assert model_of(models, architecture).is_packed


@pytest.mark.parametrize("architecture", ["bloom", "mamba"])
def test_a_model_that_takes_no_packed_prefixes_is_said(models, architecture, caplog):
    with caplog.at_level(logging.INFO):
        assert not model_of(models, architecture).is_packed
    assert "takes no packed prefixes" in caplog.text


def test_a_sentence_longer_than_a_window_of_attention_is_run_alone(models):
    folder, words = write_causal(models, "gemma2"), ("the", "dogs", "bark")
    expected = plain_log_probabilities(folder, words, "<s>")[1]
    assert len(expected) > 8  # the window
    np.testing.assert_allclose(answers(causal(folder), "the dogs bark").log_probabilities, expected, rtol=1e-5)


def model_of(models: Path, architecture: str) -> CausalModel:
    return CausalModel(write_causal(models, architecture), Weights(), 512, None)


@pytest.mark.parametrize("budget", [1, 7, 512])
def test_the_token_budget_changes_no_answer(models, budget):
    folder = write_causal(models, "gpt2")
    found = answers(causal(folder, token_budget=budget), *SENTENCES)
    expected = answers(causal(folder), *SENTENCES)
    np.testing.assert_allclose(found.log_probabilities, expected.log_probabilities, rtol=1e-5, atol=1e-5)


def test_a_first_piece_that_does_not_count_is_still_read(models):
    values, words, unknown = of_words(models, *WORDS)
    assert of_words(models, *WORDS, first=False) == (pytest.approx(values[1:], rel=1e-5), words[1:], unknown[1:])


def test_without_a_start_the_first_piece_has_no_probability_and_others_another_one(models):
    values, words, unknown = of_words(models, *WORDS)
    alone, words_alone, unknown_alone = of_words(models, *WORDS, start="none", first=False)
    assert (words_alone, unknown_alone) == (words[1:], unknown[1:])
    assert np.abs(np.array(alone) - values[1:]).max() > 1e-3


def test_a_piece_without_a_start_is_refused(models):
    folder = write_causal(models, "gpt2")
    found = answers(causal(folder, start="none", first=False), "a", "a b")
    assert found.refusals == ("it has no piece that counts", "")
    assert found.ends.tolist() == [0, 2]  # a blank and a letter behind it


def test_the_end_counts_as_a_piece_behind_the_last_word(models):
    values, words, unknown = of_words(models, *WORDS)
    with_end = of_words(models, *WORDS, end=True)
    assert with_end[1:] == ([*words, 4], [*unknown, False])
    assert with_end[0][:-1] == pytest.approx(values, rel=1e-5)


def test_unknown_pieces_are_read_but_left_out(models):
    values, words, _ = of_words(models, *WORDS)
    left_out = of_words(models, *WORDS, unknown="left_out")
    pieces = AutoTokenizer.from_pretrained(models / "llama").tokenize(" ".join(WORDS))
    kept = [place for place, piece in enumerate(pieces) if piece != "ω"]
    assert len(kept) == len(pieces) - 1
    assert left_out[0] == pytest.approx([values[place] for place in kept], rel=1e-5)
    assert left_out[1] == [words[place] for place in kept]


def test_all_pieces_of_a_word_with_an_unknown_one_are_unknown(models):
    _, words, unknown = of_words(models, *WORDS)
    assert [word for word, is_unknown in zip(words, unknown, strict=True) if is_unknown] == [2, 2]  # a blank and ω


def test_a_word_of_which_nothing_is_kept_has_the_unknown_piece(tmp_path):
    folder = write_causal(tmp_path, "llama")
    change(folder / "tokenizer.json", pre_tokenizer={"type": "BertPreTokenizer"})  # keeps no blanks
    found = answers(causal(folder), "a \u200b b")
    assert found.word_of_token.tolist() == [0, 1, 2]
    assert found.is_unknown.tolist() == [False, True, False]


def test_without_an_unknown_piece_such_a_sentence_is_refused(tmp_path):
    folder = write_causal(tmp_path, "llama")
    change(folder / "tokenizer.json", pre_tokenizer={"type": "BertPreTokenizer"})
    change(folder / "tokenizer_config.json", unk_token=None)
    refusal = "the tokenizer keeps nothing of one of its words, and has no unknown piece"
    assert answers(causal(folder), "a \u200b b", "a b").refusals == (refusal, "")


def change(file: Path, **changes: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_a_blank_belongs_to_the_word_behind_it(models):
    pieces = TextPieces(write_causal(models, "gpt2"))
    (ids, words), *_ = pieces([("a", "tö", "ba")])
    assert [pieces.name(one) for one in ids] == ["a", "Ġt", "Ã", "¶", "Ġ", "b", "a"]
    assert words.tolist() == [0, 1, 1, 1, 2, 2, 2]


def test_a_word_that_lies_in_the_piece_of_another_one_belongs_to_that_piece(tmp_path):
    folder = write_pieces(tmp_path, "the", " ", "a b", "c")
    ((ids, words, lasts),) = (pieces := TextPieces(folder))([("the", "a", "b", "c")])
    assert [pieces.name(one) for one in ids] == ["the", " ", "a b", " ", "c"]
    assert (words.tolist(), lasts.tolist()) == ([0, 1, 1, 3, 3], [0, 1, 2, 3, 3])
    found = answers(causal(write_model(folder)), "the a b c", "the c")
    assert found.word_of_token.tolist() == [0, 1, 1, 3, 3, 0, 1, 1]
    assert found.last_words.tolist() == [0, 1, 2, 3, 3, 0, 1, 1]
    assert not found.is_unknown.any()


def test_pieces_of_a_text_without_blanks_know_which_characters_they_cover(tmp_path):
    pieces = TextPieces(write_pieces(tmp_path, "一", "二三", "四", "吗"))
    (ids, firsts, lasts), (others, *_) = pieces.of_characters([tuple("一二三四"), tuple("四五吗")])
    assert [pieces.name(one) for one in ids] == ["一", "二三", "四"]
    assert (firsts.tolist(), lasts.tolist()) == ([0, 1, 3], [0, 2, 3])
    assert [pieces.name(one) for one in others] == ["四", "<unk>", "吗"]


def test_characters_are_scored_as_one_text_by_the_pieces_that_it_has(tmp_path):
    predictor = causal(write_model(write_pieces(tmp_path, "一", "二三", "二", "三")))
    of_characters = predictor.answer([Question(tuple("一二三"), between="")], NothingKept())
    assert (of_characters.word_of_token.tolist(), of_characters.last_words.tolist()) == ([0, 1], [0, 2])
    of_one_word = predictor.answer([Question(("一二三",))], NothingKept())
    assert of_characters.log_probabilities.tolist() == of_one_word.log_probabilities.tolist()
    assert of_one_word.last_words is None


def test_ends_of_words_cannot_be_corrected_where_characters_are_words(models):
    predictor = causal(write_causal(models, "gpt2"), words="begin_corrected")
    with pytest.raises(BadValue, match=r"predictor\.words must be plain where words are characters"):
        predictor.answer([Question(("a", "b"), between="")], NothingKept())


def write_pieces(folder: Path, *pieces: str) -> Path:
    """Writes a tokenizer of a text without blanks, which takes the longest piece."""
    vocabulary = [("<unk>", -9.0), ("<s>", -9.0), *((piece, -1.0 / len(piece)) for piece in pieces)]
    tokenizer = Tokenizer(Unigram(vocabulary, unk_id=0))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>").save_pretrained(folder)
    return folder


def write_model(folder: Path) -> Path:
    config = GPT2Config(vocab_size=8, n_positions=16, n_embd=8, n_layer=1, n_head=1, bos_token_id=1, eos_token_id=1)
    with torch.random.fork_rng():
        torch.manual_seed(4)
        GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def test_an_over_long_sentence_is_refused_and_others_are_answered(models):
    found = answers(causal(write_causal(models, "gpt2")), "a " * 12, "a " * 13, "a")
    assert found.refusals == ("", "it has 25 pieces, and the model reads 24", "")
    assert found.ends.tolist() == [23, 23, 24]


def test_conventions_and_label_say_which_weights_are_scored(models):
    folder = write_causal(models, "gpt2")
    assert causal(folder, weights="random").conventions.endswith("; weights are random, float32")
    assert causal(f"{folder}/").label == "gpt2"


def test_conventions_name_tokens_and_the_first_blank(models):
    assert causal(write_causal(models, "gpt2"), end=True).conventions == (
        "<|endoftext|> is read before the first piece; the first piece counts; <|endoftext|> behind the last piece "
        "counts; an unknown piece counts; the first word is read without a blank; the end of a word "
        "counts with the next piece; weights are float32"
    )
    options = {"start": "none", "first": False, "unknown": "left_out", "number_type": "bfloat16"}
    assert causal(write_causal(models, "llama"), **options).conventions == (
        "nothing is read before the first piece; the first piece does not count; the end of the sentence does not "
        "count; an unknown piece is read, but does not count; the first word is read as behind a blank; the end of a "
        "word counts with the next piece; weights are bfloat16"
    )


@pytest.mark.parametrize("architecture", ["gpt2", "llama"])
@pytest.mark.parametrize("end", [False, True])
def test_corrected_words_end_with_their_last_piece(models, architecture, end):
    folder = write_causal(models, architecture)
    words = ("the", "tab", "ot")
    found = answers(causal(folder, words="begin_corrected", end=end), " ".join(words))
    logs, begins = plain_beginnings(folder, words, START[KINDS[architecture][0]])
    owners = found.word_of_token.tolist()
    assert owners[-1] == (3 if end else 2)
    expected = [
        logs[place]
        - (begins[place] if word and owners[place - 1] != word else 0)
        + (begins[place + 1] if word < 3 and (owners[place + 1 :] or [3])[0] != word else 0)
        for place, word in enumerate(owners)
    ]
    np.testing.assert_allclose(found.log_probabilities, expected, rtol=1e-4, atol=1e-4)


@torch.inference_mode()
def plain_beginnings(folder: Path, words: tuple[str, ...], start: str) -> tuple[list[float], list[float]]:
    """Returns log-probabilities of all pieces and the end, and of a new word, or the end, in the place of each."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    pieces = [*tokenizer(" ".join(words), add_special_tokens=False).input_ids, tokenizer.eos_token_id]
    ids = [tokenizer.convert_tokens_to_ids(start), *pieces]
    of_vocabulary = model(input_ids=torch.tensor([ids])).logits[0].softmax(-1)
    begins = [one for piece, one in tokenizer.get_vocab().items() if piece[0] in "Ġ▁"] + [tokenizer.eos_token_id]
    logs = [of_vocabulary[place, piece].log().item() for place, piece in enumerate(pieces)]
    return logs, of_vocabulary[:-1, begins].sum(1).log().tolist()


def test_corrected_sums_differ_from_plain_ones_by_the_end_of_the_last_word(models):
    folder, sentence = write_causal(models, "gpt2"), "the dog barks"
    plain, corrected = (answers(causal(folder, words=one), sentence) for one in ("plain", "begin_corrected"))
    last = plain_beginnings(folder, tuple(sentence.split()), "<|endoftext|>")[1][-1]
    assert corrected.log_probabilities.sum() - plain.log_probabilities.sum() == pytest.approx(last, rel=1e-3)
    np.testing.assert_array_equal(corrected.word_of_token, plain.word_of_token)


def test_a_tokenizer_that_marks_no_beginnings_cannot_be_corrected(tmp_path):
    folder = write_causal(tmp_path, "llama")
    change(folder / "tokenizer.json", pre_tokenizer={"type": "BertPreTokenizer"})
    with pytest.raises(BadValue, match="does not mark the beginnings of words"):
        causal(folder, words="begin_corrected")


def test_half_precision_is_near_full_precision(models):
    folder = write_causal(models, "llama")
    half, full = (answers(causal(folder, number_type=name), *SENTENCES) for name in ("bfloat16", "float32"))
    np.testing.assert_allclose(half.log_probabilities, full.log_probabilities, rtol=0.1, atol=0.1)


def test_work_cut_into_blocks_goes_on_after_the_last_one(models, tmp_path, monkeypatch):
    monkeypatch.setattr("polyprobe.predictors.causal.predictor._BLOCK_PREFIXES", 12)
    folder = write_causal(models, "gpt2")
    expected = answers(causal(folder), *SENTENCES)
    questions = [Question(tuple(sentence.split())) for sentence in SENTENCES]
    broken = causal(folder)
    compute, n_computed = broken._block, []
    broken._block = lambda block: n_computed.append(1) or (compute(block) if len(n_computed) < 3 else 1 / 0)
    with pytest.raises(ZeroDivisionError):
        broken.answer(questions, KeptBlocks(tmp_path))
    resumed = causal(folder)
    again, seen = resumed._block, []
    resumed._block = lambda block: seen.append(block) or again(block)
    found = resumed.answer(questions, KeptBlocks(tmp_path))
    assert len(list(tmp_path.glob("*.npz"))) == len(seen) + 2
    np.testing.assert_allclose(found.log_probabilities, expected.log_probabilities, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("architecture", "words"),
    [
        ("t5", "a model of the type t5 has no output layer"),
        ("bert", "its predictions depend on the pieces behind them"),
    ],
)
def test_a_model_that_does_not_go_from_left_to_right_is_refused(tmp_path, architecture, words):
    folder = write_transformer(tmp_path / architecture, architecture)
    (folder / "model.safetensors").unlink()
    with pytest.raises(NotATransformer, match=words):
        answers(causal(folder, weights="random", start="none", first=False), "the dog")


def test_a_model_of_another_order_is_refused(tmp_path):
    tokenizer, _ = ARCHITECTURES["xlmr"]()
    tokenizer.save_pretrained(tmp_path)
    XLNetConfig(vocab_size=len(tokenizer), d_model=8, n_layer=2, n_head=2, d_inner=16).save_pretrained(tmp_path)
    with pytest.raises(NotATransformer, match="xlnet predicts a piece from those in any order"):
        causal(tmp_path, weights="random")


@pytest.mark.parametrize("text", ["the <|endoftext|> dog", "the dog"])
def test_special_tokens_that_a_text_has_are_counted(models, text, caplog):
    answers(causal(write_causal(models, "gpt2")), text)
    assert ("a special token of the tokenizer is written: 1." in caplog.text) == ("<" in text)


@pytest.mark.parametrize(
    ("changes", "words"),
    [({}, "neither a beginning nor an end token"), ({"start": "none", "first": False, "end": True}, "no end token")],
)
def test_a_tokenizer_without_the_token_asked_for_is_refused(tmp_path, changes, words):
    folder = write_causal(tmp_path, "gpt2")
    change(folder / "tokenizer_config.json", bos_token=None, eos_token=None)
    with pytest.raises(NotATransformer, match=words):
        causal(folder, **changes)
