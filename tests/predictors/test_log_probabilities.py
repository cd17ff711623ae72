"""Log-probabilities from a file; the promises of every predictor stand in test_contract.py."""

import json

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.predictors.base.predictor import NothingKept, Question
from polyprobe.predictors.causal.text_pieces import TextPieces
from polyprobe.predictors.log_probabilities import LogProbabilities
from tests.predictors.kinds.causal import causal
from tests.predictors.tiny_causal import write_causal

LINES = '{"sentence": "a dog barks", "words": [-1, -2.5, 0]}\n{"sentence": "今日", "log_probability": -7}\n'


def read(folder, text):
    (folder / "file.jsonl").write_text(text, encoding="utf-8")
    return LogProbabilities(folder / "file.jsonl")


def test_one_number_is_of_no_single_word(tmp_path):
    questions = [Question(("今", "日"), between=""), Question(("a", "dog", "barks"))]
    answers = read(tmp_path, LINES).answer(questions, NothingKept())
    assert answers.log_probabilities.tolist() == [-7, -1, -2.5, 0]
    assert answers.word_of_token.tolist() == [2, 0, 1, 2]
    assert answers.ends.tolist() == [1, 4]


def test_sentences_that_are_not_there_are_counted_and_named(tmp_path):
    questions = [Question(("a", "dog", "barks")), Question(("a", "cat", "barks"))]
    with pytest.raises(
        PolyprobeError, match=r'lacks 1 of 2 sentences: {"sentence": "a cat barks"}\. All are listed in'
    ):
        read(tmp_path, LINES).answer([*questions, *questions], NothingKept())
    assert (tmp_path / "file.missing.jsonl").read_text() == '{"sentence": "a cat barks"}\n'


def test_other_words_are_refused(tmp_path):
    predictor = read(tmp_path, '{"sentence": "a dog", "words": [-1]}\n')
    with pytest.raises(PolyprobeError, match=r"line 1: 'a dog' has 1 numbers for 2 words\. Expected one for each"):
        predictor.answer([Question(("a", "dog"))], NothingKept())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: the file is empty"),
        ("a dog\t-1\n", "line 1: got 'a dog"),
        ('{"sentence": "a", "log_probability": 0.1}\n', r"line 1: number 1 is 0\.1\. .*not above 0"),
        ('{"sentence": "a", "log_probability": -Infinity}\n', "line 1: number 1 is -Infinity"),
        ('{"sentence": "a", "log_probability": -1e300}\n', r"line 1: number 1 is -1e\+300"),
        (f'{{"sentence": "a", "log_probability": -{"9" * 400}}}\n', "line 1: number 1 is -999"),
        ('{"sentence": "a", "log_probability": false}\n', "line 1: number 1 is false"),
        ('{"sentence": "a", "words": []}\n', "line 1: got"),
        ('{"sentence": "a", "words": [-1, null]}\n', "line 1: number 2 is null"),
        ('{"sentence": "a"}\n', "line 1: got"),
        (f"{LINES}{LINES}", "line 3: 'a dog barks' is also above. Expected each sentence once"),
    ],
)
def test_a_line_that_is_no_sentence_with_its_numbers_is_refused(tmp_path, text, words):
    with pytest.raises(MalformedLine, match=words):
        read(tmp_path, text)


def line(sentence, pieces, values, offsets=None):
    said = {"sentence": sentence, "pieces": pieces, "log_probabilities": values}
    return json.dumps(said if offsets is None else {**said, "offsets": offsets}, ensure_ascii=False) + "\n"


def answered(folder, text, *questions):
    return read(folder, text).answer(questions, NothingKept())


@pytest.mark.parametrize(
    ("pieces", "offsets", "words"),
    [
        (["the", " off", "icers", " love"], None, [0, 1, 1, 2]),  # as an API echoes them
        ([" the", " off", "icers", " love"], None, [0, 1, 1, 2]),
        (["the", "Ġoff", "icers", "Ġlove"], [[0, 3], [3, 7], [7, 12], [12, 17]], [0, 1, 1, 2]),
        (["THE", "off", "##icers", "love"], [[0, 3], [4, 7], [7, 12], [13, 17]], [0, 1, 1, 2]),
        (["the", "▁officers", "▁love", "</s>"], [[0, 3], [4, 12], [13, 17], [17, 17]], [0, 1, 2, 3]),
    ],
)
def test_pieces_belong_to_the_word_in_which_they_begin(tmp_path, pieces, offsets, words):
    text = line("the officers love", pieces, [-1, -2, -3, -4], offsets)
    answers = answered(tmp_path, text, Question(("the", "officers", "love")))
    assert answers.word_of_token.tolist() == words
    assert (answers.log_probabilities.tolist(), answers.last_words) == ([-1, -2, -3, -4], None)


