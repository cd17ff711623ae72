"""Syllables of any language that writes its vowels; onset, nucleus and coda of written syllables.

Where there is no syllabified lexicon, a syllable has one run of vowels. Of the consonants between two runs, the next
syllable gets as many as words begin with; the rest stays.

    talossa     ta-los-sa       no word begins with ss
    patrullo    pa-trul-lo      words begin with tr

Why so: onsets that begin words need no table of consonants, and agree with the syllables of published lexica more
often than a rise of sonority does (`docs/pseudowords.md` has the shares); patterns for hyphenation keep letters
together at the ends of words, which syllables do not. Whether two vowels are one nucleus or two is not known: they are
one here, so that pseudowords have only sequences of vowels that words have. A lexicon with syllables of one's own, in
the layout of `src.formats.lexica.wuggy_lexicon`, serves better; what is made here can be written so, and mended.

The parts of syllables follow the nuclei of a language, which stand in `nuclei.yaml`; it says how they are read:

    akşam   ak-şam      ("", "a", "k"), ("ş", "a", "m")
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path

import yaml

from src.errors import UnknownChoice

GENERAL = "general"
Parts = tuple[str, str, str]
Split = Callable[[str], Parts]
_TABLE = Path(__file__).with_name("nuclei.yaml")
_SHARE_OF_ONSETS = 0.001  # of the words begin with it: fewer are names, loans and misspellings
_VOWEL, _CONSONANT, _EITHER = "v", "c", "y"
_CONSONANTAL_Y = re.compile("(?<!c)y(?=v)")


def languages() -> list[str]:
    """Returns the names and codes of the languages that have nuclei, and `general`."""
    return sorted({*_nuclei_by_language(), GENERAL})


def nuclei(language: str) -> list[str]:
    """Returns the nuclei of a language by its name or code: regular expressions in the order of trial."""
    known = _nuclei_by_language()
    if language not in known:
        raise UnknownChoice("nuclei of language", language, languages())
    return known[language].split()


def splitter(language: str) -> Split:
    """Builds the function that splits a syllable into onset, nucleus and coda.

    The leftmost nucleus counts. Any part but the nucleus may be empty; a syllable without nucleus is an onset alone.

    Args:
        language: a name (`turkish`) or code (`tr`) of the table, `german_released` for the released list without u, or
            `general`: the nucleus is the first run of vowels of `src.generation.syllables.by_vowels`.

    Raises:
        UnknownChoice: the language has no nuclei here.
    """
    if language == GENERAL:
        return parts
    pattern = re.compile(f"(.*?)({'|'.join(nuclei(language))})(.*)")

    def split(syllable: str) -> Parts:
        match = pattern.match(syllable)
        return match.groups() if match else (syllable, "", "")

    return split


@cache
def _nuclei_by_language() -> dict[str, str]:
    table = yaml.safe_load(_TABLE.read_text(encoding="utf-8"))
    return {key: row["nuclei"] for name, row in table.items() for key in (name, row["code"])}


_LETTERS = Path(__file__).with_name("vowels.yaml")


def syllabified(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Splits words into syllables, by the onsets that at least one in a thousand of them has.

    Args:
        words: of letters alone. A word with other characters (digits, blanks, hyphens, …) is left out.

    Returns:
        The syllables of each word, in the order of the words, each once and in NFC: a letter is one character. A word
        without vowels is one syllable.
    """
    composed = dict.fromkeys(unicodedata.normalize("NFC", word) for word in words)
    kept = {word: _runs_of_vowels(word) for word in composed if word.isalpha()}
    beginnings = Counter(word[: runs[0][0]].lower() for word, runs in kept.items() if runs)
    onsets = {onset for onset, count in beginnings.items() if count >= _SHARE_OF_ONSETS * len(kept)}
    return {word: _syllables(word, runs, onsets) for word, runs in kept.items()}


def parts(syllable: str) -> tuple[str, str, str]:
    """Splits a syllable at its first run of vowels; one without vowels is an onset alone."""
    for start, end in _runs_of_vowels(syllable)[:1]:
        return syllable[:start], syllable[start:end], syllable[end:]
    return syllable, "", ""


def _syllables(word: str, runs: list[tuple[int, int]], onsets: set[str]) -> tuple[str, ...]:
    cuts = [_start_of_onset(word, end, start, onsets) for (_, end), (start, _) in pairwise(runs)]
    return tuple(word[start:end] for start, end in zip([0, *cuts], [*cuts, len(word)], strict=True))


def _start_of_onset(word: str, after_vowels: int, next_vowels: int, onsets: set[str]) -> int:
    """Returns where the syllable of the next vowels starts; a single consonant begins it even if it begins no word."""
    starts = range(after_vowels, next_vowels)
    return next((start for start in starts if word[start:next_vowels].lower() in onsets), next_vowels - 1)


def _runs_of_vowels(word: str) -> list[tuple[int, int]]:
    """Returns start and end of each run."""
    classes = _CONSONANTAL_Y.sub(_CONSONANT, "".join(map(_letter_class, word)))
    return [match.span() for match in re.finditer(f"[{_VOWEL}{_EITHER}]+", classes)]


@cache
def _letter_class(letter: str) -> str:
    table = {
        name: set(letters.split()) for name, letters in yaml.safe_load(_LETTERS.read_text(encoding="utf-8")).items()
    }
    consonants, either = table.pop("consonants"), table.pop("either")
    vowels = set().union(*table.values())
    small = letter.lower()[0]
    bare = unicodedata.normalize("NFD", small)[0]
    if small in consonants:
        return _CONSONANT
    if bare in either:
        return _EITHER
    return _VOWEL if {small, bare} & vowels else _CONSONANT
