"""Scoring by hand-made log-probabilities: what is asked, what counts, what is left out and said."""

import math

import numpy as np
import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.formats.minimal_sets.clams import MinimalSet, Variant, set_of_sentences
from polyprobe.predictors.base.predictor import Answers, Question
from polyprobe.probing.suites.minimal_sets import Construction
from tests.probing.minimal_sets.small_suite import GivenLogProbabilities, construction, findings_of, rows_of


class FirstUnscored(GivenLogProbabilities):
    """Scores no first word, as causal models without a start of the text."""

    def _scored(self, question):
        return range(1, len(question.words))


HENS = construction("hens", ("hen eats", "hen eat"), ("hen walks", "hen walk"), ("cow eats", "cow eat"))
TABLE = {"hen": -1.0, "cow": -1.0, "eats": -2.0, "eat": -4.0, "walks": -3.0, "walk": -2.5}


def only_row(found, **wanted):
    (row,) = rows_of(found, **wanted)
    return row


def test_the_grammatical_sentence_has_to_score_highest():
    row = only_row(findings_of([HENS], [GivenLogProbabilities(TABLE)]), test="hens", metric="accuracy")
    assert (row.correct, row.wrong, row.ties, row.skipped, row.n) == (2, 1, 0, 0, 3)
    assert row.value == pytest.approx(2 / 3)
    assert row.margin == pytest.approx((2 + 2 - 0.5) / 3 / math.log(2))
    assert row.median_margin == pytest.approx(2 / math.log(2))


def test_of_several_variants_the_best_one_counts():
    found = findings_of([construction("c", ("hen eats", "hen eat", "hen walk"))], [GivenLogProbabilities(TABLE)])
    assert only_row(found, test="c", metric="accuracy").margin == pytest.approx(0.5 / math.log(2))


def test_a_sentence_of_several_sets_and_constructions_is_asked_once_in_one_go():
    predictor = GivenLogProbabilities(TABLE)
    more = construction("more", ("hen eats", "hen walk"), ("hen eats", "hen eats eat"))
    findings_of([HENS, more], [predictor])
    asked = [" ".join(question.words) for question in predictor.asked]
    assert asked == ["hen eats", "hen eat", "hen walks", "hen walk", "cow eats", "cow eat", "hen eats eat"]


def test_scores_of_every_sentence_are_kept_with_those_of_the_words_that_differ():
    found = findings_of([HENS], [GivenLogProbabilities(TABLE, seed=1, epoch=8)])
    (scores,) = found.set_scores()
    assert scores.models.tolist() == ["s1/8"]
    assert scores.sums[0, :2].tolist() == [-3.0, -5.0]
    assert scores.focuses[0, :2].tolist() == [-2.0, -4.0]
    assert scores.lemmas.tolist() == ["eat/eats", "walk/walks", "eat/eats"]
    assert scores.n_tokens.tolist() == [2] * 6
    assert scores.n_characters.tolist() == [8, 7, 9, 8, 8, 7]
    assert scores.set_of_sentence.tolist() == [0, 0, 1, 1, 2, 2]


def test_sets_that_know_their_lexemes_are_of_one_lemma_by_these():
    def hens(number, lexemes):
        return MinimalSet(
            number,
            Variant("hen that moos eats", (1, 3), ("that moos", "eats")),
            (Variant("hen who moo eat", (1, 3), ("who moo", "eat")),),
            template=1,
            lexemes=lexemes,
        )

    sets = Construction("c", [hens(1, ("hen", "who moo", "eats")), hens(2, None), hens(3, ("hen",))])
    (scores,) = findings_of([sets], [GivenLogProbabilities(TABLE)]).set_scores()
    assert scores.lemmas.tolist() == ["who moo+eats", *["that moos eats/who moo eat"] * 2]


def test_a_model_that_is_asked_for_the_words_that_differ_has_one_metric_and_is_told_which():
    predictor = GivenLogProbabilities(TABLE, asks_focus=True)
    found = findings_of([HENS], [predictor])
    assert {row.metric for row in found.rows()} == {"accuracy"}
    assert predictor.asked[0] == Question(("hen", "eats"), (1, 2))
    assert np.isnan(found.set_scores()[0].sums).all()
    assert only_row(found, test="hens").correct == 2


@pytest.mark.parametrize("asks_focus", [False, True])
def test_identical_sentences_are_a_tie_and_said(asks_focus):
    sets = construction("c", ("hen eats", "hen eat"), ("hen eats", "hen eats"))
    row = only_row(
        findings_of([sets], [GivenLogProbabilities(TABLE, asks_focus=asks_focus)]), test="c", metric="accuracy"
    )
    assert (row.correct, row.ties, row.n) == (1, 1, 2)
    assert "1 set with an identical variant, the first is set 2" in row.note


