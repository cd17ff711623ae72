"""Pseudowords beside those of the package wuggy, where it is installed (1.1.2; it is no requirement)."""

import os
import random
import re
from pathlib import Path

import pytest

from polyprobe.formats.lexica import wuggy_lexicon
from polyprobe.formats.reading.malformed import refuse
from polyprobe.generation.pseudowords import PseudowordLexicon
from polyprobe.generation.syllables.segments import nuclei

pytestmark = pytest.mark.real_data

N = 5
N_SEED_WORDS = 10
LONGEST = 60  # seconds for a word: a machine so slow that they are not enough would miss pseudowords


@pytest.mark.parametrize("language", ["turkish", "basque", "spanish", "english"])
def test_wuggy_finds_what_the_narrower_windows_have_and_of_the_last_one_some(data_folder, language):
    path = data_folder / f"wuggy/{language}.txt"
    lexicon = PseudowordLexicon(wuggy_lexicon.read(path, refuse), language)
    generator = pytest.importorskip("wuggy").WuggyGenerator()
    generator.load(language, _plugin(path, language))
    # Words of up to three syllables: of longer ones a window may have millions, all of which are enumerated here.
    short = sorted(word for word in set(lexicon.entries) if len(lexicon.segments(word)) <= 11)
    for seed_word in random.Random(17).sample(short, N_SEED_WORDS):
        theirs = {match["pseudoword"] for match in generator.generate_classic([seed_word], N, LONGEST)}
        narrower, together = _narrowest(lexicon, seed_word)
        assert narrower <= theirs <= together, seed_word
        assert len(theirs) == min(N, len(together))


def _narrowest(lexicon: PseudowordLexicon, seed_word: str) -> tuple[set[str], set[str]]:
    """Finds the pseudowords of the windows before the one that has enough, and those up to it."""
    narrower: set[str] = set()
    for _, found in lexicon.windows(seed_word, 40):
        together = narrower | {one.letters for one in found}
        if len(together) >= N:
            return narrower, together
        narrower = together
    return narrower, narrower


def _plugin(path: Path, language: str):
    from wuggy.plugins.baselanguageplugin import BaseLanguagePlugin

    beside_us = os.path.relpath(path, Path(__file__).resolve().parent)

    class Plugin(BaseLanguagePlugin):
        default_data = default_neighbor_lexicon = default_word_lexicon = default_lookup_lexicon = beside_us
        oncpattern = re.compile(f"(.*?)({'|'.join(nuclei(language))})(.*)")

        def transform(self, input_sequence, frequency=1):
            return self.pre_transform(input_sequence, frequency=frequency, language=self)

    return Plugin()
