import numpy as np
import pytest

from src.encoders.base.encoder import Encoder, Layer
from src.items import Form, Sentence, TokenInContext
from src.probing.baselines.coverage import coverages
from tests.probing.small_tests import examples, forms_test


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
