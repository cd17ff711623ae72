import pytest
from hypothesis import given, strategies

from polyprobe.formats.roles.propositions import Argument, Proposition
from polyprobe.metrics.labelled_f1 import OTHER, LabelledF1
from polyprobe.metrics.roles import PREDICATES, count_roles, role_scores
from polyprobe.metrics.tallies import Tally, summed


def proposition(predicate: int, *arguments: tuple[int, str], sense: str = "01") -> Proposition:
    return Proposition(predicate, sense, tuple(Argument(word, role) for word, role in arguments))


GOLD = (proposition(1, (0, "A0"), (2, "A1")), proposition(4, (0, "A0"), (5, "AM-TMP")))
PREDICTED = (proposition(1, (0, "A0"), (2, "A2")), proposition(4, (3, "A0")))


def metric_of(*roles: str) -> LabelledF1:
    return LabelledF1((*roles, PREDICATES), count_roles, role_scores)


def test_an_argument_is_right_when_its_predicate_word_and_role_are():
    assert count_roles(GOLD, PREDICTED) == {
        PREDICATES: Tally(correct=2, system=2, gold=2),
        "A0": Tally(correct=1, system=2, gold=2),
        "A1": Tally(gold=1),
        "A2": Tally(system=1),
        "AM-TMP": Tally(gold=1),
    }


def test_role_f1_counts_arguments_only():
    score = role_scores(count_roles(GOLD, PREDICTED))[0]
    assert (score.metric, score.part, score.n) == ("role_f1", "", 4)
    assert score.precision == pytest.approx(1 / 3)
    assert score.recall == pytest.approx(1 / 4)
    assert score.value == pytest.approx(2 / 7)


def test_semantic_f1_counts_each_predicate_as_an_item():
    # 1 argument + 2 senses right; 3 + 2 items given; 4 + 2 items in gold.
    score = role_scores(count_roles(GOLD, PREDICTED))[1]
    assert (score.metric, score.n) == ("semantic_f1", 4)
    assert score.value == pytest.approx(2 * 3 / (5 + 6))


def test_scores_of_each_role_stand_behind_the_total():
    by_role = {score.part: score for score in role_scores(count_roles(GOLD, PREDICTED))[2:]}
    assert list(by_role) == ["A0", "A1", "A2", "AM-TMP"]
    assert (by_role["A0"].precision, by_role["A0"].recall, by_role["A0"].n) == (0.5, 0.5, 2)
    assert (by_role["A2"].precision, by_role["A2"].recall, by_role["A2"].value, by_role["A2"].n) == (0, 0, 0, 0)


def test_nothing_given_and_nothing_asked_is_zero():
    whole, semantic = role_scores({})
    assert (whole.precision, whole.recall, whole.value, semantic.value) == (0, 0, 0, 0)


def test_a_wrong_sense_leaves_the_arguments_right():
    counts = count_roles([proposition(1, (0, "A0"))], [proposition(1, (0, "A0"), sense="02")])
    assert counts == {PREDICATES: Tally(correct=0, system=1, gold=1), "A0": Tally(1, 1, 1)}


def test_two_predicates_on_one_word_are_matched_in_their_order():
    gold = [proposition(1, (0, "A0")), proposition(1, (2, "A1"), sense="02")]
    assert count_roles(gold, gold) == {PREDICATES: Tally(2, 2, 2), "A0": Tally(1, 1, 1), "A1": Tally(1, 1, 1)}
    assert count_roles(gold, gold[:1]) == {PREDICATES: Tally(1, 1, 2), "A0": Tally(1, 1, 1), "A1": Tally(gold=1)}


def test_an_argument_that_is_given_twice_counts_once():
    assert count_roles([proposition(1, (0, "A0"))], [proposition(1, (0, "A0"), (0, "A0"))])["A0"] == Tally(1, 1, 1)


def test_a_gold_role_that_the_model_does_not_know_is_missed():
    metric = metric_of("A0", "A1", "A2")
    metric.update(GOLD, PREDICTED)
    assert metric.tallies[metric.slots.index(OTHER)].tolist() == [0, 0, 1]
    assert metric.compute()["role_f1"] == pytest.approx(2 / 7)


arguments = strategies.tuples(strategies.integers(0, 5), strategies.sampled_from(["A0", "A1", "AM-TMP"]))
propositions = strategies.lists(
    strategies.builds(
        lambda predicate, sense, arguments: proposition(predicate, *arguments, sense=sense),
        strategies.integers(0, 5),
        strategies.sampled_from(["01", "02"]),
        strategies.lists(arguments, max_size=4),
    ),
    max_size=3,
)
sentence_pairs = strategies.lists(strategies.tuples(propositions, propositions), max_size=6)


@given(sentence_pairs, strategies.integers(0, 6))
def test_counts_of_any_two_parts_add_up_to_the_whole(pairs, place):
    def total(part):
        return summed(count_roles(gold, predicted) for gold, predicted in part)

    assert summed([total(pairs[:place]), total(pairs[place:])]) == total(pairs)


@given(sentence_pairs.filter(bool))
def test_the_metric_equals_the_scores_of_the_summed_counts(pairs):
    metric = metric_of("A0", "A1", "AM-TMP")
    for gold, predicted in pairs:
        metric.update(gold, predicted)
    whole, semantic, *_ = role_scores(summed(count_roles(*pair) for pair in pairs))
    assert metric.compute() == {"role_f1": whole.value, "semantic_f1": semantic.value}
