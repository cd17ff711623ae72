"""The probing sets of two forms, OddFeat and SameFeat, in the manner of LINSPECTOR (paper, 3.3; released code).

OddFeat: the forms differ in one feature alone, or only in the lemma. SameFeat: they share one feature alone and not
the lemma, or only the lemma. Person is fused with number; part of speech is ignored; mood and interrogativity,
which have one value in our finite verbs, are ignored in SameFeat (as in the released code for Turkish).
Differences from the released code: labels are drawn evenly, both forms are of the same split, forms of a pair differ
also in OddFeat's `lemma`, SameFeat's `lemma` demands that all else differs (as the paper says), no pair occurs twice in
either order. As there, syncretic forms are kept.
"""

import functools
import random
from collections.abc import Callable, Mapping, Sequence

from src.generation.mini.bundles import dimensions
from src.generation.mini.data_files import probing_settings
from src.generation.mini.paradigms import InflectedForm
from src.generation.mini.probing_sets import Row, Sets
from src.splits import SPLITS

_NOT_LOOKED_AT = ("Part of Speech", "Mood", "Interrogativity")
_Draw = Callable[[random.Random, str], tuple[InflectedForm, InflectedForm] | None]


def paired_sets(forms: Mapping[str, Sequence[InflectedForm]], seed: int) -> Sets:
    """Makes OddFeat and SameFeat: rows are (form, form, label)."""
    sets: dict[str, dict[str, list[Row]]] = {"OddFeat": {}, "SameFeat": {}}
    for split in SPLITS:
        index = _Index(forms[split])
        for test, draw in (("OddFeat", index.odd_pair), ("SameFeat", index.same_pair)):
            sets[test][split] = _rows(random.Random(f"{test} {split} {seed}"), draw, split)
    return sets


@functools.cache
def compared_features(bundle: str) -> Mapping[str, str]:
    """The features by which pairs are compared: person fused with number, without part of speech."""
    codes = {name: code for name, code in dimensions(bundle).items() if name != "Part of Speech"}
    if "Person" in codes:
        codes["Person"] += codes.pop("Number")
    return codes


def is_odd_pair(first: InflectedForm, second: InflectedForm, name: str) -> bool:
    """Says whether two forms differ in the named feature alone; `lemma` is a name too."""
    ours, theirs = compared_features(first.bundle), compared_features(second.bundle)
    if ours.keys() != theirs.keys() or first.form == second.form:
        return False
    differing = [feature for feature in ours if ours[feature] != theirs[feature]]
    return (["lemma"] if first.lemma != second.lemma else []) + differing == [name]


def is_same_pair(first: InflectedForm, second: InflectedForm, name: str) -> bool:
    """Says whether two forms share the named feature alone; `lemma` is a name too."""
    ours, theirs = compared_features(first.bundle), compared_features(second.bundle)
    shared = [f for f in ours if f not in _NOT_LOOKED_AT and ours[f] == theirs.get(f)]
    return (["lemma"] if first.lemma == second.lemma else []) + shared == [name] and first.form != second.form


class _Index:
    """Finds candidates for pairs among the forms of one split; every lookup is a list in the order of the forms."""

    def __init__(self, entries: Sequence[InflectedForm]):
        self._by_lemma: dict[str, list[InflectedForm]] = {}
        self._by_bundle: dict[str, list[InflectedForm]] = {}
        self._by_value: dict[tuple[str, str], list[InflectedForm]] = {}
        self._by_feature: dict[str, list[InflectedForm]] = {"lemma": list(entries)}
        for entry in entries:
            self._by_lemma.setdefault(entry.lemma, []).append(entry)
            self._by_bundle.setdefault(entry.bundle, []).append(entry)
            for feature, code in compared_features(entry.bundle).items():
                self._by_value.setdefault((feature, code), []).append(entry)
                self._by_feature.setdefault(feature, []).append(entry)

    def odd_pair(self, generator: random.Random, name: str) -> tuple[InflectedForm, InflectedForm] | None:
        first = generator.choice(self._by_feature[name])
        candidates = self._by_bundle[first.bundle] if name == "lemma" else self._by_lemma[first.lemma]
        second = generator.choice(candidates)
        return (first, second) if is_odd_pair(first, second, name) else None

    def same_pair(self, generator: random.Random, name: str) -> tuple[InflectedForm, InflectedForm] | None:
        first = generator.choice(self._by_feature[name])
        if name == "lemma":
            candidates = self._by_lemma[first.lemma]
        else:
            candidates = self._by_value[name, compared_features(first.bundle)[name]]
        second = generator.choice(candidates)
        return (first, second) if is_same_pair(first, second, name) else None


def _rows(generator: random.Random, draw: _Draw, split: str) -> list[Row]:
    """Draws for each label in turn until there are enough rows."""
    names, n_rows = probing_settings()["type"]["pairs"], probing_settings()["rows"][split]
    rows: list[Row] = []
    seen: set[frozenset[str]] = set()
    while len(rows) < n_rows:
        pair = None
        while pair is None or frozenset(entry.form for entry in pair) in seen:
            pair = draw(generator, names[len(rows) % len(names)])
        seen.add(frozenset(entry.form for entry in pair))
        rows.append((pair[0].form, pair[1].form, names[len(rows) % len(names)]))
    generator.shuffle(rows)
    return rows