@pytest.mark.parametrize(("ties", "value"), [("wrong", 1 / 2), ("half", 3 / 4), ("correct", 1), ("released", 1)])
def test_two_unknown_forms_tie_and_are_worth_what_is_asked(ties, value):
    sets = construction("c", ("hen moos", "hen moo"), ("hen eats", "hen eat"))
    row = only_row(findings_of([sets], [GivenLogProbabilities(TABLE)], ties), test="c", metric="accuracy")
    assert (row.ties, row.value, row.oov_sets) == (1, value, 1 / 2)
    assert row.scorer == ("released" if ties == "released" else "polyprobe")
    assert "1 set with an OOV or unscored critical word" in row.note


def test_a_construction_all_of_whose_scored_sets_have_oov_critical_words_has_no_score_and_no_part_in_the_mean():
    """Two of its three sets are right, those in which <unk> is the ungrammatical word: no 66.7."""
    sets = construction("c", ("hen moos", "hen eat"), ("hen eats", "hen moo"), ("cow eats", "cow moo"))
    other = construction("d", ("hen eats", "hen eat"), ("hen moos", "hen moo"))
    found = findings_of([sets, other], [GivenLogProbabilities(TABLE)])
    row = only_row(found, test="c", metric="accuracy")
    assert (row.value, row.interval_low, row.oov_sets, row.correct, row.n) == (None, None, 1, 2, 3)
    assert row.note.startswith("no score: every scored set has an OOV critical word")
    whole = only_row(found, test="", metric="accuracy")
    assert (whole.value, whole.n) == (1 / 2, 2)
    assert "mean over 1 construction; without c" in whole.note


def test_a_first_word_that_is_not_scored_is_no_oov_word():
    """Only Bill would ever complain, even Bill would ever complain: what follows the critical word is scored."""
    sets = construction("c", ("hen eats", "cow eats"), ("hen walks", "cow walks"))
    row = only_row(findings_of([sets], [FirstUnscored(TABLE)]), test="c", metric="accuracy")
    assert (row.oov_sets, row.value) == (0, 0)
    assert "2 sets with an OOV or unscored critical word" in row.note


@pytest.mark.parametrize(("ties", "has_one"), [("correct", True), ("released", False)])
def test_where_a_set_that_is_not_there_counts_there_is_no_interval(ties, has_one):
    row = only_row(findings_of([HENS], [GivenLogProbabilities(TABLE)], ties), test="hens", metric="accuracy")
    assert (row.interval_low is not None) == has_one


def test_sets_with_an_unknown_focus_word_can_be_skipped():
    sets = construction("c", ("hen eats", "hen moo"), ("cow eats", "cow eat"))
    found = findings_of([sets], [GivenLogProbabilities(TABLE)], unknown_focus="skipped")
    row = only_row(found, test="c", metric="accuracy")
    assert (row.correct, row.skipped, row.n) == (1, 1, 1)
    assert row.note == "1 set left out: an OOV or unscored critical word, fewer than 30 sets"


def test_sets_with_another_unknown_word_are_scored_and_counted():
    sets = construction("c", ("ewe eats", "ewe eat"), ("ewe eats", "ewe moo"), ("hen eats", "hen eat"))
    found = findings_of([sets], [GivenLogProbabilities(TABLE)])
    row = only_row(found, test="c", metric="accuracy")
    assert (row.n, found.constructions[0].lacks_other.sum()) == (3, 1)
    assert "1 set with another OOV word" in row.note


def test_a_set_without_an_ungrammatical_sentence_is_left_out_unasked():
    predictor = GivenLogProbabilities(TABLE)
    found = findings_of([construction("c", ("hen eats",), ("hen walks", "hen walk"))], [predictor])
    assert len(predictor.asked) == 2
    row = only_row(found, test="c", metric="accuracy")
    assert (row.wrong, row.skipped) == (1, 1)
    assert "1 set left out: no ungrammatical sentence" in row.note


def test_a_set_that_one_model_refuses_is_left_out_for_all():
    predictors = [GivenLogProbabilities(TABLE, seed=1), GivenLogProbabilities(TABLE, seed=2, refused=["walk"])]
    found = findings_of([HENS], predictors)
    assert [row.skipped for row in rows_of(found, test="hens", metric="accuracy")] == [1, 1, 1]
    assert found.constructions[0].left_out == {"a refused word": 1}


def test_without_a_word_to_mask_a_set_is_left_out():
    sets = construction("c", ("hen eats", "hen eats eats"))
    row = only_row(findings_of([sets], [GivenLogProbabilities(TABLE, asks_focus=True)]), test="c")
    assert row.value is None
    assert (row.n, row.skipped, row.margin, row.interval_low) == (0, 1, None, None)
    assert "a sentence without a critical word" in row.note


