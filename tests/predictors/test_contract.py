"""What every predictor promises, as one table over every kind."""

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.predictors.base.predictor import Answers, Arrays, KeptBlocks, NothingKept, Predictor, Question

KINDS = [
    importlib.import_module(f"tests.predictors.kinds.{file.stem}").KIND
    for file in sorted((Path(__file__).parent / "kinds").glob("*.py"))
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


class OnlyKept(KeptBlocks):
    """Finds blocks and computes none."""

    def blocks(self, names: Sequence[str], compute: Callable[[int], Arrays]) -> list[Arrays]:
        def refuse(number: int) -> Arrays:
            raise AssertionError(f"block {number} is computed twice")

        return super().blocks(names, refuse)


def by_question(answers: Answers) -> list[np.ndarray]:
    """Returns the log-probabilities of each question."""
    return np.split(answers.log_probabilities, answers.ends[:-1])


def answer(predictor: Predictor, questions: Sequence[Question]) -> list[np.ndarray]:
    return by_question(predictor.answer(questions, NothingKept()))


def assert_close(found: list[np.ndarray], expected: list[np.ndarray]) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@every_kind
def test_a_question_has_the_same_answer_alone_and_in_company(kind, tmp_path):
    predictor = kind.build(tmp_path)
    alone = [answer(predictor, [question])[0] for question in kind.questions]
    assert_close(answer(predictor, kind.questions), alone)


@every_kind
def test_the_order_of_questions_does_not_matter(kind, tmp_path):
    predictor = kind.build(tmp_path)
    order = np.random.default_rng(5).permutation(len(kind.questions))
    found = answer(predictor, [kind.questions[position] for position in order])
    in_order = answer(predictor, kind.questions)
    assert_close(found, [in_order[position] for position in order])


@every_kind
def test_answers_are_those_of_the_plainest_way(kind, tmp_path):
    predictor = kind.build(tmp_path)
    refusals = predictor.answer(kind.questions, NothingKept()).refusals
    answered = [question for question, why in zip(kind.questions, refusals, strict=True) if not why]
    assert 2 * len(answered) > len(kind.questions)
    expected = [np.array(kind.expected(predictor, question)) for question in answered]
    assert_close(answer(predictor, answered), expected)


@every_kind
def test_a_repeated_question_has_the_same_answer_to_the_last_bit(kind, tmp_path):
    found = answer(kind.build(tmp_path), [*kind.questions, *kind.questions[::-1]])
    for one, other in zip(found, found[::-1], strict=True):
        np.testing.assert_array_equal(one, other)


@every_kind
def test_questions_that_cannot_be_told_apart_have_the_same_answer_to_the_last_bit(kind, tmp_path):
    if kind.alike is not None:
        first, *_, last = answer(kind.build(tmp_path), [kind.alike[0], *kind.questions, kind.alike[1]])
        assert len(first)
        np.testing.assert_array_equal(first, last)


@every_kind
def test_after_a_restart_kept_work_is_found_and_answers_are_the_same(kind, tmp_path):
    predictor = kind.build(tmp_path)
    folder = tmp_path / "scores" / predictor.fingerprint
    before = predictor.answer(kind.questions, KeptBlocks(folder))
    after = kind.build(tmp_path).answer(kind.questions, OnlyKept(folder))
    np.testing.assert_array_equal(before.log_probabilities, after.log_probabilities)
    np.testing.assert_array_equal(before.ends, after.ends)
    assert before.refusals == after.refusals
    np.testing.assert_array_equal(before.log_probabilities, np.concatenate(answer(predictor, kind.questions)))


@every_kind
def test_kept_work_does_not_depend_on_the_order_of_questions(kind, tmp_path):
    predictor = kind.build(tmp_path)
    folder = tmp_path / "scores" / predictor.fingerprint
    computed = predictor.answer(kind.questions, KeptBlocks(folder))
    kept = predictor.answer(kind.questions[::-1], OnlyKept(folder))
    assert kept.refusals == computed.refusals[::-1]
    of_questions = np.split(computed.log_probabilities, computed.ends[:-1])
    np.testing.assert_array_equal(kept.log_probabilities, np.concatenate(of_questions[::-1]))


@every_kind
def test_every_token_belongs_to_a_word_and_has_a_finite_log_probability(kind, tmp_path):
    answers = kind.build(tmp_path).answer(kind.questions, NothingKept())
    assert answers.log_probabilities.dtype == np.float32
    assert np.isfinite(answers.log_probabilities).all()
    assert (answers.log_probabilities <= 0).all()
    assert answers.word_of_token.dtype == np.int32
    assert answers.is_unknown.dtype == bool
    assert answers.ends.dtype == np.int64
    assert answers.ends[-1] == len(answers.log_probabilities) == len(answers.word_of_token) == len(answers.is_unknown)
    words = np.split(answers.word_of_token, answers.ends[:-1])
    for question, of_words, refusal in zip(kind.questions, words, answers.refusals, strict=True):
        assert bool(refusal) == (len(of_words) == 0)
        assert ((of_words >= 0) & (of_words <= len(question.words))).all()
        assert (np.diff(of_words) >= 0).all()


@every_kind
def test_no_questions_have_no_answers(kind, tmp_path):
    answers = kind.build(tmp_path).answer([], NothingKept())
    assert len(answers.ends) == len(answers.log_probabilities) == len(answers.word_of_token) == 0
    assert answers.refusals == ()


@every_kind
def test_an_unknown_word_is_scored_or_refused_in_words(kind, tmp_path):
    answers = kind.build(tmp_path).answer([kind.unknown], NothingKept())
    assert np.isfinite(answers.log_probabilities).all()
    assert len(answers.log_probabilities) or answers.refusals[0]


@every_kind
@pytest.mark.parametrize(
    ("question", "words"),
    [
        (Question(()), "the sentence has no words"),
        (Question(("the", "", "barks")), "word 2 of the sentence is empty"),
        (Question(("the", "dog"), (1, 3)), "the span is not part of its 2 words"),
        (Question(("the", "dog"), (1, 1)), "the span is not part of its 2 words"),
    ],
)
def test_a_sentence_that_has_no_probability_is_refused(kind, tmp_path, question, words):
    with pytest.raises(PolyprobeError, match=f"{kind.name} cannot score question 2, .*{words}"):
        kind.build(tmp_path).answer([kind.questions[0], question], NothingKept())


@every_kind
def test_conventions_are_one_line(kind, tmp_path):
    conventions = kind.build(tmp_path).conventions
    assert conventions.strip()
    assert "\n" not in conventions


@every_kind
def test_equal_options_give_one_fingerprint_whatever_the_folder(kind, tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    first, second = (kind.build(folder) for folder in folders)
    assert first.fingerprint == second.fingerprint
    assert int(first.fingerprint, 16) >= 0


@every_kind
def test_every_option_that_matters_changes_the_fingerprint(kind, tmp_path):
    predictors = [kind.build(tmp_path), *(kind.build(tmp_path, **changes) for changes in kind.options)]
    assert len({predictor.fingerprint for predictor in predictors}) == len(predictors)


@every_kind
def test_provenance_has_digests_of_what_answers_rest_on(kind, tmp_path):
    files = kind.build(tmp_path).provenance["files"]
    assert files
    assert all(len(digest) == 64 for digest in files.values())
