"""Masked transformers: what is refused, what is run, and that numbers are those of the plainest way."""

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer, ModernBertConfig

from polyprobe.encoders.transformer.files import NotATransformer
from polyprobe.encoders.transformer.model import convert
from polyprobe.errors import PolyprobeError
from polyprobe.predictors.base.predictor import KeptBlocks, NothingKept, Question
from tests.encoders.tiny_transformers import write_transformer
from tests.predictors.tiny_masked import LIMIT, SIZES, masked, plain, write_masked

every_architecture = pytest.mark.parametrize("architecture", ["bert", "distilbert", "roberta"])


def question(text: str, *span: int) -> Question:
    return Question(tuple(text.split()), span or None)


def sums(predictor, questions) -> list[float]:
    answers = predictor.answer(questions, NothingKept())
    return [part.sum() for part in np.split(answers.log_probabilities, answers.ends[:-1])]


def refusals(predictor, *questions: Question) -> tuple[str, ...]:
    return predictor.answer(questions, NothingKept()).refusals


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def rows_run(monkeypatch) -> list[np.ndarray]:
    """The ids of every input that goes through a model, but for those that try it out."""
    from polyprobe.predictors.masked.model import MaskedModel

    rows: list[np.ndarray] = []
    original = MaskedModel.log_probabilities

    def counted(model, ids, *others):
        handle = model.model.register_forward_pre_hook(
            lambda module, args, kwargs: rows.extend(kwargs["input_ids"].numpy()), with_kwargs=True
        )
        found = original(model, ids, *others)
        handle.remove()
        return found

    monkeypatch.setattr(MaskedModel, "log_probabilities", counted)
    return rows


@every_architecture
@pytest.mark.parametrize("score", ["pll", "pll_within_word"])
@pytest.mark.parametrize("reading", ["text", "words"])
def test_sentences_have_the_numbers_of_one_input_at_a_time(models, architecture, score, reading):
    predictor = masked(models, architecture, score=score, reading=reading)
    questions = [question("the dog barks ."), question("the meow. loves dog,cats"), question("cats meow")]
    expected = [sum(plain(predictor, one)) for one in questions]
    np.testing.assert_allclose(sums(predictor, questions), expected, rtol=1e-6, atol=1e-5)


@every_architecture
def test_forms_of_several_pieces_and_words_are_scored_from_left_to_right(models, architecture):
    predictor = masked(models, architecture, multi_token=True)
    questions = [
        question("the dog meows now .", 2, 3),
        question("the dog is small .", 2, 4),
        question("dogs bark", 0, 2),
        question("the dog barks .", 2, 3),
    ]
    answers = predictor.answer(questions, NothingKept())
    assert answers.refusals == ("",) * 4
    expected = np.concatenate([plain(predictor, one) for one in questions])
    np.testing.assert_allclose(answers.log_probabilities, expected, rtol=0, atol=1e-5)
    assert answers.word_of_token[answers.ends[0] : answers.ends[1]].tolist() == [2, 3]


@every_architecture
def test_a_text_without_blanks_has_the_pieces_of_one_word_and_each_knows_its_characters(models, architecture):
    predictor = masked(models, architecture, score="pll")
    characters = predictor.answer([Question(tuple("thedog"), between="")], NothingKept())
    (word,) = predictor.pieces.of_sentences([("thedog",)])
    assert characters.word_of_token[0] == 0
    assert characters.last_words[-1] == 5
    assert (characters.word_of_token[1:] == characters.last_words[:-1] + 1).all()
    assert len(characters.log_probabilities) == len(word.ids)
    assert sums(predictor, [Question(tuple("thedog"), between="")]) == sums(predictor, [Question(("thedog",))])


@every_architecture
def test_the_focus_of_characters_is_every_piece_that_covers_one_of_them(models, architecture):
    predictor = masked(models, architecture, score="focus", multi_token=True)
    (pieces,) = [predictor.pieces.of_characters(tuple("thedog"))]
    answers = predictor.answer([Question(tuple("thedog"), (3, 4), between="")], NothingKept())
    covering = [
        (first, last) for first, last in zip(pieces.words, pieces.last_words, strict=True) if first <= 3 <= last
    ]
    assert list(zip(answers.word_of_token, answers.last_words, strict=True)) == covering