def test_a_sentence_that_only_adds_a_word_has_no_focus_score():
    sets = construction("c", ("hen eats", "hen eats eats"))
    found = findings_of([sets], [GivenLogProbabilities(TABLE)])
    assert only_row(found, test="c", metric="accuracy").correct == 1
    assert only_row(found, test="c", metric="accuracy_focus").skipped == 1


def test_seeds_are_averaged_and_their_deviation_told():
    other = {**TABLE, "walks": -1.0}
    found = findings_of([HENS], [GivenLogProbabilities(TABLE, seed=1), GivenLogProbabilities(other, seed=2)])
    rows = rows_of(found, test="hens", metric="accuracy")
    assert [(row.seed, row.n_seeds) for row in rows] == [(1, None), (2, None), (None, 2)]
    assert rows[2].value == pytest.approx((2 / 3 + 1) / 2)
    assert rows[2].sd == pytest.approx(np.std([2 / 3, 1], ddof=1))
    assert (rows[2].correct, rows[2].n) == (None, 3)


def test_models_of_several_epochs_are_averaged_epoch_by_epoch():
    predictors = [GivenLogProbabilities(TABLE, seed, epoch) for seed in (1, 2) for epoch in (0, 8)]
    averaged = rows_of(findings_of([HENS], predictors), test="hens", metric="accuracy", seed=None)
    assert [(row.epoch, row.n_seeds) for row in averaged] == [(0, 2), (8, 2)]


def test_the_average_over_constructions_is_unweighted_and_states_the_conventions():
    other = construction("cows", ("cow walks", "cow walk"))
    row = only_row(findings_of([HENS, other], [GivenLogProbabilities(TABLE)]), test="")
    assert (row.metric, row.value, row.n) == ("accuracy", pytest.approx(1 / 3), 4)
    assert "every word counts" in row.note


def test_models_that_cannot_be_told_apart_are_refused():
    with pytest.raises(PolyprobeError, match="Two models to be scored have the name s1"):
        findings_of([HENS], [GivenLogProbabilities(TABLE, seed=1), GivenLogProbabilities(TABLE, seed=1)])


class OfPieces(GivenLogProbabilities):
    """Answers with tokens that cover several characters: (log-probability, first, last) of each."""

    def answer(self, questions, keeper):
        self.asked += questions
        tokens = [self.table["".join(one.words)] for one in questions]
        flat = [token for of_question in tokens for token in of_question]
        return Answers(
            log_probabilities=np.array([value for value, _, _ in flat], dtype=np.float32),
            word_of_token=np.array([first for _, first, _ in flat], dtype=np.int32),
            is_unknown=np.zeros(len(flat), dtype=bool),
            ends=np.cumsum([len(of_question) for of_question in tokens], dtype=np.int64),
            refusals=("",) * len(questions),
            last_words=np.array([last for _, _, last in flat], dtype=np.int32),
        )


def test_the_focus_of_characters_is_every_piece_that_covers_one_that_differs():
    pair = set_of_sentences(1, ("一二三四", "一二五四"), between="")
    table = {
        "一二三四": [(-1.0, 0, 0), (-2.0, 1, 2), (-4.0, 3, 3)],  # 二三 is one piece, and covers what differs
        "一二五四": [(-1.0, 0, 0), (-1.0, 1, 1), (-8.0, 2, 3)],  # 五四 likewise
    }
    predictor = OfPieces(table)
    found = findings_of([Construction("c", [pair])], [predictor])
    (scores,) = found.set_scores()
    assert [question.words for question in predictor.asked] == [tuple("一二三四"), tuple("一二五四")]
    assert {question.between for question in predictor.asked} == {""}
    assert scores.focuses.tolist() == [[-2.0, -8.0]]
    assert scores.sums.tolist() == [[-7.0, -10.0]]
    assert scores.lemmas.tolist() == ["三/五"]
    assert "unknown" not in (only_row(found, test="c", metric="accuracy").note or "")


def test_words_that_a_file_names_are_the_focus_and_what_differs_is_still_resampled():
    pair = set_of_sentences(1, ("not hen eats cow", "hen eats not cow"), named=((0, 1), (2, 3)))
    table = {"not": -1.0, "hen": -2.0, "eats": -4.0, "cow": -8.0}
    found = findings_of([Construction("c", [pair])], [GivenLogProbabilities(table)])
    (scores,) = found.set_scores()
    assert scores.focuses.tolist() == [[-1.0, -1.0]]
    assert scores.lemmas.tolist() == ["hen eats not/not hen eats"]
