"""Outcomes of minimal sets, against a loop over sets and a bootstrap that draws lemma by lemma."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.metrics.bootstrap import RESAMPLES
from polyprobe.metrics.minimal_sets import RULES, TIES, SetOutcomes, clustered_interval, margins, points, set_outcomes
from polyprobe.runs.array_records import SetScores

BIT = math.log(2)


def set_scores(*sets: list[float], **fields) -> SetScores:
    """Scores of one model: a list per set, the grammatical sentence first; four tokens and ten characters each."""
    sums = np.array([[score for one in sets for score in one]], dtype=np.float64).reshape(1, -1)
    n = sums.shape[1]
    usual = {
        "sentences": np.array([f"sentence {number}" for number in range(n)], dtype=str),
        "set_of_sentence": np.repeat(np.arange(len(sets)), [len(one) for one in sets]),
        "numbers": np.arange(1, len(sets) + 1),
        "lemmas": np.full(len(sets), "laughs"),
        "left_out": np.full(len(sets), ""),
        "is_identical": np.zeros(len(sets), dtype=bool),
        "models": np.array(["s1"]),
        "sums": sums,
        "focuses": sums / 2,
        "n_tokens": np.full(n, 4),
        "n_characters": np.full(n, 10),
    }
    return SetScores("simple_agrmt", **{**usual, **fields})


def test_the_margin_is_to_the_best_variant_in_bits():
    scores = set_scores([-1 * BIT, -4 * BIT, -3 * BIT], [-5 * BIT, -4 * BIT])
    np.testing.assert_allclose(margins(scores, "sum"), [[2, -1]])


def test_one_better_variant_makes_a_set_wrong():
    found = set_outcomes(margins(set_scores([-2, -3, -1]), "sum")[0], "half")
    assert (found.correct, found.wrong, found.accuracy) == (0, 1, 0)


def test_equal_scores_are_a_tie_and_the_next_number_is_none():
    scores = set_scores([-3.1, -3.1], [np.nextafter(-3.1, 0), -3.1], [-3.1, np.nextafter(-3.1, 0)])
    for rule in RULES:
        np.testing.assert_array_equal(np.sign(margins(scores, rule)[0]), [0, 1, -1])


def test_two_impossible_sentences_tie():
    assert margins(set_scores([-np.inf, -np.inf]), "sum")[0].tolist() == [0]


def test_lengths_are_divided_by():
    lengths = {"n_tokens": np.array([2, 4]), "n_characters": np.array([8, 20])}
    scores = set_scores([-8 * BIT, -12 * BIT], focuses=np.array([[-5 * BIT, -1 * BIT]]), **lengths)
    found = {rule: float(margins(scores, rule)[0, 0]) for rule in RULES}
    assert found == pytest.approx({"sum": 4, "per_token": -1, "per_character": -0.4, "focus": -4})


def test_sentences_that_a_model_cannot_tell_apart_tie_whatever_their_lengths():
    lengths = {"n_characters": np.array([10, 20, 20, 10, 10, 20, 10])}
    scores = set_scores([-3, -3], [-3, -3], [-3, -3, -2], **lengths)
    assert np.sign(margins(scores, "per_character")).tolist() == [[0, 0, -1]]
    by_tokens = set_scores([-3, -3], n_tokens=np.array([2, 3]))
    assert np.sign(margins(by_tokens, "per_token")).tolist() == [[-1]], "other tokens, by chance of the same sum"


@given(st.data(), st.sampled_from(RULES))
def test_what_has_the_same_tokens_decides_nothing(data, rule):
    """Each tokenised sentence has one sum, one focus and one number of tokens, however it is spelt."""
    tokens = st.tuples(st.floats(-50, -0.01), st.floats(-9, -0.01), st.integers(1, 9))
    known = data.draw(st.lists(tokens, min_size=1, max_size=3))
    sets = data.draw(st.lists(st.lists(st.sampled_from(known), min_size=2, max_size=4), min_size=1, max_size=5))
    flat = [sentence for one in sets for sentence in one]
    lengths = data.draw(st.lists(st.integers(1, 60), min_size=len(flat), max_size=len(flat)))
    fields = {"focuses": np.array([[words[1] for words in flat]]), "n_tokens": np.array([words[2] for words in flat])}
    scores = set_scores(*[[words[0] for words in one] for one in sets], n_characters=np.array(lengths), **fields)
    for (grammatical, *variants), margin in zip(sets, margins(scores, rule)[0], strict=True):
        if grammatical in variants:
            assert margin <= 0
        if set(variants) == {grammatical}:
            assert margin == 0


def test_sets_left_out_and_sets_without_a_score_are_skipped():
    scores = set_scores([-1, -2], [-1, math.nan], [-1, -2], left_out=np.array(["", "", "unknown focus"]))
    found = set_outcomes(margins(scores, "sum")[0], "wrong")
    assert (found.correct, found.skipped, found.accuracy) == (1, 2, 1)


def test_a_set_without_a_variant_has_nothing_to_decide():
    np.testing.assert_array_equal(margins(set_scores([-1], [-1, -2], [-1]), "focus")[0] > 0, [False, True, False])
    assert set_outcomes(margins(set_scores([-1]), "sum")[0], "wrong").skipped == 1


def test_the_scores_themselves_stay_as_they_are():
    scores = set_scores([-1, -2])
    for rule in RULES:
        margins(scores, rule)
    assert (scores.sums.tolist(), scores.focuses.tolist()) == ([[-1, -2]], [[-0.5, -1]])


@pytest.mark.parametrize(
    ("ties", "accuracy"), [("wrong", 1 / 4), ("half", 2 / 4), ("correct", 3 / 4), ("released", 4 / 5)]
)
def test_what_ties_are_worth(ties, accuracy):
    found = set_outcomes(np.array([3.0, 0, 0, -1, np.nan]), ties)
    assert found == SetOutcomes(1, 1, 2, 1, pytest.approx(accuracy), 0.5, 0.0)


def test_the_released_scorer_credits_a_set_that_is_not_there():
    assert set_outcomes(np.array([1.0, -1]), "released").accuracy == pytest.approx(2 / 3)
    assert set_outcomes(np.repeat([1.0, -1], 70), "released").accuracy == pytest.approx(71 / 141)


@pytest.mark.parametrize("ties", TIES)
def test_without_a_scored_set_there_is_no_accuracy(ties):
    found = set_outcomes(np.array([np.nan, np.nan]), ties)
    assert (found.correct, found.wrong, found.ties, found.skipped) == (0, 0, 0, 2)
    assert all(map(math.isnan, (found.accuracy, found.margin, found.median_margin)))


def test_a_construction_without_sets_is_empty():
    assert margins(set_scores(), "sum").shape == (1, 0)


SCORES = st.sampled_from([-2.0, -1.0, -0.5, math.nan])  # few values: ties are frequent
SETS = st.lists(st.lists(SCORES, min_size=1, max_size=4), min_size=1, max_size=8)


def loop(sets: list[list[float]], left_out: list[bool], ties: str) -> SetOutcomes:
    """Scores set by set, in plain Python."""
    found = []
    for (grammatical, *variants), is_left_out in zip(sets, left_out, strict=True):
        if variants and not is_left_out and not any(map(math.isnan, [grammatical, *variants])):
            found.append((grammatical - max(variants)) / BIT)
    correct, wrong, tied = (
        sum(map(is_so, found)) for is_so in (lambda bits: bits > 0, lambda bits: bits < 0, lambda bits: bits == 0)
    )
    worth = {"wrong": 0, "half": tied / 2, "correct": tied, "released": tied + 1}[ties]
    n = len(found) + (ties == "released")
    accuracy, margin = ((correct + worth) / n, sum(found) / len(found)) if found else (math.nan, math.nan)
    median = float(np.median(found)) if found else math.nan
    return SetOutcomes(correct, wrong, tied, len(sets) - len(found), accuracy, margin, median)


@settings(max_examples=80, deadline=None)
@given(SETS, st.sampled_from(TIES), st.data())
def test_scoring_at_once_is_scoring_set_by_set(sets, ties, data):
    left_out = data.draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets)))
    scores = set_scores(*sets, left_out=np.where(left_out, "unknown focus", ""))
    found, expected = set_outcomes(margins(scores, "sum")[0], ties), loop(sets, left_out, ties)
    for name in SetOutcomes.__slots__:
        assert getattr(found, name) == pytest.approx(getattr(expected, name), nan_ok=True), name


def test_models_are_scored_side_by_side():
    scores = set_scores([-1, -2], models=np.array(["s1", "s2"]), sums=np.array([[-1.0, -2], [-2, -1]]))
    np.testing.assert_array_equal(points(margins(scores, "sum"), "wrong"), [[1], [0]])


def lemmas_drawn_one_by_one(values: np.ndarray, lemmas: np.ndarray) -> tuple[float, float]:
    generator = np.random.default_rng(11)
    by_lemma = [values[lemmas == lemma] for lemma in np.unique(lemmas)]
    drawn = generator.integers(0, len(by_lemma), size=(RESAMPLES, len(by_lemma)))
    means = [np.concatenate([by_lemma[place] for place in places]).mean() for places in drawn]
    return tuple(np.quantile(means, [0.025, 0.975]))


@pytest.mark.parametrize("n_lemmas", [4, 7, 30])
def test_the_interval_is_that_of_drawing_lemmas_one_by_one(n_lemmas):
    generator = np.random.default_rng(n_lemmas)
    lemmas = generator.integers(0, n_lemmas, size=300)
    values = (generator.random(300) < generator.random(n_lemmas)[lemmas]).astype(float)
    low, high = lemmas_drawn_one_by_one(values, lemmas)
    found = clustered_interval(values, lemmas.astype(str), seed=1)
    np.testing.assert_allclose(found, (low, high), rtol=0, atol=0.06 * (high - low))


def test_sets_of_one_lemma_widen_the_interval():
    values = np.tile([0.0, 1.0], 50)
    alone, by_lemma = np.arange(100), np.tile(["sees", "likes"], 50)
    width = np.diff(clustered_interval(values, alone, seed=1))
    assert width < 0.25
    assert clustered_interval(values, by_lemma, seed=1) == (0.0, 1.0)


def test_sets_that_are_not_scored_have_no_part_in_the_interval():
    values, lemmas = np.array([1.0, 0, 1, 1, np.nan, np.nan]), np.array(["a", "b", "c", "c", "b", "d"])
    assert clustered_interval(values, lemmas, seed=3) == clustered_interval(values[:4], lemmas[:4], seed=3)


def test_fewer_than_two_lemmas_have_no_interval():
    assert all(map(math.isnan, clustered_interval(np.ones(5), np.full(5, "laughs"), seed=1)))
    assert all(map(math.isnan, clustered_interval(np.full(2, np.nan), np.array(["a", "b"]), seed=1)))
