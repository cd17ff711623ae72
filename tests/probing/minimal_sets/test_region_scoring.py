"""Items of SyntaxGym: surprisals of regions by hand, which predictions hold, what is left out."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyprobe.errors import PolyprobeError
from polyprobe.formats.minimal_sets.region_formulas import parse
from polyprobe.formats.minimal_sets.syntaxgym import Condition, Prediction, RegionItem
from polyprobe.predictors.base.predictor import Answers, NothingKept, Predictor, Question
from polyprobe.probing.minimal_sets.outcome import UNKNOWN_REGION, ScoringRules
from polyprobe.probing.minimal_sets.region_scoring import INFINITE, NOT_SCORED
from polyprobe.probing.minimal_sets.scoring import score_suite
from polyprobe.probing.suites.minimal_sets import MinimalSuite, Preparation, RegionConstruction
from tests.predictors.kinds import causal, lstm, masked_focus, masked_pll, ngram
from tests.probing.minimal_sets.small_suite import GivenLogProbabilities, rows_of

NATS = math.log(2)  # of a bit
TABLE = {word: -bits * NATS for word, bits in {"a": 1, "hen": 2, "hens": 3, "eats": 4, "eat": 6, ".": 0.5}.items()}
AS_IT_IS = Preparation(None, False, False)


def condition(*regions: str) -> Condition:
    words, spans = [], {}
    for number, region in enumerate(regions, start=1):
        spans[number] = (len(words), len(words) + len(region.split()))
        words += region.split()
    return Condition(tuple(words), spans)


def item(number=1, **conditions) -> RegionItem:
    return RegionItem(number, {name: condition(*regions) for name, regions in conditions.items()})


def suite(items, *formulas, preparation=AS_IT_IS) -> MinimalSuite:
    predictions = [Prediction(formula, parse(formula)) for formula in formulas]
    constructions = [RegionConstruction("hens", items, predictions=predictions)]
    return MinimalSuite("toy", constructions, {"hens": "00"}, preparation=preparation)


def scored(items, *formulas, predictors=None, unknown_focus="scored", ties="wrong", preparation=AS_IT_IS):
    predictors = predictors or [GivenLogProbabilities(TABLE)]
    rules = ScoringRules("xx", "given", ties, unknown_focus)
    keepers = [NothingKept() for _ in predictors]
    return score_suite(suite(items, *formulas, preparation=preparation), predictors, keepers, rules)


def region_scores(found):
    (scores,) = found.set_scores()
    return scores


MATCH, MISMATCH = ("a hen", "", "eats"), ("a hen", "", "eat")
FORMULA, OF_FIRST = "(3;%match%) < (3;%mismatch%)", "(1;%match%) < (1;%mismatch%)"


def test_the_surprisal_of_a_region_is_the_sum_over_its_words_in_bits():
    scores = region_scores(scored([item(match=MATCH, mismatch=MISMATCH)], FORMULA))
    assert scores.sentences.tolist() == ["a hen eats", "a hen eat"]
    assert scores.surprisals[0] == pytest.approx([3, 0, 4, 3, 0, 6])
    assert scores.sentence_of_region.tolist() == [0, 0, 0, 1, 1, 1]
    assert scores.region_numbers.tolist() == [1, 2, 3, 1, 2, 3]
    assert scores.margins.ravel() == pytest.approx([2])


def test_an_item_is_right_where_all_of_its_predictions_hold():
    items = [item(1, match=MATCH, mismatch=MISMATCH), item(2, match=MATCH, mismatch=("a hens", "", "eat"))]
    found = scored(items, FORMULA, "(1;%match%) < (1;%mismatch%)")  # 4 < 6 in both, 3 < 3 and 3 < 4
    by_metric = {row.metric: row for row in rows_of(found, test="hens")}
    assert list(by_metric) == ["accuracy", "prediction_1", "prediction_2"]
    assert [row.value for row in by_metric.values()] == [0.5, 1.0, 0.5]
    assert [(row.n, row.correct, row.wrong, row.ties) for row in by_metric.values()] == [
        (2, 1, 0, 1),
        (2, 2, 0, 0),
        (2, 1, 0, 1),
    ]
    assert by_metric["accuracy"].margin == pytest.approx(0.5)  # the lesser of 2 and 0, of 2 and 1
    assert by_metric["prediction_1"].note.startswith(FORMULA)
    (average,) = rows_of(found, test="")
    assert (average.metric, average.value, average.n) == ("accuracy", 0.5, 2)


@pytest.mark.parametrize(("ties", "value"), [("wrong", 0.0), ("half", 0.5), ("correct", 1.0)])
def test_equal_sums_meet_no_strict_inequality(ties, value):
    found = scored([item(match=MATCH, mismatch=MATCH)], FORMULA, ties=ties)
    assert rows_of(found, test="hens", metric="accuracy")[0].value == value


def test_items_are_resampled():
    items = [item(1, match=MATCH, mismatch=MISMATCH), *(item(n, match=MISMATCH, mismatch=MATCH) for n in range(2, 9))]
    (row,) = rows_of(scored(items, FORMULA), test="hens", metric="accuracy")
    assert row.value == 1 / 8
    assert (row.interval_low, row.interval_high) == (0.0, 0.375)  # 0.05 and 0.975 quantiles of a binomial of 8 at 1/8


def test_equal_sentences_are_asked_once():
    predictor = GivenLogProbabilities(TABLE)
    scored(
        [item(1, match=MATCH, mismatch=MISMATCH), item(2, match=MATCH, mismatch=MISMATCH)],
        FORMULA,
        predictors=[predictor],
    )
    assert [" ".join(one.words) for one in predictor.asked] == ["a hen eats", "a hen eat"]


def test_a_word_put_after_every_sentence_belongs_to_no_region():
    preparation = Preparation(".", True, False)
    scores = region_scores(scored([item(match=MATCH, mismatch=MISMATCH)], FORMULA, preparation=preparation))
    assert scores.sentences.tolist() == ["A hen eats .", "A hen eat ."]
    assert scores.surprisals[0, [2, 5]] == pytest.approx([4, 6])


class EndScored(Predictor):
    """Scores each word by one bit, and the end of a sentence by two."""

    conventions, fingerprint = "", "0e"

    def answer(self, questions, keeper):
        lengths = [len(question.words) for question in questions]
        values = [[-NATS] * n + [-2 * NATS] for n in lengths]
        return Answers(
            log_probabilities=np.array([one for of in values for one in of], dtype=np.float32),
            word_of_token=np.array([place for n in lengths for place in range(n + 1)], dtype=np.int32),
            is_unknown=np.zeros(sum(lengths) + len(lengths), dtype=bool),
            ends=np.cumsum([n + 1 for n in lengths]),
            refusals=("",) * len(lengths),
        )


def test_the_end_of_a_sentence_belongs_to_the_last_region_that_has_words():
    scores = region_scores(scored([item(match=("a", "hen eats", ""))], "(*;%match%) > 0", predictors=[EndScored()]))
    assert scores.surprisals[0] == pytest.approx([1, 4, 0])
    assert scores.margins.ravel() == pytest.approx([5])


def test_an_item_with_a_refused_sentence_is_left_out():
    predictor = GivenLogProbabilities(TABLE, refused=["hens"])
    items = [item(1, match=MATCH, mismatch=MISMATCH), item(2, match=MATCH, mismatch=("hens", "", "eat"))]
    found = scored(items, FORMULA, predictors=[predictor])
    assert region_scores(found).left_out.tolist() == ["", "a refused word"]
    (row,) = rows_of(found, test="hens", metric="accuracy")
    assert (row.n, row.skipped, row.value) == (1, 1, 1.0)
    assert "1 set left out: a refused word" in row.note


class FirstUnscored(GivenLogProbabilities):
    """Leaves the first word out."""

    def _scored(self, question):
        return range(1, len(question.words))


def test_a_region_without_a_scored_word_leaves_its_item_out_where_it_is_predicted():
    items = [item(match=("hen", "eats"), mismatch=("hens", "eat"))]
    predicted = scored(items, "(1;%match%) < (1;%mismatch%)", predictors=[FirstUnscored(TABLE)])
    assert predicted.constructions[0].left_out == {NOT_SCORED: 1}
    (row,) = rows_of(predicted, test="hens", metric="accuracy")
    assert (row.n, row.value) == (0, None)
    other = scored(items, "(2;%match%) < (2;%mismatch%)", predictors=[FirstUnscored(TABLE)])
    assert other.constructions[0].left_out == {}
    assert np.isnan(region_scores(other).surprisals[0, [0, 2]]).all()


def test_items_with_an_unknown_word_in_a_predicted_region_are_counted_or_skipped():
    items = [
        item(1, match=MATCH, mismatch=MISMATCH),
        item(2, match=("ζζ hen", "", "eats"), mismatch=MISMATCH),  # not in a region that is predicted
        item(3, match=("a hen", "", "ζζ"), mismatch=MISMATCH),
    ]
    found = scored(items, FORMULA)
    assert found.constructions[0].has_unknown.tolist() == [False, False, True]
    assert "1 set with an OOV or unscored word in a predicted region" in rows_of(found, test="hens")[0].note
    skipped = scored(items, FORMULA, unknown_focus="skipped")
    assert region_scores(skipped).left_out.tolist() == ["", "", UNKNOWN_REGION]


class UnknownUnscored(GivenLogProbabilities):
    """Leaves unknown words out."""

    def _scored(self, question):
        return [place for place, word in enumerate(question.words) if word in self.table]


@pytest.mark.parametrize("predictor", [GivenLogProbabilities, UnknownUnscored])
def test_items_with_unknown_words_are_the_same_where_these_are_left_out(predictor):
    items = [
        item(1, match=MATCH, mismatch=MISMATCH),
        item(2, match=("ζζ hen", "", "eats"), mismatch=MISMATCH),  # not in a region that is predicted
        item(3, match=("a hen", "", "eats ζζ"), mismatch=MISMATCH),
    ]
    found = scored(items, FORMULA, predictors=[predictor(TABLE)])
    assert found.constructions[0].has_unknown.tolist() == [False, False, True]
    assert found.constructions[0].left_out == {}
    skipped = scored(items, FORMULA, predictors=[predictor(TABLE)], unknown_focus="skipped")
    assert region_scores(skipped).left_out.tolist() == ["", "", UNKNOWN_REGION]


def test_a_first_word_that_does_not_count_is_noted_where_its_region_is_predicted():
    items = [item(match=MATCH, mismatch=("a hens", "", "eat"))]
    first, last = (scored(items, formula, predictors=[FirstUnscored(TABLE)]) for formula in (OF_FIRST, FORMULA))
    assert f"1 set with {UNKNOWN_REGION}" in rows_of(first, test="hens")[0].note
    assert UNKNOWN_REGION not in rows_of(last, test="hens")[0].note


class PiecesAcrossWords(GivenLogProbabilities):
    """Scores the first two words of a sentence as one token, by the first of them."""

    def answer(self, questions, keeper):
        found = super().answer(questions, keeper)
        lasts = found.word_of_token + (found.word_of_token == 0)
        return replace(found, last_words=lasts)

    def _scored(self, question):
        return [0, *range(2, len(question.words))]


def test_a_region_that_lies_in_a_piece_of_another_one_has_no_bits_and_is_known():
    items = [item(match=("hen", "eats", "a"), mismatch=("hen eats", "a", "."))]
    found = scored(items, "(2;%match%) < (2;%mismatch%)", predictors=[PiecesAcrossWords(TABLE)])
    assert region_scores(found).surprisals[0] == pytest.approx([2, 0, 1, 2, 1, 0.5])
    assert found.constructions[0].left_out == {}
    assert not found.constructions[0].has_unknown.any()
    unknown = [item(match=("ζζ", "eats", "a"), mismatch=("hen eats", "a", "."))]
    found = scored(unknown, "(2;%match%) < (2;%mismatch%)", predictors=[PiecesAcrossWords(TABLE)])
    assert found.constructions[0].has_unknown.all()


def test_infinite_surprisals_that_are_subtracted_leave_their_item_out():
    predictor = GivenLogProbabilities({**TABLE, "eats": -np.inf, "eat": -np.inf})
    items = [item(match=MATCH, mismatch=MISMATCH)]
    assert scored(items, "(3;%match%) - (3;%mismatch%) > 0", predictors=[predictor]).constructions[0].left_out == {
        INFINITE: 1
    }
    (row,) = rows_of(scored(items, FORMULA, predictors=[predictor]), test="hens", metric="accuracy")
    assert (row.n, row.ties) == (1, 1)


def test_a_predictor_that_scores_the_focus_alone_is_refused():
    with pytest.raises(
        PolyprobeError, match=r"predictor\.score=focus only scores the critical words.*predictor\.score=pll"
    ):
        scored([item(match=MATCH)], "(1;%match%) > 0", predictors=[GivenLogProbabilities(TABLE, asks_focus=True)])


def test_seeds_are_averaged():
    other = GivenLogProbabilities({**TABLE, "eat": -3 * NATS}, seed=2)
    found = scored([item(match=MATCH, mismatch=MISMATCH)], FORMULA, predictors=[GivenLogProbabilities(TABLE, 1), other])
    *of_seeds, averaged = rows_of(found, test="hens", metric="accuracy")
    assert [row.value for row in of_seeds] == [1.0, 0.0]
    assert (averaged.value, averaged.n_seeds) == (0.5, 2)


words = st.lists(st.sampled_from([*TABLE, ""]), min_size=1, max_size=4)


@given(st.lists(words.filter(any), min_size=1, max_size=3))
def test_all_regions_together_are_the_sentence(conditions):
    """Every word counts once: the surprisal of all regions is minus the sum of the sentence's log-probabilities."""
    items = [item(1, **{f"c{number}": tuple(of) for number, of in enumerate(conditions)})]
    formulas = [f"(*;%c{number}%) > 0" for number in range(len(conditions))]
    scores = region_scores(scored(items, *formulas))
    expected = [-sum(TABLE[word] for word in of if word) / NATS for of in conditions]
    assert scores.margins[0, :, 0] == pytest.approx(expected, rel=1e-6)


