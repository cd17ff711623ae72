"""What all tests of a language are made of: its triples, decoded, with the rank and the split of every form."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.formats.reading.malformed import OnMalformed
from src.generation.made_tests.frequent_words import FrequentWords, read_frequent_words
from src.generation.type_tests.lemma_parts import parts_of_forms
from src.generation.type_tests.type_level_options import TypeLevelOptions
from src.generation.unimorph.inflections import DecodedInflections, Inflections, read_inflections
from src.seeds import derived_seed
from src.splits import SPLITS


@dataclass(frozen=True)
class RankedLexicon:
    """The lexicon of a language.

    Attributes:
        decoded: the triples.
        ranks: of each form lower-cased, 0 where it is not among the frequent words, `[forms]`.
        ranks_as_written: the same for the form as it stands, which pairs are looked up by.
        parts: the split of each form, -1 where its lemmas are in several, `[forms]`.
        n_frequent_words: of the frequency list.
    """

    decoded: DecodedInflections
    ranks: np.ndarray
    ranks_as_written: np.ndarray
    parts: np.ndarray
    n_frequent_words: int

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
        frequency: a frequency list.
        options: of the tests.
        on_malformed: called with every malformed row of either.
    """
    inflections = read_inflections(unimorph, options.normalization, on_malformed)
    most_words = options.language.frequent_words
    words = read_frequent_words(frequency, most_words, options.normalization, on_malformed)
    return ranked(DecodedInflections(inflections, options.decoding), words, options)


def ranked(decoded: DecodedInflections, words: FrequentWords, options: TypeLevelOptions) -> RankedLexicon:
    """Looks every form up and deals the lemmas out."""
    forms = decoded.inflections.forms
    weights = [options.items[split] for split in SPLITS]
    generator = np.random.default_rng(derived_seed(options.seed, "type level", "lemmas"))
    return RankedLexicon(
        decoded,
        words.ranks_of(forms, options.case),
        words.ranks_of(forms, "kept"),
        parts_of_forms(decoded, weights, generator),
        len(words.ranks),
    )
