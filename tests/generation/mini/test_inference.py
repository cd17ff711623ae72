"""Pairs of sentences of the miniature Turkish: balance, splits, what the labels rest on."""

from collections import Counter
from functools import cache

import pytest

from polyprobe.formats.reading.case import lower_cased
from polyprobe.generation.mini.inference import inference_pairs
from polyprobe.generation.mini.lexicon import verb_forms, verbs
from polyprobe.generation.mini.phrases import capitalised


@pytest.fixture(scope="module")
def pairs():
    return inference_pairs(seed=3)


@cache
def polarities():
    forms = ((form, form.bundle.split(";")) for verb in verbs() for form in verb_forms(verb))
    return {spelling: codes[-2] for form, codes in forms if "IND" in codes for spelling in spellings(form.form)}


def spellings(form):
    return form, capitalised(form)


def words(sentence):
    return lower_cased(sentence, "turkish").rstrip(".").split(" ")


def negative(sentence):
    return any(polarities().get(word) == "NEG" for word in sentence.rstrip(".").split(" "))


def test_every_premise_has_a_hypothesis_of_each_label(pairs):
    assert {split: len(rows) for split, rows in pairs.items()} == {"train": 1800, "dev": 360, "test": 360}
    for rows in pairs.values():
        by_premise = Counter(premise for premise, _, _ in rows)
        assert set(by_premise.values()) == {3}
        assert len({(premise, label) for premise, _, label in rows}) == len(rows)


def test_splits_share_no_premise(pairs):
    premises = [{premise for premise, _, _ in rows} for rows in pairs.values()]
    assert sum(map(len, premises)) == len(set.union(*premises))


def test_polarity_tells_what_follows_from_what_does_not(pairs):
    for premise, hypothesis, label in pairs["dev"]:
        if label != "neutral":
            assert (negative(premise) != negative(hypothesis)) == (label == "contradiction")


def test_what_is_entailed_or_denied_has_no_word_but_the_verb_that_the_premise_lacks(pairs):
    for premise, hypothesis, label in pairs["dev"]:
        new = set(words(hypothesis)) - set(words(premise))
        assert len(new) == {"entailment": 0, "contradiction": 1}.get(label, len(new) or -1), (premise, hypothesis)


def test_nothing_is_left_out_of_what_did_not_happen(pairs):
    for premise, hypothesis, label in pairs["dev"]:
        if label != "neutral":
            assert (len(words(hypothesis)) == len(words(premise))) == negative(premise)


def test_no_label_has_more_negative_hypotheses_than_another(pairs):
    shares = Counter(label for _, hypothesis, label in pairs["train"] if negative(hypothesis))
    assert all(0.4 < shares[label] / 600 < 0.6 for label in ("entailment", "neutral", "contradiction"))


def test_pairs_are_a_function_of_the_seed(pairs):
    assert inference_pairs(seed=3) == pairs
    assert inference_pairs(seed=4) != pairs
