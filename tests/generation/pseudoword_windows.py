"""All pseudowords of a seed word, window by window."""

from pathlib import Path

from polyprobe.formats.lexica import wuggy_lexicon
from polyprobe.formats.reading.malformed import raised
from polyprobe.generation.pseudowords import PseudowordLexicon


def candidates(lexicon: Path, language: str, seed_word: str, most_windows: int) -> dict[int, set[str]]:
    """Returns what is first found in each window of a lexicon with syllables, by the window's width."""
    found = PseudowordLexicon(wuggy_lexicon.read(lexicon, raised), language).windows(seed_word, most_windows)
    return {width: {pseudoword.letters for pseudoword in pseudowords} for width, pseudowords in found}
