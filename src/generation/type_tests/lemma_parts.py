"""Which split a lemma is in: no lemma, and so no paradigm, stands in two.

Published sets are cut at random, so that most lemmas of their test split have other forms in train. Here the lemmas of
each part of speech are shuffled and dealt out until each split has its share of the forms. A form that lemmas of two
splits have is in none. The parts are the same for every test of a language.
"""

from collections.abc import Sequence

import numpy as np

from src.generation.made_tests.parts import parts_by_weight
from src.generation.unimorph.decoding import PART_OF_SPEECH
from src.generation.unimorph.inflections import DecodedInflections

IN_SEVERAL = -1


def parts_of_forms(lexicon: DecodedInflections, weights: Sequence[float], generator: np.random.Generator) -> np.ndarray:
    """Returns the split of each form, from 0, `IN_SEVERAL` where its lemmas are in several; `[forms]`, int8.

    Args:
        lexicon: the triples.
        weights: of the splits, for their shares of the forms.
        generator: what the lemmas are shuffled with.
    """
    inflections = lexicon.inflections
    of_triples = _parts_of_lemmas(lexicon, weights, generator)[inflections.lemma_ids]
    least = np.full(len(inflections.forms), len(weights), np.int8)
    most = np.full(len(inflections.forms), IN_SEVERAL, np.int8)
    for part in range(len(weights)):
        forms = inflections.form_ids[of_triples == part]
        most[forms] = part
    for part in reversed(range(len(weights))):
        forms = inflections.form_ids[of_triples == part]
        least[forms] = part
    return np.where(least == most, most, IN_SEVERAL).astype(np.int8)


def _parts_of_lemmas(
    lexicon: DecodedInflections, weights: Sequence[float], generator: np.random.Generator
) -> np.ndarray:
    """Deals the lemmas of each part of speech (that of their first triple) out, `[lemmas]`, int8."""
    lemma_ids = lexicon.inflections.lemma_ids
    first = np.unique(lemma_ids, return_index=True)[1]
    of_lemmas = lexicon.values(PART_OF_SPEECH).of_triples[first]
    n_triples = np.bincount(lemma_ids, minlength=len(first))
    parts = np.zeros(len(first), np.int8)
    for part_of_speech in np.unique(of_lemmas):
        lemmas = generator.permutation(np.flatnonzero(of_lemmas == part_of_speech))
        parts[lemmas] = parts_by_weight(n_triples[lemmas], weights)
    return parts
