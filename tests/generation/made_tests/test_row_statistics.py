from polyprobe.generation.made_tests.row_statistics import memoriser_by, row_statistics, wholly_in_train

PAIRS = {
    "train": [("ev", "at", "Case"), ("ev", "su", "Case"), ("at", "kuş", "Number")],
    "dev": [("ev", "kuş", "Case")],
    "test": [("at", "ev", "Number"), ("su", "taş", "Case"), ("taş", "göz", "Number")],
}
FORMS = {split: [set(row[:-1]) for row in rows] for split, rows in PAIRS.items()}


def test_a_pair_is_wholly_in_train_if_both_its_forms_are_be_it_in_other_pairs():
    assert wholly_in_train(FORMS) == {"dev": 1, "test": 0.333333}


def test_a_memoriser_by_key_guesses_the_label_that_train_has_most_often_for_the_keys_else_the_majority():
    """at and ev: Case three times, Number once; su: Case; taş and göz are unknown, so Case."""
    assert memoriser_by(FORMS, PAIRS) == 0.333333


def test_a_memoriser_by_lemma_knows_a_label_that_belongs_to_the_lemma():
    rows = {"train": [("gelir", "Verb"), ("evde", "Noun"), ("atta", "Noun")], "dev": [], "test": [("gelmez", "Verb")]}
    keys = {"train": [{"gel"}, {"ev"}, {"at"}], "dev": [], "test": [{"gel"}]}
    assert memoriser_by(keys, rows) == 1


def test_inputs_of_two_labels_and_pairs_in_both_orders_are_counted_over_all_splits():
    rows = {
        "train": [("ev", "at", "Case"), ("ev", "su", "Case")],
        "dev": [("ev", "su", "Number"), ("ev", "su", "Case")],
    }
    found = row_statistics({**rows, "test": [("at", "ev", "Number"), ("su", "su", "Case")]})
    assert (found["inputs_of_several_labels"], found["reversed_pairs"], found["duplicates"]) == (1, 1, 1)
