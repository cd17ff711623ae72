from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from polyprobe.generation.made_tests.drawing import Candidates, Draw, draw_test
from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.type_tests.type_level_options import options_of
from polyprobe.splits import SPLITS

SMALL = {"train": 700, "dev": 200, "test": 100}


def candidates(labels: str, frequent: int = 0, none: int = 0, parts: str = "") -> Candidates:
    """Items with one-letter labels, the first of them frequent, and items of the class None after them.

    Args:
        parts: the split of each item as a digit, over and over.
    """
    names = sorted(set(labels))
    label_ids = np.array([names.index(label) for label in labels] + [len(names)] * none)
    of_items = np.array([int((parts or "0")[n % len(parts or "0")]) for n in range(len(label_ids))])
    is_frequent = np.arange(len(label_ids)) < frequent
    names = (*names, "None") if none else tuple(names)
    triples = np.arange(len(label_ids))[:, None]
    return Candidates(names, triples, label_ids, of_items, "forms", is_frequent, 0.8, 0.3 if none else None)


def drawn(of: Candidates, **changes):
    options = options_of("article", "xx", 1, **{"split": "random", "items": SMALL, **changes})
    return draw_test("Case", of, options, np.random.default_rng(1))


def places(draw: Draw) -> np.ndarray:
    """The places of all items among the candidates, which are their own triples."""
    return np.concatenate([items.made_of[:, 0] for items in draw.splits.values()])


def sizes(draw: Draw) -> dict[str, int]:
    return {split: len(items) for split, items in draw.splits.items()}


def test_sizes_and_the_share_of_none_are_those_asked_for():
    found = drawn(candidates("ab" * 400, none=400))
    assert sizes(found) == SMALL
    every = places(found)
    assert len(set(every.tolist())) == 1000
    assert np.count_nonzero(every >= 800) == 300


BRANCHES = {  # frequent of 1,100 items: frequent ones among 1,000 drawn
    "both pools are large enough": (850, 800, "80% frequent"),
    "too few frequent ones": (300, 300, "all frequent, rare for the rest"),
    "too few rare ones": (950, 950, "all frequent, rare for the rest"),
    "more frequent ones than items": (1050, 950, "all rare, frequent for the rest"),
}


@pytest.mark.parametrize(("frequent", "expected", "branch"), BRANCHES.values(), ids=BRANCHES)
def test_four_fifths_are_frequent_where_there_are_enough(frequent, expected, branch):
    found = drawn(candidates("ab" * 550, frequent))
    assert found.branches == {"all": branch}
    assert np.count_nonzero(places(found) < frequent) == expected


def test_too_small_a_lexicon_has_no_published_test_and_is_told_the_scaled_size():
    with pytest.raises(TooFew, match=r"640 items are left, enough for 600 items; 1,000 .*type_level\.sizes=scaled"):
        drawn(candidates("ab" * 320))
    scaled = drawn(candidates("ab" * 320), sizes="scaled")
    assert sizes(scaled) == {"train": 420, "dev": 120, "test": 60}


def test_a_scaled_test_has_the_share_of_none_too():
    found = drawn(candidates("ab" * 320, none=200), sizes="scaled")
    assert np.count_nonzero(places(found) >= 640) == 180


def test_without_the_class_none_the_share_must_be_0():
    of = candidates("ab" * 600, none=1).chosen(np.arange(1200))
    with pytest.raises(TooFew, match=r"type_level\.none_share=0"):
        drawn(of)
    assert sizes(drawn(replace(of, none_share=0)))["train"] == 700


def test_labels_are_balanced_as_far_as_they_go():
    of = candidates("a" * 3000 + "b" * 1000 + "c" * 50)
    found = drawn(of, balance="labels")
    labels = Counter(of.label_ids[places(found)].tolist())
    assert labels == {0: 475, 1: 475, 2: 50}


def test_splits_by_lemma_have_items_of_their_own_part():
    of = candidates("ab" * 1000, frequent=700, none=900, parts="0000012")
    found = drawn(of, split="lemma")
    for part, split in enumerate(SPLITS):
        assert set(found.splits[split].parts.tolist()) == {part}
        assert len(found.splits[split]) == SMALL[split]
