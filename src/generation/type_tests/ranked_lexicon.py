"""What all tests of a language are made of: its triples, decoded, with the rank and the split of every form.

No lemma, and so no paradigm, stands in two splits. Published sets are cut at random, so that most lemmas of their test
split have other forms in train. Here the lemmas of each part of speech are shuffled and dealt out until each split has
its share of the forms. A form that lemmas of two splits have is in none. The parts are the same for every test of a
language.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.generation.made_tests.frequent_words import ranks_of, read_frequent_words
from polyprobe.generation.made_tests.labels import parts_by_weight
from polyprobe.generation.type_tests.type_level_options import TypeLevelOptions
from polyprobe.generation.unimorph.decoding import PART_OF_SPEECH
from polyprobe.generation.unimorph.inflections import DecodedInflections, Inflections, read_inflections
from polyprobe.seeds import derived_seed
from polyprobe.splits import SPLITS

IN_SEVERAL = -1


def parts_of_forms(lexicon: DecodedInflections, weights: Sequence[float], generator: np.random.Generator) -> np.ndarray:
    """Returns the split of each form, from 0, `IN_SEVERAL` where its lemmas are in several; `[forms]`, int8.

    Args:
        weights: of the splits, for their shares of the forms.
        generator: what the lemmas are shuffled with.
    """
    inflections = lexicon.inflections
    of_triples = _parts_of_lemmas(lexicon, weights, generator)[inflections.lemma_ids]
    least = np.full(len(inflections.forms), len(weights), np.int8)
    most = np.full(len(inflections.forms), IN_SEVERAL, np.int8)
    np.minimum.at(least, inflections.form_ids, of_triples)
    np.maximum.at(most, inflections.form_ids, of_triples)
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


@dataclass(frozen=True)
class RankedLexicon:
    """The lexicon of a language."""

    decoded: DecodedInflections
    ranks: np.ndarray
    """Of each form lower-cased, 0 where it is not among the frequent words, `[forms]`."""
    ranks_as_written: np.ndarray
    """The same for the form as it stands, which pairs are looked up by."""
    parts: np.ndarray
    """The split of each form, -1 where its lemmas are in several, `[forms]`."""
    n_frequent_words: int
    """Of the frequency list."""

    @property
    def inflections(self) -> Inflections:
        """The triples."""
        return self.decoded.inflections


def read_lexicon(
    unimorph: Sequence[Path], frequency: Path, options: TypeLevelOptions, on_malformed: OnMalformed
) -> RankedLexicon:
    """Reads the files of a language.

    Args:
        unimorph: one or more UniMorph tables, read one after the other.
    """
    inflections = read_inflections(unimorph, options.normalization, on_malformed)
    most_words = options.language.frequent_words
    words = read_frequent_words(frequency, most_words, options.normalization, on_malformed)
    decoded, forms = DecodedInflections(inflections, options.decoding), inflections.forms
    weights = [options.items[split] for split in SPLITS]
    generator = np.random.default_rng(derived_seed(options.seed, "type level", "lemmas"))
    return RankedLexicon(
        decoded,
        ranks_of(forms, words, options.case),
        ranks_of(forms, words, "kept"),
        parts_of_forms(decoded, weights, generator),
        len(words),
    )