def test_circuits_pool_the_items_of_their_test_suites():
    """An item of one number is drawn together with those of the other test suites that have it."""
    right, wrong = {"match": MATCH, "mismatch": MISMATCH}, {"match": MISMATCH, "mismatch": MATCH}
    items = [[item(n, **(right if n < 3 else wrong)) for n in range(1, 5)] for _ in "ab"]
    predictions = [Prediction(FORMULA, parse(FORMULA))]
    groups = {"circuit": np.array(["agreement"] * 4)}
    constructions = [
        RegionConstruction(name, of, 0, groups, predictions=predictions) for name, of in zip("ab", items, strict=True)
    ]
    grouped = MinimalSuite("toy", constructions, {}, [], {"published": ["a", "b"]}, AS_IT_IS)
    rules = ScoringRules("xx", "given", "wrong", "scored")
    found = score_suite(grouped, [GivenLogProbabilities(TABLE)], [NothingKept()], rules)
    rows = {(row.grouping, row.test): (row.value, row.n) for row in found.rows() if row.stage == "minimal_set_groups"}
    assert rows == {("circuit", "agreement"): (0.5, 8), ("average", "published"): (0.5, 8)}
    (pooled,) = rows_of(found, test="agreement", metric="accuracy")
    assert (pooled.interval_low, pooled.interval_high) == (0.0, 1.0)  # of a binomial of 4 at 1/2; of 8: 1/8 and 7/8


@pytest.mark.parametrize(
    "kind", [one.KIND for one in (causal, lstm, masked_focus, masked_pll, ngram)], ids=lambda kind: kind.name
)
def test_regions_of_every_predictor_share_out_what_its_sentences_have(kind, tmp_path):
    """A region for each word, and all of them together: nothing is counted twice, nothing lost."""
    predictor = kind.build(tmp_path)
    questions = [Question(one.words) for one in kind.questions[:6]]
    if predictor.asks_focus:
        with pytest.raises(PolyprobeError, match=r"predictor\.score=pll"):
            scored([item(c=questions[0].words)], "(*;%c%) > 0", predictors=[predictor])
        return
    answers = predictor.answer(questions, NothingKept())
    whole = [-of.sum(dtype=np.float64) / NATS for of in np.split(answers.log_probabilities, answers.ends[:-1])]
    items = [item(number, c=question.words) for number, question in enumerate(questions)]
    scores = region_scores(scored(items, "(*;%c%) > 0", predictors=[predictor]))
    answered = [number for number, why in enumerate(answers.refusals) if not why]
    assert np.flatnonzero(scores.left_out == "").tolist() == answered
    assert scores.margins[0, 0, answered] == pytest.approx([whole[number] for number in answered], rel=1e-5)
