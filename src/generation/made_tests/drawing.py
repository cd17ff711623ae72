"""The items that a test of words may have, in columns, and how train, dev and test are drawn from them.

Frequent and rare forms (article and released program): `frequent_share` of the items are frequent where both pools are
large enough; otherwise all frequent ones are taken and rare ones for the rest. Where there are more frequent ones than
items, and too few rare ones, all rare ones are taken and frequent ones for the rest; the released program fails there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from polyprobe.generation.made_tests.frequent_words import Step
from polyprobe.generation.made_tests.labels import check_labels, label_quotas, sizes_of
from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.splits import SPLITS


@dataclass(frozen=True)
class Candidates:
    """Items that a test may have."""

    labels: Sequence[str]
    """The names; `None` is the last one where the test has it."""
    made_of: np.ndarray
    """`[items, 1]` (a token; the first triple of a form) or `[items, 2]` (the triples of a pair), by their numbers."""
    label_ids: np.ndarray
    """`[items]`, places in `labels`."""
    parts: np.ndarray
    """`[items]`, the split that the item's sentence, or all its lemmas, are in (0 to 2); -1: they are in several."""
    unit: str
    """What an item is: "forms", "pairs" or "tokens"."""
    is_frequent: np.ndarray | None = None
    """`[items]`; None of tokens: frequency plays no part."""
    frequent_share: float | None = None
    """Of the items that are drawn; None: they are drawn whether they are frequent or not."""
    none_share: float | None = None
    """Of the class `None`, which is the last label, among the items that are drawn; None: there is no such class."""
    ambiguity: Mapping[str, float] = field(default_factory=dict)
    """Shares of what has a label of the feature; empty where something is counted.

    Of the forms "several_labels", those that have several, and "repeated", those that occur more than once (which the
    article seems to call ambiguous in treebanks, its Table 5); of the tokens "tokens_of_several_labels", those with a
    form of several labels.
    """
    steps: tuple[Step, ...] = ()
    """What the filters so far did."""

    def __len__(self) -> int:
        return len(self.label_ids)

    def chosen(self, places: np.ndarray) -> "Candidates":
        """Returns the items at these places, in this order."""
        columns = {name: getattr(self, name) for name in ("made_of", "label_ids", "parts", "is_frequent")}
        return replace(self, **{name: column[places] for name, column in columns.items() if column is not None})

    def filtered(self, name: str, is_kept: np.ndarray) -> "Candidates":
        """Leaves items out and says so."""
        left = int(np.count_nonzero(is_kept))
        step = Step(name, self.unit, len(self) - left, left)
        return replace(self.chosen(np.flatnonzero(is_kept)), steps=(*self.steps, step))

    @property
    def is_none(self) -> np.ndarray:
        """Which items are of the class None, `[items]`."""
        has_none = self.none_share is not None
        return self.label_ids == len(self.labels) - 1 if has_none else np.zeros(len(self), bool)

    def n_none(self, n_items: int) -> int:
        """Returns how many of the items that are drawn are to be of the class None."""
        return 0 if self.none_share is None else round(n_items * self.none_share)


class DrawOptions(Protocol):
    """What tests of words are drawn by: `TypeLevelOptions` or `TokenLevelOptions`."""

    key: str
    items: Mapping[str, int]
    sizes: str
    split: str
    balance: str


@dataclass(frozen=True)
class Draw:
    """The items of train, dev and test."""

    candidates: Candidates
    """What they were drawn from, with what the filters did."""
    splits: Mapping[str, Candidates]
    """Of each split, in the order of its file."""
    branches: Mapping[str, str]
    """How the frequent ones were drawn ("80% frequent", "all frequent, rare for the rest", …), by draw."""


def draw_test(name: str, candidates: Candidates, options: DrawOptions, generator: np.random.Generator) -> Draw:
    """Draws train, dev and test.

    Where splits share no lemma, dev and test of a paired test have the labels in the shares of train, as far as there
    are pairs: their pools are small and fall otherwise.
    """
    used = np.unique(candidates.label_ids[~candidates.is_none])
    check_labels(name, [candidates.labels[label] for label in used])
    if candidates.none_share and not candidates.is_none.any():
        raise TooFew(f"{name}: every form has the feature: there is no class None. Without it: type_level.none_share=0")
    if options.split == "random":
        pool = np.arange(len(candidates))
        sizes = _sizes(name, candidates, [pool], options)
        drawn, branch = _draw(candidates, pool, sum(sizes), None, options, generator)
        places, branches = np.split(drawn, np.cumsum(sizes)[:-1]), {"all": branch}
    else:
        pools = [np.flatnonzero(candidates.parts == part) for part in range(len(SPLITS))]
        sizes = _sizes(name, candidates, pools, options)
        places, branches, weights = [], {}, None
        for split, pool, n_items in zip(SPLITS, pools, sizes, strict=True):
            drawn, branches[split] = _draw(candidates, pool, n_items, weights, options, generator)
            if candidates.unit == "pairs" and weights is None:
                weights = np.bincount(candidates.label_ids[drawn], minlength=len(candidates.labels))
            places.append(drawn)
    splits = {split: candidates.chosen(at) for split, at in zip(SPLITS, places, strict=True)}
    return Draw(candidates, splits, branches)