def test_a_first_piece_without_a_number_is_left_out(tmp_path):
    text = line("the dog", ["th", "e", " dog"], [None, -2, -3]) + line("a dog", ["a", " dog"], [None, -1])
    answers = answered(tmp_path, text, Question(("the", "dog")), Question(("a", "dog")))
    assert (answers.word_of_token.tolist(), answers.ends.tolist()) == ([0, 1, 1], [2, 3])


def test_a_word_inside_a_piece_of_another_one_is_its_last(tmp_path):
    questions = Question(("in", "front", "of", "it")), Question(tuple("今日は"), between="")
    text = line("in front of it", ["in front of", " it"], [-1, -2]) + line("今日は", ["今日", "は"], [-3, -4])
    answers = answered(tmp_path, text, *questions)
    assert (answers.word_of_token.tolist(), answers.last_words.tolist()) == ([0, 3, 0, 2], [2, 3, 1, 2])


def test_pieces_that_share_a_character_count_with_its_word(tmp_path):
    text = line("x 日", ["x", "Ġæ", "Ĺ", "¥"], [-1, -2, -3, -4], [[0, 1], [1, 3], [2, 3], [2, 3]])
    assert answered(tmp_path, text, Question(("x", "日"))).word_of_token.tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("pieces", "values", "offsets", "words"),
    [
        (["a", " cat"], [-1, -2], None, r"its pieces spell 'a cat'\. Expected pieces that spell the sentence, or"),
        (["a", "cat"], [-1, -2], [[0, 1], [2, 5]], r"piece 'cat' has the offset \[2, 5\], which is 'dog'\. Expected"),
        (["a", "dog"], [-1], [[0, 1], [2, 5]], r"2 pieces, 1 log-probabilities\. Expected a number for every piece"),
        (["a", "dog"], [-1, -2], [[0, 1]], "2 pieces, 1 offsets"),
        (["a", "dog"], [-1, -2], [[0, 1], [2, 6]], r"\[2, 6\]\. Expected \[start, end\] in characters, from 0 to 5"),
        (["a", "dog"], [-1, -2], [[0, 1], [3, 2]], r"'dog' has the offset \[3, 2\]"),
        (["a", "dog", "</s>"], [-1, -2, -3], [[0, 1], [2, 5], [0, 0]], r"\[0, 0\] after \[2, 5\]\. .* do not fall"),
        (["a", "g"], [-1, -2], [[0, 1], [4, 5]], "no piece covers 'do' in the characters 1 to 4"),
        (["a", " dog"], [-1, None], None, "number 2 is null"),
    ],
)
def test_pieces_of_another_sentence_are_refused_with_file_and_line(tmp_path, pieces, values, offsets, words):
    with pytest.raises(MalformedLine, match=f"file.jsonl, line 2: .*{words}"):
        read(tmp_path, line("x", ["x"], [-1]) + line("a dog", pieces, values, offsets))


def test_a_table_of_pieces_scores_as_the_model_that_it_was_made_with(tmp_path):
    folder = write_causal(tmp_path, "gpt2")
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    backend = TextPieces(folder).backend
    questions = [Question(words) for words in (("talo", "tas", "on"), ("ta", "o"))]
    text = ""
    for question in questions:
        sentence = " ".join(question.words)
        encoding = backend.encode(sentence, add_special_tokens=False)
        with torch.inference_mode():
            ids = torch.tensor([encoding.ids])
            scores = model(ids).logits[0].log_softmax(-1)
        values = [None, *(float(scores[n - 1, one]) for n, one in enumerate(encoding.ids) if n)]
        text += line(sentence, encoding.tokens, values, encoding.offsets)
    found = answered(tmp_path, text, *questions)
    expected = causal(folder, start="none", first=False).answer(questions, NothingKept())
    np.testing.assert_allclose(found.log_probabilities, expected.log_probabilities, atol=1e-5)
    for one in ("word_of_token", "ends", "last_words"):
        assert np.array_equal(getattr(found, one), getattr(expected, one))
