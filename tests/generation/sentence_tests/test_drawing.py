from collections import Counter

import numpy as np
import pytest

from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.sentence_tests.labelled_sentences import (
    LabelledSentence,
    SentenceTest,
    Sieve,
    sentence_options,
)
from polyprobe.generation.sentence_tests.sentence_splits import draw_test, quotas
from polyprobe.splits import SPLITS


def pools(**counts):
    """As many sentences of each label in each split as `counts` says."""
    return {
        split: [
            LabelledSentence((f"{split}{label}{number}",), label, (), "d", {})
            for label, of_splits in counts.items()
            for number in range(of_splits[place])
        ]
        for place, split in enumerate(SPLITS)
    }


def drawn(labels, sentences, **changes):
    test = SentenceTest("Toy", lambda *_: Sieve([]), labels)
    options = sentence_options("trees", 1, **changes)
    items = draw_test(test, sentences, options, np.random.default_rng(1))
    return {split: Counter(one.label for one in items[split]) for split in SPLITS}


def test_every_label_has_the_same_number_as_far_as_it_divides():
    found = drawn("equal", pools(A=(400, 40, 40), B=(250, 90, 90)))
    assert found == {"train": {"A": 250, "B": 250}, "dev": {"A": 25, "B": 25}, "test": {"A": 25, "B": 25}}


def test_uneven_labels_have_what_they_have_and_no_more_than_the_limit():
    found = drawn("even", pools(A=(900, 90, 90), B=(900, 90, 90), C=(80, 40, 40), D=(80, 40, 40)), uneven=1.2)
    assert found["train"] == {"A": 86, "B": 87, "C": 80, "D": 80}
    assert found["dev"] == {"A": 8, "B": 9, "C": 8, "D": 8}


def test_labels_may_stay_as_they_fall():
    found = drawn("found", pools(A=(900, 90, 90), B=(100, 10, 10)))
    assert {split: of_split.total() for split, of_split in found.items()} == {"train": 1000, "dev": 100, "test": 100}
    assert found["train"]["A"] == 900


def test_the_published_sizes_are_drawn_where_there_are_sentences_enough():
    found = drawn("equal", pools(A=(40, 9, 9), B=(40, 9, 9)), items={"train": 20, "dev": 4, "test": 2})
    assert {split: of_split.total() for split, of_split in found.items()} == {"train": 20, "dev": 4, "test": 2}


@pytest.mark.parametrize(
    ("counts", "changes", "found"),
    [
        ({"A": (400, 40, 40)}, {}, "1 label left \\(A\\). A test needs 2"),
        ({}, {}, "0 labels left. A test needs 2"),
        ({"A": (100, 10, 10), "B": (300, 30, 30)}, {}, "enough for 200 items with balanced labels \\(minimum"),
        ({"A": (200, 20, 20), "B": (300, 30, 30)}, {"sizes": "published"}, "120,000 are requested. .*sizes=scaled"),
    ],
)
def test_too_few_sentences_or_labels_are_no_test(counts, changes, found):
    with pytest.raises(TooFew, match=found):
        drawn("equal", pools(**counts), **changes)


def test_quotas_go_to_the_rarest_label_first():
    assert quotas({"A": 3, "B": 50, "C": 9}, 30, 2) == {"A": 3, "C": 9, "B": 18}
    assert quotas({"A": 3, "B": 50, "C": 9}, 30, 1) == {}
    assert quotas({"A": 3, "B": 50, "C": 9}, 63, np.inf) == {}
