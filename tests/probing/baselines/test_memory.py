"""Majority, memoriser and leakage."""

from polyprobe.probing.baselines.memory import (
    leakage,
    leakage_of_parts,
    majority_accuracy,
    majority_label,
    memoriser_accuracy,
    memoriser_predictions,
)

TRAIN = [("talo",), ("talot",), ("talot",), ("talot",), ("kissa",)]
LABELS = ["Sing", "Plur", "Sing", "Plur", "Sing"]
TEST = [("talot",), ("talo",), ("koirat",), ("koira",)]


def test_of_equally_frequent_labels_the_first_by_name_is_the_majority():
    assert majority_label(["Nom", "Gen", "Gen", "Nom", "Ess"]) == "Gen"


def test_the_majority_is_trains_and_is_scored_on_test():
    assert majority_accuracy(["a", "a", "b"], ["b", "b", "a", "c"]) == 0.25


def test_the_memoriser_knows_seen_inputs_and_says_the_majority_for_others():
    assert memoriser_predictions(TRAIN, LABELS, TEST) == ["Plur", "Sing", "Sing", "Sing"]
    assert memoriser_accuracy(TRAIN, LABELS, TEST, ["Plur", "Plur", "Plur", "Sing"]) == 0.5


def test_the_memoriser_takes_a_pair_as_one_item_in_its_order():
    train, labels = [("talo", "talot"), ("talo", "kissa"), ("a", "b")], ["Number", "lemma", "lemma"]
    asked = [("talo", "talot"), ("talot", "talo")]
    assert memoriser_predictions(train, labels, asked) == ["Number", "lemma"]


def test_leakage_counts_test_inputs_whose_form_train_has():
    assert leakage(TRAIN, TEST) == 0.5


def test_a_pair_leaks_where_train_has_the_same_pair_and_its_parts_where_any_pairs_have_both():
    train = [("talo", "talot"), ("kissa", "kissat")]
    asked = [("talo", "talot"), ("talo", "kissa"), ("talot", "talo"), ("talo", "koira")]
    assert leakage(train, asked) == 0.25
    assert leakage_of_parts(train, asked) == 0.75
