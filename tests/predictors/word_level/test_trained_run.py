"""Runs that predictors cannot use are refused in words, before anything is computed."""

import numpy as np
import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.predictors.base.predictor import NothingKept, Question
from polyprobe.predictors.word_level.trained_run import LanguageModelRun, words_of_run
from tests.predictors import saved_run
from tests.predictors.kinds import lstm, random
from tests.predictors.saved_run import QUESTIONS, write_run


def test_the_best_epoch_and_the_seed_of_training_are_known(tmp_path):
    predictor = lstm.build(tmp_path)
    assert (predictor.epoch, predictor.seed) == (2, 5)
    assert lstm.build(tmp_path, epoch=0).epoch == 0
    assert (random.build(tmp_path, seed=7).seed, random.build(tmp_path).epoch) == (7, None)


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(PolyprobeError, match=r"is no run .*config.yaml.*Expected the directory of a run"):
        LanguageModelRun(tmp_path / "nowhere", "predictor.run")


def test_a_run_of_another_task_is_refused(tmp_path):
    for key in ("predictor.run", "check_vocabulary"):
        with pytest.raises(PolyprobeError, match=rf"^{key}: .* is a run of task=pos\. Expected one of task=lm"):
            LanguageModelRun(write_run(tmp_path, task="pos"), key)


def test_the_best_epoch_of_an_unfinished_run_is_not_known_but_others_can_be_taken(tmp_path):
    run = write_run(tmp_path, status="running")
    with pytest.raises(PolyprobeError, match=r"is not finished.*predictor\.epoch of 0, 2"):
        LanguageModelRun(run, "predictor.run").epoch("best")
    assert LanguageModelRun(run, "predictor.run").epoch(2) == 2


@pytest.mark.parametrize("epoch", [9, "last"])
def test_an_epoch_that_is_not_there_is_refused(tmp_path, epoch):
    with pytest.raises(PolyprobeError, match=rf"predictor\.epoch must be best, or one of 0, 2, .*got '?{epoch}"):
        lstm.build(tmp_path, epoch=epoch)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"start": False}, r"predictor\.first must be false where predictor\.start is false"),
        ({"unknown": "skipped"}, 'predictor.unknown "skipped" is unknown.*Known: left_out, scored'),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(tmp_path, change, words):
    with pytest.raises(PolyprobeError, match=words):
        lstm.build(tmp_path, **change)


def test_conventions_say_every_option(tmp_path):
    assert lstm.build(tmp_path).conventions == (
        "<eos> is read before the first word; the first word counts; the end of the sentence does not count; an "
        "OOV word counts as <unk>; split off words: ."
    )
    other = lstm.build(tmp_path, start=False, first=False, end=True, unknown="left_out", split_off=[]).conventions
    assert other == (
        "nothing is read before the first word; the first word does not count; the end of the sentence counts; an "
        "OOV word does not count, but is read as <unk>"
    )


def test_endings_are_words_of_their_own_and_count_for_the_word_that_has_them(tmp_path):
    options = {"split_off": [".", "n't"], "end": True}
    one = lstm.build(tmp_path, **options).answer([Question(("a", "dogn't.", "b", "."))], NothingKept())
    apart = lstm.build(tmp_path, **options).answer([Question(("a", "dog", "n't", ".", "b", "."))], NothingKept())
    np.testing.assert_array_equal(one.log_probabilities, apart.log_probabilities)
    assert one.word_of_token.tolist() == [0, 1, 1, 1, 2, 3, 4]


def test_sentences_without_a_word_that_counts_are_refused_in_words(tmp_path):
    answers = lstm.build(tmp_path, first=False).answer(QUESTIONS, NothingKept())
    assert {len(q.words) for q, why in zip(QUESTIONS, answers.refusals, strict=True) if why} == {1}
    assert set(answers.refusals) == {"", "no word of it counts"}


def test_unknown_words_are_named_as_such_and_can_be_left_out(tmp_path):
    (question,) = [question for question in QUESTIONS if question.words == ("a", "ζζζζ", "b")]
    scored = lstm.build(tmp_path).answer([question], NothingKept())
    left_out = lstm.build(tmp_path, unknown="left_out").answer([question], NothingKept())
    assert scored.is_unknown.tolist() == [False, True, False]
    assert left_out.word_of_token.tolist() == [0, 2]
    assert left_out.log_probabilities.tolist() == scored.log_probabilities[[0, 2]].tolist()


def test_the_words_of_a_run_can_be_asked(tmp_path):
    assert words_of_run(write_run(tmp_path), "check_vocabulary") == tuple(saved_run.WORDS)