def _sizes(name: str, candidates: Candidates, pools: Sequence[np.ndarray], options: DrawOptions) -> list[int]:
    """Finds how many items each split has.

    Args:
        pools: what is drawn from, one for all splits or one for each.
    """
    n_none = [np.count_nonzero(candidates.is_none[pool]) for pool in pools]

    def are_enough(sizes: Sequence[int]) -> bool:
        asked = sizes if len(pools) == len(sizes) else [sum(sizes)]
        return all(
            none >= candidates.n_none(n) and len(pool) - none >= n - candidates.n_none(n)
            for pool, none, n in zip(pools, n_none, asked, strict=True)
        )

    items = "tokens" if candidates.unit == "tokens" else "items"
    disjoint = "" if options.split == "random" else f" with {options.split}-disjoint splits"
    found = f"{name}: {len(candidates):,} {items} are left"
    return sizes_of(found, options.items, options.sizes, f"{options.key}.sizes", are_enough, disjoint)


def _draw(
    candidates: Candidates,
    pool: np.ndarray,
    n_items: int,
    weights: np.ndarray | None,
    options: DrawOptions,
    generator: np.random.Generator,
) -> tuple[np.ndarray, str]:
    """Draws items in random order, and says how the frequent ones among the labelled were drawn.

    Args:
        weights: the shares that labels should have, `[labels]`; None where they may fall as they do.
    """
    if options.balance == "labels":
        weights = np.ones(len(candidates.labels))
    if candidates.unit == "tokens" and weights is None:
        return generator.choice(pool, n_items, replace=False), ""
    n_none = candidates.n_none(n_items)
    is_none = candidates.is_none[pool]
    labelled, branch = _draw_labelled(candidates, pool[~is_none], n_items - n_none, weights, generator)
    none, _ = _draw_frequent(candidates, pool[is_none], n_none, generator)
    return generator.permutation(np.concatenate([labelled, none])), branch


def _draw_labelled(
    candidates: Candidates,
    pool: np.ndarray,
    n_items: int,
    weights: np.ndarray | None,
    generator: np.random.Generator,
) -> tuple[np.ndarray, str]:
    if weights is None:
        return _draw_frequent(candidates, pool, n_items, generator)
    label_ids = candidates.label_ids[pool]
    quotas = label_quotas(np.bincount(label_ids, minlength=len(candidates.labels)), weights, n_items)
    drawn = [
        _draw_frequent(candidates, pool[label_ids == label], quota, generator)
        for label, quota in enumerate(quotas.tolist())
        if quota
    ]
    return np.concatenate([places for places, _ in drawn]), "; ".join(dict.fromkeys(branch for _, branch in drawn))


def _draw_frequent(
    candidates: Candidates, pool: np.ndarray, n_items: int, generator: np.random.Generator
) -> tuple[np.ndarray, str]:
    """Draws without repetition; the pool has at least `n_items`."""
    share = candidates.frequent_share
    if share is None:
        return generator.choice(pool, n_items, replace=False, shuffle=False), "not requested"
    frequent, rare = pool[candidates.is_frequent[pool]], pool[~candidates.is_frequent[pool]]
    n_frequent = round(n_items * share)
    branch = f"{share:.0%} frequent"
    if len(frequent) < n_frequent or len(rare) < n_items - n_frequent:
        if len(frequent) <= n_items:
            n_frequent, branch = len(frequent), "all frequent, rare for the rest"
        else:
            n_frequent, branch = n_items - len(rare), "all rare, frequent for the rest"
    chosen = [
        generator.choice(frequent, n_frequent, replace=False, shuffle=False),
        generator.choice(rare, n_items - n_frequent, replace=False, shuffle=False),
    ]
    return np.concatenate(chosen), branch
