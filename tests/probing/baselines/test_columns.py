from collections import Counter

import numpy as np
import pytest

from polyprobe.encoders.base.encoder import Encoder, Layer
from polyprobe.items import Form, Sentence, TokenInContext
from polyprobe.probing.baselines.columns import control_test, coverages
from tests.probing.small_tests import examples, forms_test


def many(prefix: str, count: int, labels) -> dict[str, int]:
    return {f"{prefix}{number}": labels(number) for number in range(count)}


def test_an_input_has_one_control_label_wherever_it_stands():
    shared = {f"w{number}": 0 for number in range(20)}
    control = control_test(forms_test(shared | {"own": 1}, shared, shared), 1)
    of_train = dict(zip((items[0].form for items in control.train.items), control.train.label_ids, strict=True))
    for split in (control.dev, control.test):
        assert split.label_ids == tuple(of_train[items[0].form] for items in split.items)


def test_control_labels_are_drawn_as_often_as_train_has_them():
    train = many("a", 4000, lambda number: int(number % 10 == 0))
    drawn = Counter(control_test(forms_test(train, {"b": 0}, {"c": 1}), 1).train.label_ids)
    assert 340 < drawn[1] < 460  # a tenth of 4000, within three standard deviations


def test_a_token_has_the_label_of_its_form_and_a_sentence_one_of_its_own():
    test = forms_test(many("a", 30, lambda number: number % 2), {"b": 0}, {"c": 1})
    tokens = [(TokenInContext(("x", "talo", str(n)), 1),) for n in range(30)]
    object.__setattr__(test, "test", examples(tokens, [0] * 30))
    assert len(set(control_test(test, 1).test.label_ids)) == 1
    sentences = [(Sentence(("x", "talo", str(n))),) for n in range(30)]
    object.__setattr__(test, "test", examples(sentences, [0] * 30))
    assert len(set(control_test(test, 1).test.label_ids)) == 2


def test_equal_seeds_give_equal_labels_and_other_seeds_others():
    test = forms_test(many("a", 60, lambda number: number % 2), {"b": 0}, {"c": 1})
    assert control_test(test, 1) == control_test(test, 1)
    assert control_test(test, 1).train.label_ids != control_test(test, 2).train.label_ids
    assert control_test(test, 1).train.items == test.train.items


def test_a_pair_is_one_input():
    test = forms_test(many("a", 40, lambda number: number % 2), {"b": 0}, {"c": 1})
    pairs = [(Form("talo"), Form(f"x{number}")) for number in range(40)]
    object.__setattr__(test, "test", examples(pairs, [0] * 40))
    assert len(set(control_test(test, 1).test.label_ids)) == 2


class Vocabulary(Encoder):
    """Knows the words that it is given."""

    layers = (Layer("vocabulary", 1),)
    accepts = frozenset({Form, TokenInContext, Sentence})
    fingerprint = "0" * 32

    def __init__(self, *words: str):
        self.words = words

    def encode(self, items):
        yield (np.zeros((len(items), 1), np.float32),)

    def known(self, words):
        return np.array([word in self.words for word in words])


class Open(Vocabulary):
    def known(self, words):
        return None


def unknown(encoder, items):
    test = forms_test({"a": 0}, {"a": 0}, {"a": 0})
    object.__setattr__(test, "test", examples(items, [0] * len(items)))
    (of_test,) = [one for one in coverages(encoder, [test]) if one.split == "test"]
    return pytest.approx(of_test.unknown), of_test.n


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([(Form("talo"),), (Form("auto"),), (Form("auto"),)], (2 / 3, 3)),
        ([(Form("talo"), Form("auto")), (Form("talo"), Form("talo"))], (1 / 4, 4)),
        ([(TokenInContext(("auto", "talo"), 1),)], (0, 1)),
        ([(Sentence(("auto", "talo", "auto")),)], (2 / 3, 3)),
    ],
)
def test_occurrences_are_counted_and_a_pair_counts_two(items, expected):
    assert unknown(Vocabulary("talo"), items) == expected


def test_every_test_and_split_is_counted():
    counted = coverages(Vocabulary("a"), [forms_test({"a": 0, "b": 1}, {"a": 0}, {"b": 0})])
    assert [(one.split, one.unknown) for one in counted] == [("train", 0.5), ("dev", 0), ("test", 1)]
    assert {type(one.unknown) for one in counted} == {float}  # which a checkpoint may keep


def test_an_open_vocabulary_has_no_coverage():
    assert coverages(Open(), [forms_test({"a": 0}, {"a": 0}, {"a": 0})]) == []
