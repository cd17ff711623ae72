"""Makes the type-level tests of a language one after the other.

Frequent and rare forms (article and released program): `frequent_share` of the items are frequent where both pools are
large enough; otherwise all frequent ones are taken and rare ones for the rest. Where there are more frequent ones than
items, and too few rare ones, all rare ones are taken and frequent ones for the rest; the released program fails there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.generation.made_tests.labels import check_labels, label_quotas, sizes_of
from polyprobe.generation.made_tests.row_statistics import TooFew
from polyprobe.generation.type_tests.form_pairs import odd_feature_pairs, same_feature_pairs
from polyprobe.generation.type_tests.ranked_lexicon import RankedLexicon
from polyprobe.generation.type_tests.single_forms import (
    Candidates,
    counted_candidates,
    feature_candidates,
    part_of_speech_candidates,
)
from polyprobe.generation.type_tests.type_level_options import TypeLevelOptions
from polyprobe.generation.unimorph.decoding import LANGUAGE_SPECIFIC, PART_OF_SPEECH
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

_COUNTED = ("TagCount", "CharacterBin", "CharacterCount")
_PAIRED: Mapping[str, Callable[[RankedLexicon, TypeLevelOptions, np.random.Generator], Candidates]] = {
    "OddFeat": odd_feature_pairs,
    "SameFeat": same_feature_pairs,
}


@dataclass(frozen=True)
class MadeTest:
    """A test that was drawn."""

    name: str
    """As its folder is called."""
    candidates: Candidates
    """What it was drawn from, with what the filters did."""
    places: Mapping[str, np.ndarray]
    """Of the candidates, for each split, in the order of the file."""
    branches: Mapping[str, str]
    """How the frequent ones were drawn ("80% frequent", "all frequent, rare for the rest", …), by draw."""

    def split(self, name: str) -> Candidates:
        """Returns the items of a split, in the order of its file."""
        return self.candidates.chosen(self.places[name])


def draw_test(name: str, candidates: Candidates, options: TypeLevelOptions, generator: np.random.Generator) -> MadeTest:
    """Draws train, dev and test.

    Where splits share no lemma, dev and test of a paired test have the labels in the shares of train, as far as there
    are pairs: their pools are small and fall otherwise.
    """
    _check_labels(name, candidates, options)
    if options.split == "lemma":
        pools = [np.flatnonzero(candidates.parts == part) for part in range(len(SPLITS))]
        sizes = _sizes(name, candidates, pools, options)
        places, branches, weights = {}, {}, None
        for split, pool, n_items in zip(SPLITS, pools, sizes, strict=True):
            places[split], branches[split] = _draw(candidates, pool, n_items, weights, options, generator)
            if candidates.is_paired and weights is None:
                weights = np.bincount(candidates.label_ids[places[split]], minlength=len(candidates.labels))
        return MadeTest(name, candidates, places, branches)
    pool = np.arange(len(candidates))
    sizes = _sizes(name, candidates, [pool], options)
    places, branch = _draw(candidates, pool, sum(sizes), None, options, generator)
    of_splits = dict(zip(SPLITS, np.split(places, np.cumsum(sizes)[:-1]), strict=True))
    return MadeTest(name, candidates, of_splits, {"all": branch})


def _check_labels(name: str, candidates: Candidates, options: TypeLevelOptions) -> None:
    used = np.unique(candidates.label_ids[~candidates.is_none])
    check_labels(name, [candidates.labels[label] for label in used])
    if candidates.has_none and options.none_share and not candidates.is_none.any():
        raise TooFew(f"{name}: every form has the feature: there is no class None. Without it: type_level.none_share=0")


def _sizes(name: str, candidates: Candidates, pools: list[np.ndarray], options: TypeLevelOptions) -> list[int]:
    """Finds how many items each split has.

    Args:
        pools: what is drawn from, one for all splits or one for each.
    """
    counts = [
        (np.count_nonzero(~candidates.is_none[pool]), np.count_nonzero(candidates.is_none[pool])) for pool in pools
    ]
    none_share = options.none_share if candidates.has_none else 0
    return sizes_of(
        f"{name}: {len(candidates):,} items are left",
        options.items,
        options.sizes,
        "type_level.sizes",
        lambda sizes: _are_enough(counts, sizes, none_share),
        " with lemma-disjoint splits" if options.split == "lemma" else "",
    )


def _are_enough(counts: list[tuple[int, int]], sizes: Sequence[int], none_share: float) -> bool:
    """Says whether pools of so many labelled items and items of the class None give these sizes."""
    asked = sizes if len(counts) == len(sizes) else [sum(sizes)]
    return all(
        none >= round(n_items * none_share) and labelled >= n_items - round(n_items * none_share)
        for (labelled, none), n_items in zip(counts, asked, strict=True)
    )


def _draw(
    candidates: Candidates,
    pool: np.ndarray,
    n_items: int,
    weights: np.ndarray | None,
    options: TypeLevelOptions,
    generator: np.random.Generator,
) -> tuple[np.ndarray, str]:
    """Draws items in random order, and says how the frequent ones among the labelled were drawn.

    Args:
        weights: the shares that labels should have, `[labels]`; None where they may fall as they do.
    """
    n_none = round(n_items * options.none_share) if candidates.has_none else 0
    is_none = candidates.is_none[pool]
    if options.balance == "labels":
        weights = np.ones(len(candidates.labels))
    labelled, branch = _draw_labelled(candidates, pool[~is_none], n_items - n_none, weights, options, generator)
    none, _ = _draw_frequent(candidates, pool[is_none], n_none, options.frequent_share, generator)
    return generator.permutation(np.concatenate([labelled, none])), branch


def _draw_labelled(
    candidates: Candidates,
    pool: np.ndarray,
    n_items: int,
    weights: np.ndarray | None,
    options: TypeLevelOptions,
    generator: np.random.Generator,
) -> tuple[np.ndarray, str]:
    if weights is None:
        return _draw_frequent(candidates, pool, n_items, options.frequent_share, generator)
    label_ids = candidates.label_ids[pool]
    quotas = label_quotas(np.bincount(label_ids, minlength=len(candidates.labels)), weights, n_items)
    drawn = [
        _draw_frequent(candidates, pool[label_ids == label], quota, options.frequent_share, generator)
        for label, quota in enumerate(quotas.tolist())
        if quota
    ]
    return np.concatenate([places for places, _ in drawn]), "; ".join(dict.fromkeys(branch for _, branch in drawn))


def _draw_frequent(
    candidates: Candidates, pool: np.ndarray, n_items: int, share: float, generator: np.random.Generator
) -> tuple[np.ndarray, str]:
    """Draws without repetition; the pool has at least `n_items`."""
    if not candidates.asks_frequent:
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


def possible_tests(lexicon: RankedLexicon) -> tuple[str, ...]:
    """Returns the tests that a lexicon may have: one for each feature that a triple has, and those of all languages."""
    no_feature = (PART_OF_SPEECH, LANGUAGE_SPECIFIC)
    features = [feature for feature in lexicon.decoded.features() if feature not in no_feature]
    return (*map(_folder_name, features), "POS", *_COUNTED, *_PAIRED)


def make_test(lexicon: RankedLexicon, name: str, options: TypeLevelOptions) -> MadeTest:
    """Makes one of `possible_tests`; the same from the same lexicon, options and seed, whatever else is made.

    TagCount, CharacterCount and CharacterBin have the same forms in the same order, unless labels are balanced.
    """
    purpose = "counts" if name in _COUNTED else name
    generator = np.random.default_rng(derived_seed(options.seed, "type level", purpose))
    candidates = _candidates(lexicon, name, options, generator)
    return draw_test(name, candidates, options, generator)


def _candidates(
    lexicon: RankedLexicon, name: str, options: TypeLevelOptions, generator: np.random.Generator
) -> Candidates:
    if name in _PAIRED:
        return _PAIRED[name](lexicon, options, generator)
    if name in _COUNTED:
        return counted_candidates(lexicon, name, options)
    if name == "POS":
        return part_of_speech_candidates(lexicon, options)
    feature = next(one for one in lexicon.decoded.features() if _folder_name(one) == name)
    return feature_candidates(lexicon, feature, options)


def _folder_name(feature: str) -> str:
    return feature.replace(" ", "")