@every_architecture
def test_log_softmax_is_in_full_precision_under_half(models, architecture):
    predictor = masked(models, architecture, number_type="bfloat16")
    found = predictor.answer([question("the dog barks .", 2, 3)], NothingKept()).log_probabilities[0]
    model, tokenizer = predictor._model.model, AutoTokenizer.from_pretrained(predictor.folder)
    ids = torch.tensor([tokenizer("the dog barks .").input_ids])
    target, ids[0, 3] = ids[0, 3].item(), tokenizer.mask_token_id
    with torch.inference_mode():
        predictor._model._places = torch.tensor([3])
        logits = model(ids).logits[0, 0 if predictor._model.is_early else 3]
    assert logits.dtype == torch.bfloat16
    assert found == pytest.approx(logits.float().log_softmax(-1)[target].item(), abs=1e-5)


@pytest.mark.parametrize("weights", ["pretrained", "random"])
@every_architecture
def test_what_the_model_takes_is_known_without_its_weights(models, architecture, weights, monkeypatch):
    predictor = masked(models, architecture, weights=weights)
    monkeypatch.delattr("polyprobe.predictors.masked.model.load_model")
    over_long = question(" ".join(["dog"] * (LIMIT - 1)), 1, 2)
    assert refusals(predictor, over_long) == ("longer than the model takes",)
    monkeypatch.undo()
    fitting = question(" ".join(["dog"] * (LIMIT - 2)), 1, 2)
    assert refusals(predictor, fitting) == ("",)


def test_angles_of_rotary_positions_keep_their_precision():
    sizes = {"vocab_size": 60, "pad_token_id": 0, "max_position_embeddings": LIMIT, **SIZES}
    model = AutoModelForMaskedLM.from_config(ModernBertConfig(**sizes))
    angles = {name: buffer.clone() for name, buffer in model.named_buffers() if name.endswith("inv_freq")}
    convert(model, torch.bfloat16)
    assert angles
    assert next(model.parameters()).dtype == torch.bfloat16
    buffers = dict(model.named_buffers())
    for name, expected in angles.items():
        torch.testing.assert_close(buffers[name], expected, rtol=0, atol=0)


def test_differences_of_forms_are_those_of_logits(models):
    """Goldberg's released code compares logits at the mask."""
    predictor = masked(models)
    one, other = sums(predictor, [question("the dog barks .", 2, 3), question("the dog bark .", 2, 3)])
    model, ids = predictor._model.model, predictor.pieces.backend.encode("the dog [MASK] .").ids
    whole = type(model).from_pretrained(predictor.folder).eval()
    with torch.no_grad():
        logits = whole(torch.tensor([ids])).logits[0, 3]
    barks, bark = (predictor.pieces.backend.token_to_id(form) for form in ("barks", "bark"))
    assert one - other == pytest.approx((logits[barks] - logits[bark]).item(), abs=1e-5)


@every_architecture
def test_forms_that_cannot_be_compared_at_one_mask_are_refused_with_the_reason(models, architecture):
    found = refusals(
        masked(models, architecture),
        question("the dog is small .", 2, 4),
        question("the dog meows .", 2, 3),
        question("the dog barks .", 2, 3),
        question(" ".join(["dog"] * LIMIT), 1, 2),
    )
    assert found == ("several critical words", "form of several pieces", "", "longer than the model takes")


def test_unknown_forms_are_no_tie_but_refused(models):
    expected = "OOV form"
    for multi_token in (False, True):
        predictor = masked(models, multi_token=multi_token)
        assert refusals(predictor, question("the Ω .", 1, 2), question("the ζζ .", 1, 2)) == (expected, expected)


def test_each_distinct_masked_input_is_run_once(models, rows_run):
    pairs = [question("the dog barks ."), question("the dog bark ."), question("the cats bark ."), question("is small")]
    masked(models, score="pll").answer([*pairs, *pairs], NothingKept())
    distinct = {tuple(row) for row in map(np.ndarray.tolist, rows_run)}
    # Four pieces each; "the dog [M] ." and "the [M] bark ." are met twice.
    assert len(rows_run) == len(distinct) == 3 * 4 - 2 + 2


def test_both_members_of_a_pair_are_read_from_one_input(models, rows_run):
    predictor = masked(models)
    one, other = sums(predictor, [question("the dog barks .", 2, 3), question("the dog bark .", 2, 3)])
    assert len(rows_run) == 1
    assert one != other


