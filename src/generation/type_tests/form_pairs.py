"""Candidates of the paired tests: which feature differs (OddFeat), which one is shared (SameFeat).

What two triples say of each other depends on their bundles alone: it is worked out once for each pair of bundles.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np

from polyprobe.generation.made_tests.drawing import Candidates
from polyprobe.generation.made_tests.frequent_words import Step
from polyprobe.generation.type_tests.ranked_lexicon import RankedLexicon
from polyprobe.generation.type_tests.type_level_options import TypeLevelOptions
from polyprobe.generation.unimorph.decoding import LANGUAGE_SPECIFIC, NUMBER, PART_OF_SPEECH, PERSON
from polyprobe.generation.unimorph.inflections import ABSENT, DecodedInflections
from polyprobe.splits import SPLITS

LEMMA = "lemma"
# The features of the published sets. No pair of theirs is labelled Aspect or Animacy, which Spanish and Russian have.
_PUBLISHED = ("Case", "Comparison", "Gender", "Mood", "Number", "Person", "Polarity", "Possession", "Tense", "Voice")
_POSSESSION = "Possession"
_UNKNOWN = "?"  # in place of a dimension: what codes are of that the schema lacks


def _bundle_values(lexicon: DecodedInflections) -> dict[str, np.ndarray]:
    """Numbers the values of each dimension, `[bundles]`, `ABSENT` where there is none; a person is without number.

    The last dimension, `_UNKNOWN`, is what codes are of that the schema lacks.
    """
    columns = {
        feature: _numbered([bundle.values.get(feature) for bundle in lexicon.bundles]) for feature in lexicon.features()
    }
    return {**columns, _UNKNOWN: _numbered([" ".join(sorted({*one.unknown})) or None for one in lexicon.bundles])}


def _without(values: Mapping[str, np.ndarray], *passed: str) -> list[np.ndarray]:
    """Returns the values of all dimensions but these."""
    return [column for name, column in values.items() if name not in passed]


def _numbered(names: Sequence[str | None]) -> np.ndarray:
    """Numbers names in alphabetical order, `ABSENT` where there is none; int32."""
    numbers = {name: number for number, name in enumerate(sorted({name for name in names if name is not None}))}
    return np.array([ABSENT if name is None else numbers[name] for name in names], np.int32)


def odd_feature_pairs(lexicon: RankedLexicon, options: TypeLevelOptions, generator: np.random.Generator) -> Candidates:
    """Finds pairs that differ in one feature, or in the lemma.

    Feature: forms of a lemma, at most `group_size` of them, each with each: the feature differs, and everything else
    that the first one has is the same in the second one, which has nothing more. The article pairs forms with and
    without a feature that may be untagged, too, as possessed with unpossessed ones; the released program does not, but
    lets the second one have one dimension more where they differ in possession. Lemma: triples of a bundle, the first
    half of them with the second.
    """
    table, found = _bundle_values(lexicon.decoded), _ThinnedPairs(options, options.language.odd_feat, generator)
    if options.unknown_codes != "left_out":
        del table[_UNKNOWN]
    for triples in _scopes(lexicon, options):
        for feature in _compared_features(lexicon.decoded, options, options.untagged):
            labels = lexicon.decoded.values(feature)
            size = options.language.group_size.get(feature, options.language.group_size["other"])
            of_feature = triples[labels.of_triples[triples] != ABSENT]
            others = _without(table, feature)
            if feature == PERSON and NUMBER in table:  # a person is labelled with its number: all numbers are alike
                others = _without({**table, NUMBER: np.minimum(table[NUMBER], 0)}, feature)
            if feature in options.untagged:
                tagged, of_feature = of_feature, _with_untagged(lexicon, triples, of_feature, others)
                if len(labels.labels) == 1 and len(of_feature) == len(tagged):
                    continue  # one value, and no form without it
            more = 1 if feature == _POSSESSION and options.odd_possession == "possessed" else 0
            accepts = _odd(labels.of_bundles, others, more)
            pairs = _pairs_in_lemmas(lexicon, of_feature, size, accepts, generator)
            found.add(feature, _with_two_forms(lexicon, pairs))
        pairs = _halves(lexicon, triples, options.odd_half, generator)
        if options.odd_lemma_pairs == "checked":
            lemmas = lexicon.inflections.lemma_ids[pairs]
            pairs = _with_two_forms(lexicon, pairs[lemmas[:, 0] != lemmas[:, 1]])
        found.add(LEMMA, pairs)
    return _candidates(lexicon, found, options, generator)


def same_feature_pairs(lexicon: RankedLexicon, options: TypeLevelOptions, generator: np.random.Generator) -> Candidates:
    """Finds pairs that share one feature and nothing else, or the lemma and nothing else.

    Not compared are the part of speech and what `languages.yaml` names. Of a triple with a code that the schema lacks
    it cannot be said that it shares nothing else.
    """
    table, found = _bundle_values(lexicon.decoded), _ThinnedPairs(options, options.language.same_feat, generator)
    not_compared = (PART_OF_SPEECH, _UNKNOWN, *options.language.not_compared)
    for triples in _scopes(lexicon, options):
        if options.unknown_codes == "left_out":
            triples = triples[~lexicon.decoded.has_unknown_code()[triples]]
        for feature in _compared_features(lexicon.decoded, options):
            labels = lexicon.decoded.values(feature)
            joined = (NUMBER,) if feature == PERSON else ()
            accepts = _same(labels.of_bundles, _without(table, *not_compared, feature, *joined))
            of_feature = triples[labels.of_triples[triples] != ABSENT]
            found.add(feature, _squares(lexicon, of_feature, accepts, options, generator))
        found.add(LEMMA, _same_lemma(lexicon, triples, _without(table, *not_compared), options, generator))
    return _candidates(lexicon, found, options, generator)


class _ThinnedPairs:
    """Pairs by label, thinned by the sampling factors of a language.

    Attributes:
        pairs: of each label, in the order in which labels were first found, `[pairs, 2]`.
    """

    def __init__(self, options: TypeLevelOptions, factors: Mapping[str, float], generator: np.random.Generator):
        self._factors = factors if options.sampling_factors == "released" else {}
        self._generator = generator
        self.pairs: dict[str, np.ndarray] = {}

    def add(self, label: str, pairs: np.ndarray) -> None:
        factor = self._factors.get(label, 1)
        kept = pairs if factor >= 1 else pairs[self._generator.random(len(pairs)) < factor]
        if len(kept):
            self.pairs[label] = np.concatenate([self.pairs.get(label, kept[:0]), kept])


def _scopes(lexicon: RankedLexicon, options: TypeLevelOptions) -> Iterator[np.ndarray]:
    """Returns triples within which pairs are looked for: all of them, or those of one split after the other."""
    if options.split == "random":
        yield np.arange(len(lexicon.inflections.form_ids))
        return
    parts = lexicon.parts[lexicon.inflections.form_ids]
    for part in range(len(SPLITS)):
        yield np.flatnonzero(parts == part)


def _compared_features(
    lexicon: DecodedInflections, options: TypeLevelOptions, untagged: Collection[str] = ()
) -> list[str]:
    """Features with two labels or more, but the part of speech; one that may be `untagged` needs one label.

    The released program counts labels before it leaves out forms with a blank: so the published Finnish SameFeat has
    pairs that share the polarity, though all its forms are positive (negative ones are two words).
    """
    if options.paired_features == "published":
        return [name for name in lexicon.features() if name in _PUBLISHED and len(lexicon.labels_with_blank(name)) > 1]
    features = [name for name in lexicon.features() if name not in (PART_OF_SPEECH, LANGUAGE_SPECIFIC)]
    return [name for name in features if len(lexicon.values(name).labels) > (0 if name in untagged else 1)]


Accepts = Callable[[np.ndarray, np.ndarray], np.ndarray]  # bundle ids of either side, `[pairs]`: which are accepted


def _odd(labels: np.ndarray, others: Sequence[np.ndarray], more: int) -> Accepts:
    """Accepts two bundles that differ in the feature alone; the second may have so many dimensions more."""
    n_others = sum((column != ABSENT for column in others), np.zeros(len(labels), int))

    def accepts(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        surplus = n_others[second] - n_others[first]
        is_accepted = (labels[first] != labels[second]) & (surplus >= 0) & (surplus <= more)
        for column in others:
            is_accepted &= (column[first] == ABSENT) | (column[first] == column[second])
        return is_accepted

    return accepts


def _same(labels: np.ndarray, compared: Sequence[np.ndarray]) -> Accepts:
    """Accepts two bundles that share the label and no other value."""
    return lambda first, second: (labels[first] == labels[second]) & ~_share_a_value(compared, first, second)


def _share_a_value(compared: Sequence[np.ndarray], first: np.ndarray, second: np.ndarray) -> np.ndarray:
    shares = np.zeros(len(first), bool)
    for column in compared:
        shares |= (column[first] != ABSENT) & (column[first] == column[second])
    return shares


def _accepted(lexicon: RankedLexicon, pairs: np.ndarray, accepts: Accepts) -> np.ndarray:
    """Keeps the pairs whose bundles are accepted; each pair of bundles is asked once."""
    if not len(pairs):
        return pairs
    bundles = lexicon.inflections.bundle_ids[pairs]
    n_bundles = len(lexicon.inflections.bundles)
    codes, places = np.unique(bundles[:, 0].astype(np.int64) * n_bundles + bundles[:, 1], return_inverse=True)
    return pairs[accepts(codes // n_bundles, codes % n_bundles)[places]]


def _pairs_in_lemmas(
    lexicon: RankedLexicon, triples: np.ndarray, size: int, accepts: Accepts, generator: np.random.Generator
) -> np.ndarray:
    """Pairs the triples of a lemma each with each; of a larger group a sample of `size`. `[pairs, 2]`."""
    groups = _samples_of_lemmas(lexicon.inflections.lemma_ids, triples, size, generator)
    found = [np.zeros((0, 2), triples.dtype)]
    for first in range(size - 1):
        for second in range(first + 1, size):
            pairs = groups[:, [first, second]]
            found.append(_accepted(lexicon, pairs[pairs[:, 1] != ABSENT], accepts))
    return np.concatenate(found)


def _samples_of_lemmas(
    lemma_ids: np.ndarray, triples: np.ndarray, size: int, generator: np.random.Generator
) -> np.ndarray:
    """Returns at most `size` triples of each lemma in random order, `[lemmas, size]`; `ABSENT` fills up."""
    order = triples[np.lexsort((generator.random(len(triples)), lemma_ids[triples]))]
    starts = np.flatnonzero(np.diff(lemma_ids[order], prepend=-1))
    places = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    rows = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    samples = np.full((len(starts), size), ABSENT, triples.dtype)
    is_drawn = places < size
    samples[rows[is_drawn], places[is_drawn]] = order[is_drawn]
    return samples


def _with_untagged(
    lexicon: RankedLexicon, triples: np.ndarray, of_feature: np.ndarray, others: Sequence[np.ndarray]
) -> np.ndarray:
    """Returns the triples of a feature, and those of their lemmas whose other values one of them has without it.

    Other triples of the lemmas would take the place of these in its sample and give no pair.
    """
    lemma_ids, bundle_ids = lexicon.inflections.lemma_ids, lexicon.inflections.bundle_ids
    has_feature = np.zeros(len(lexicon.inflections.lemmas), bool)
    has_feature[lemma_ids[of_feature]] = True
    tagged = np.unique(bundle_ids[of_feature])
    of_bundles = [tuple(column[bundle] for column in others) for bundle in range(len(lexicon.inflections.bundles))]
    known = {of_bundles[bundle] for bundle in tagged}
    is_like_tagged = np.array([values in known for values in of_bundles], bool)
    return triples[has_feature[lemma_ids[triples]] & is_like_tagged[bundle_ids[triples]]]


def _with_two_forms(lexicon: RankedLexicon, pairs: np.ndarray) -> np.ndarray:
    forms = lexicon.inflections.form_ids[pairs]
    return pairs[forms[:, 0] != forms[:, 1]]


def _by_bundle(lexicon: RankedLexicon, triples: np.ndarray) -> list[np.ndarray]:
    """Returns the triples of each bundle in the order of the file."""
    bundle_ids = lexicon.inflections.bundle_ids[triples]
    order = np.argsort(bundle_ids, kind="stable")
    return np.split(triples[order], np.flatnonzero(np.diff(bundle_ids[order])) + 1)


def _halves(lexicon: RankedLexicon, triples: np.ndarray, most: int, generator: np.random.Generator) -> np.ndarray:
    """Pairs the first half of the triples of a bundle with the second, `[pairs, 2]`; of long halves samples."""
    found = [np.zeros((0, 2), np.int64)]
    for of_bundle in _by_bundle(lexicon, triples):
        middle = len(of_bundle) // 2
        halves = [of_bundle[:middle], of_bundle[middle:]]
        if middle > most:
            halves = [generator.choice(half, most, replace=False) for half in halves]
        found.append(np.stack([halves[0], halves[1][: len(halves[0])]], axis=1))
    return np.concatenate(found)


def _squares(
    lexicon: RankedLexicon,
    triples: np.ndarray,
    accepts: Accepts,
    options: TypeLevelOptions,
    generator: np.random.Generator,
) -> np.ndarray:
    """Pairs a sample of the triples of a feature with another sample of them, each with each, of two lemmas.

    A feature of fewer triples than a sample has is passed over; where sizes are scaled, or pairs are looked for in each
    split, its halves are the samples.
    """
    n_sample = options.same_feature_sample
    if options.sizes == "scaled" or options.split == "lemma":
        n_sample = min(n_sample, len(triples) // 2)
    if len(triples) < max(n_sample, 2):
        return np.zeros((0, 2), np.int64)
    shuffled = generator.permutation(triples)
    first, second = shuffled[:n_sample], shuffled[n_sample : 2 * n_sample]
    pairs = np.stack([np.repeat(first, len(second)), np.tile(second, len(first))], axis=1)
    lemmas = lexicon.inflections.lemma_ids[pairs]
    return _with_two_forms(lexicon, _accepted(lexicon, pairs[lemmas[:, 0] != lemmas[:, 1]], accepts))


def _same_lemma(
    lexicon: RankedLexicon,
    triples: np.ndarray,
    compared: Sequence[np.ndarray],
    options: TypeLevelOptions,
    generator: np.random.Generator,
) -> np.ndarray:
    """Draws two bundles, as often as there are bundles, and pairs samples of their triples that share the lemma."""
    by_bundle, lemma_ids = _by_bundle(lexicon, triples), lexicon.inflections.lemma_ids
    found = [np.zeros((0, 2), np.int64)]
    for _ in range(len(by_bundle) if len(by_bundle) > 1 else 0):
        sides = [by_bundle[bundle] for bundle in generator.choice(len(by_bundle), 2, replace=False)]
        n_sample = min(options.same_lemma_sample, *map(len, sides))
        first, second = (generator.choice(side, n_sample, replace=False) for side in sides)
        rows, columns = np.nonzero(lemma_ids[first][:, None] == lemma_ids[second])
        found.append(np.stack([first[rows], second[columns]], axis=1))
    pairs = _with_two_forms(lexicon, np.concatenate(found))
    if options.same_lemma_pairs == "as_drawn":
        return pairs
    return _accepted(lexicon, pairs, lambda first, second: ~_share_a_value(compared, first, second))


def _candidates(
    lexicon: RankedLexicon, found: _ThinnedPairs, options: TypeLevelOptions, generator: np.random.Generator
) -> Candidates:
    used = found.pairs
    pairs = np.concatenate([np.zeros((0, 2), np.int64), *used.values()])
    label_ids = np.repeat(np.arange(len(used), dtype=np.int32), [len(pairs) for pairs in used.values()])
    forms = lexicon.inflections.form_ids[pairs]
    is_frequent = (lexicon.ranks_as_written[forms] > 0).all(axis=1)
    of_forms = lexicon.parts[forms]
    of_pairs = np.where(of_forms[:, 0] == of_forms[:, 1], of_forms[:, 0], -1).astype(np.int8)
    share = options.frequent_share if options.pair_frequency == "share" else None
    steps = (Step("pairs found", "pairs", 0, len(pairs)),)
    candidates = Candidates(tuple(used), pairs, label_ids, of_pairs, "pairs", is_frequent, share, steps=steps)
    candidates = candidates.filtered("the same pair again", _is_first(forms, label_ids, len(lexicon.inflections.forms)))
    if options.repeated_pairs == "left_out":
        forms = np.sort(lexicon.inflections.form_ids[candidates.made_of], axis=1)
        is_new = _is_first(forms, np.zeros(len(forms), np.int32), len(lexicon.inflections.forms))
        candidates = candidates.filtered("the same two forms again", is_new)
    if options.pair_frequency == "coin":
        lucky = generator.random(len(candidates)) < 1 - options.frequent_share
        candidates = candidates.filtered("rare words", candidates.is_frequent | lucky)
    return candidates


def _is_first(forms: np.ndarray, label_ids: np.ndarray, n_forms: int) -> np.ndarray:
    """Says which rows (two forms and a label) are the first of their kind, `[pairs]`."""
    codes = (forms[:, 0].astype(np.int64) * n_forms + forms[:, 1]) * (int(label_ids.max(initial=0)) + 1) + label_ids
    is_first = np.zeros(len(codes), bool)
    is_first[np.unique(codes, return_index=True)[1]] = True
    return is_first
