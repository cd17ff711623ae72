"""Makes the type-level tests of a language one after the other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from src.generation.type_tests.candidates import Candidates
from src.generation.type_tests.form_pairs import odd_feature_pairs, same_feature_pairs
from src.generation.type_tests.ranked_lexicon import RankedLexicon
from src.generation.type_tests.sampling import Drawn, draw_test
from src.generation.type_tests.single_forms import (
    counted_candidates,
    feature_candidates,
    part_of_speech_candidates,
)
from src.generation.type_tests.type_level_options import TypeLevelOptions
from src.generation.unimorph.decoding import LANGUAGE_SPECIFIC, PART_OF_SPEECH
from src.seeds import derived_seed

_COUNTED = ("TagCount", "CharacterBin", "CharacterCount")
_PAIRED: Mapping[str, Callable[[RankedLexicon, TypeLevelOptions, np.random.Generator], Candidates]] = {
    "OddFeat": odd_feature_pairs,
    "SameFeat": same_feature_pairs,
}


@dataclass(frozen=True)
class MadeTest:
    """A test that was drawn.

    Attributes:
        name: as its folder is called.
        candidates: what it was drawn from, with what the filters did.
        drawn: places of the candidates, split by split.
    """

    name: str
    candidates: Candidates
    drawn: Drawn

    def split(self, name: str) -> Candidates:
        """Returns the items of a split, in the order of its file."""
        return self.candidates.chosen(self.drawn.places[name])


def possible_tests(lexicon: RankedLexicon) -> tuple[str, ...]:
    """Returns the tests that a lexicon may have: one for each feature that a triple has, and those of all languages."""
    no_feature = (PART_OF_SPEECH, LANGUAGE_SPECIFIC)
    features = [feature for feature in lexicon.decoded.features() if feature not in no_feature]
    return (*map(_folder_name, features), "POS", *_COUNTED, *_PAIRED)


def make_test(lexicon: RankedLexicon, name: str, options: TypeLevelOptions) -> MadeTest:
    """Makes one of `possible_tests`; the same from the same lexicon, options and seed, whatever else is made.

    TagCount, CharacterCount and CharacterBin have the same forms in the same order, unless labels are balanced.

    Raises:
        TooFew: there are not items enough.
    """
    purpose = "counts" if name in _COUNTED else name
    generator = np.random.default_rng(derived_seed(options.seed, "type level", purpose))
    candidates = _candidates(lexicon, name, options, generator)
    return MadeTest(name, candidates, draw_test(name, candidates, options, generator))


def _candidates(
    lexicon: RankedLexicon, name: str, options: TypeLevelOptions, generator: np.random.Generator
) -> Candidates:
    if name in _PAIRED:
        return _PAIRED[name](lexicon, options, generator)
    if name in _COUNTED:
        return counted_candidates(lexicon, name, options)
    if name == "POS":
        return part_of_speech_candidates(lexicon, options)
    return feature_candidates(lexicon, _feature(lexicon.decoded.features(), name), options)


def _folder_name(feature: str) -> str:
    return feature.replace(" ", "")


def _feature(features: Sequence[str], name: str) -> str:
    return next(feature for feature in features if _folder_name(feature) == name)