def test_an_interrupted_scoring_goes_on_after_its_last_block(models, tmp_path, rows_run, monkeypatch):
    monkeypatch.setattr("polyprobe.predictors.masked.predictor._BLOCK_INPUTS", 3)
    questions = [question("the dog barks ."), question("the dog bark ."), question("dogs that love the cats bark")]
    expected = sums(masked(models, score="pll"), questions)
    n_rows = len(rows_run)
    rows_run.clear()

    predictor = masked(models, score="pll")
    compute, n_left = predictor._of_block, iter([True, True, False])

    def killed(block):
        if not next(n_left):
            raise KeyboardInterrupt
        return compute(block)

    monkeypatch.setattr(predictor, "_of_block", killed)
    with pytest.raises(KeyboardInterrupt):
        predictor.answer(questions, KeptBlocks(tmp_path / "scores"))
    answers = masked(models, score="pll").answer(questions, KeptBlocks(tmp_path / "scores"))
    assert len(rows_run) == n_rows
    assert [part.sum() for part in np.split(answers.log_probabilities, answers.ends[:-1])] == expected


@every_architecture
def test_both_pseudo_likelihoods_are_equal_where_every_word_is_one_piece(models, architecture):
    questions = [question("the dog barks ."), question("the cats that love dogs are small .")]
    one, other = (sums(masked(models, architecture, score=score), questions) for score in ("pll", "pll_within_word"))
    assert one == other


@pytest.mark.parametrize(
    ("architecture", "reading", "expected"),
    [
        ("bert", "text", [4, 4, 4, 4, 5, 6]),
        ("roberta", "text", [4, 4, 4, 4, 5, 6]),
        ("roberta", "words", [5, 5, 5, 5, 5, 6, 7]),
    ],
)
def test_a_word_ends_where_the_tokenizer_parts_text(models, architecture, reading, expected):
    """Pieces are m e o w . dog and m e o w . Ġdog, as words Ġ m e o w . Ġdog."""
    predictor = masked(models, architecture, reading=reading)
    words = ("meow.", "dog")
    (pieces,) = predictor.pieces.of_sentences([words])
    starts, ends = predictor._within_words(words, pieces)
    assert starts.tolist() == list(range(len(pieces.ids)))
    assert ends.tolist() == expected


def test_unknown_pieces_are_told_and_can_be_left_out_of_the_sum(models):
    asked = [question("the Ω barks"), question("Ω")]
    scored = masked(models, score="pll").answer(asked, NothingKept())
    left_out = masked(models, score="pll", unknown="left_out").answer(asked, NothingKept())
    assert scored.is_unknown.tolist() == [False, True, False, True]
    assert left_out.word_of_token.tolist() == [0, 2]
    assert left_out.refusals == ("", "no piece that counts")
    np.testing.assert_array_equal(left_out.log_probabilities, scored.log_probabilities[[0, 2]])


@every_architecture
def test_only_masked_places_are_projected_onto_the_vocabulary(models, architecture):
    predictor = masked(models, architecture, score="pll")
    shapes = []
    model = predictor._model.model
    model.get_output_embeddings().register_forward_hook(lambda module, args, output: shapes.append(output.shape[:2]))
    predictor.answer([question("the dog barks .")], NothingKept())
    assert shapes == [(4, 1)]


def test_a_model_that_gives_other_scores_when_it_is_read_early_is_read_whole(models, monkeypatch):
    too_early = "polyprobe.predictors.masked.model._last_modules"
    monkeypatch.setattr(too_early, lambda model, n_layers: [model.base_model.embeddings])
    predictor, asked = masked(models, score="pll"), question("the dog barks .")
    assert not predictor._model.is_early
    assert sums(predictor, [asked])[0] == pytest.approx(sum(plain(predictor, asked)), abs=1e-5)


def test_a_model_without_a_mask_token_is_refused(tmp_path):
    folder = write_transformer(tmp_path / "gpt2", "gpt2")
    with pytest.raises(NotATransformer, match=r"gpt2: its tokenizer has no mask token. Expected a masked model"):
        masked(tmp_path, "gpt2")
    assert folder.is_dir()


def test_an_architecture_without_masked_output_is_refused(tmp_path):
    folder = write_masked(tmp_path / "bert", "bert")
    write_transformer(tmp_path / "other", "gpt2")
    (folder / "config.json").write_text((tmp_path / "other/config.json").read_text())
    with pytest.raises(NotATransformer, match="no such masked model of type gpt2"):
        sums(masked(tmp_path), [question("the dog", 1, 2)])


def test_focus_scores_need_focus_words(models):
    with pytest.raises(PolyprobeError, match=r"no critical word. For whole sentences: predictor.score=pll"):
        refusals(masked(models), question("the dog barks"))


def test_conventions_and_label_say_which_weights_are_scored(models):
    random = masked(models, weights="random", number_type="bfloat16")
    assert random.conventions.endswith("; weights are random, bfloat16")
    assert masked(models).conventions.endswith("; weights are float32")
    assert masked(models).label == "bert"
