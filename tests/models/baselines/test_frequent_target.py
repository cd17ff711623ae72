"""The most frequent target of train, and units by how often they occur there, worked out by hand."""

import math

import pytest

from polyprobe.formats.texts.sentence_lines import TargetedSentence
from polyprobe.models.baselines.trivial import FrequentTarget, FrequentTree
from polyprobe.models.batches.target_units import TargetUnits


def sentence(target: str) -> TargetedSentence:
    return TargetedSentence(("any",), tuple(target.split()), 1)


def values(baseline, *targets: str) -> dict[str, float]:
    return {score.metric: score.value for score in baseline.scores([sentence(one) for one in targets])}


def text_baseline(*targets: str) -> FrequentTarget:
    train = [sentence(one) for one in targets]
    return FrequentTarget.counted(train, TargetUnits.whole_symbols(one.target for one in train))


def test_the_most_frequent_target_is_generated_and_of_equals_the_first_when_sorted():
    baseline = text_baseline("b b b b", "a", "b b b b", "a")
    assert baseline.target == ("a",)
    assert values(text_baseline("b b b b", "b b b b", "a"), "b b b b", "a")["exact"] == 1 / 2


def test_bleu_is_that_of_the_same_target_for_every_sentence():
    assert values(text_baseline("a b c d"), "a b c d", "a b c d")["bleu"] == pytest.approx(1)


def test_units_are_predicted_by_their_counts_of_train_and_one_more():
    # Units: end 2 + 1, unknown 0 + 1, a 1 + 1, b 2 + 1, of 9 in all.
    found = values(text_baseline("a b", "b"), "b z")
    nats = -(math.log(3 / 9) + math.log(1 / 9) + math.log(3 / 9))
    assert found["perplexity"] == pytest.approx(math.exp(nats / 3))
    assert found["perplexity_per_word"] == pytest.approx(math.exp(nats / 3))
    assert found["unit_accuracy"] == 1 / 3  # end and b are equally frequent: the end, which has the smaller number


def test_words_are_fewer_than_units():
    train = [sentence("ab ab")]
    baseline = FrequentTarget.counted(train, TargetUnits.learned([one.target for one in train], 0))
    # a 2 + 1, "b " 2 + 1, end 1 + 1, unknown 1, "b" 1, "a " 1, of 11; five units, three words.
    nats = -(4 * math.log(3 / 11) + math.log(2 / 11))
    found = values(baseline, "ab ab")
    assert found["perplexity"] == pytest.approx(math.exp(nats / 5))
    assert found["perplexity_per_word"] == pytest.approx(math.exp(nats / 3))


def test_trees_are_scored_as_trees():
    train = [sentence("(ROOT (S (NP NN )NP VB )S )ROOT")] * 2 + [sentence("(ROOT (S VB )S )ROOT")]
    baseline = FrequentTree.counted(train, TargetUnits.whole_symbols(one.target for one in train))
    found = values(baseline, "(ROOT (S (NP NN )NP VB )S )ROOT", "(ROOT (S NN VB )S )ROOT")
    assert (found["tree_accuracy"], found["ill_formed"]) == (1 / 2, 0)
    assert found["bracket_f1"] == 2 * 3 / (4 + 3)
    assert list(found) == [
        "tree_accuracy",
        "bracket_f1",
        "ill_formed",
        "perplexity",
        "perplexity_per_word",
        "unit_accuracy",
    ]


@pytest.mark.parametrize("kind", [FrequentTarget, FrequentTree])
def test_no_sentences_have_no_scores(kind):
    train = [sentence("(S NN )S")]
    assert kind.counted(train, TargetUnits.whole_symbols(one.target for one in train)).scores([]) == []
