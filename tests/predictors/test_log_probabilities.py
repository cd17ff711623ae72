"""Log-probabilities from a file; the promises of every predictor stand in test_contract.py."""

import pytest

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.predictors.base.predictor import NothingKept, Question
from polyprobe.predictors.log_probabilities import LogProbabilities

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
    with pytest.raises(PolyprobeError, match=r"lacks 1 of 2 sentences: 'a cat barks'\. Expected a line for each"):
        read(tmp_path, LINES).answer(questions, NothingKept())


def test_other_words_are_refused(tmp_path):
    predictor = read(tmp_path, '{"sentence": "a dog", "words": [-1]}\n')
    with pytest.raises(PolyprobeError, match=r"'a dog' has 1 numbers for 2 words\. Expected one for each"):
        predictor.answer([Question(("a", "dog"))], NothingKept())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: the file is empty"),
        ("a dog\t-1\n", "line 1: got 'a dog"),
        ('{"sentence": "a", "log_probability": 0.1}\n', "line 1: got .*numbers not above 0"),
        ('{"sentence": "a", "log_probability": -Infinity}\n', "line 1: got"),
        ('{"sentence": "a", "log_probability": -1e300}\n', "line 1: got"),
        (f'{{"sentence": "a", "log_probability": -{"9" * 400}}}\n', "line 1: got"),
        ('{"sentence": "a", "log_probability": false}\n', "line 1: got"),
        ('{"sentence": "a", "words": []}\n', "line 1: got"),
        ('{"sentence": "a", "words": [null]}\n', "line 1: got"),
        ('{"sentence": "a"}\n', "line 1: got"),
        (f"{LINES}{LINES}", "line 3: 'a dog barks' is also above. Expected each sentence once"),
    ],
)
def test_a_line_that_is_no_sentence_with_its_numbers_is_refused(tmp_path, text, words):
    with pytest.raises(MalformedLine, match=words):
        read(tmp_path, text)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(PolyprobeError, match=r"there is no such file\. Expected a file with"):
        LogProbabilities(tmp_path / "absent.jsonl")
