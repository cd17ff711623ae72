"""Joins suffixes to stems: vowel harmony, buffer consonants, softening, assimilation. Splits forms into syllables.

Covered: two-way (`A`) and four-way (`I`) harmony; buffer y, s, n; linking vowels; final p ç t k softened before a
vowel, k to g after n (renk, rengi); d or t after voiced or voiceless sounds (kitapta, evde); the vowel that some stems
lose before a vowel (şehir, şehri); stems that take front vowels against their last one (saat, saati); the final vowel
that -Iyor replaces (başla, başlıyor).
Not covered: doubled consonants (hak, hakkı), compounds in -sI (buzdolabı), su and ne, ye and de, circumflexes.
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from src.generation.mini.data_files import rules

_RULES = rules("phonology")
_HIGH = {vowel: _RULES["high"][kind] for kind, vowels in _RULES["vowels"].items() for vowel in vowels}
_LOW = {vowel: _RULES["low"][kind] for kind, vowels in _RULES["vowels"].items() for vowel in vowels}
_TO_FRONT = {
    vowel: _RULES["high"][_RULES["to_front"].get(kind, kind)]
    for kind, vowels in _RULES["vowels"].items()
    for vowel in vowels
}


@dataclass(frozen=True, slots=True)
class Stem:
    """A stem to which suffixes can be joined.

    Attributes:
        form: as written alone and before consonants.
        before_vowel: as written before a vowel.
        harmony: the vowel with which the next suffix agrees.
    """

    form: str
    before_vowel: str
    harmony: str


def is_vowel(letter: str) -> bool:
    """Says whether a lower-case letter is one of the eight vowels."""
    return letter in _HIGH


def stem_of(form: str, flags: Iterable[str]) -> Stem:
    """Makes the stem of a word of the lexicon.

    Args:
        form: the word without suffix.
        flags: of `softens` (final p ç t k), `drops` (the last vowel, before a vowel), `front` (front suffixes).
    """
    before_vowel = softened(form) if "softens" in flags else form
    if "drops" in flags:
        before_vowel = before_vowel[:-2] + before_vowel[-1]
    harmony = last_vowel(form)
    return Stem(form, before_vowel, _TO_FRONT[harmony] if "front" in flags else harmony)


def softened(form: str) -> str:
    """Softens the last consonant: kitap, kitab; renk, reng."""
    after_n = _RULES["softening_after_n"] if form[-2:-1] == "n" else {}
    return form[:-1] + (after_n.get(form[-1]) or _RULES["softening"][form[-1]])


def last_vowel(form: str) -> str:
    """Returns the last vowel of a form, "" where it has none; capitals count."""
    lowered = form.replace("İ", "i").replace("I", "ı").lower()
    return next((letter for letter in reversed(lowered) if is_vowel(letter)), "")


def joined(stem: Stem, suffix: str, mark: str = "") -> Stem:
    """Joins one suffix.

    Args:
        stem: to which it is joined.
        suffix: in the notation of `data/rules.yaml`; "" returns the stem.
        mark: between the two if a suffix follows (the apostrophe of names: Ayşe'yi).

    Example:
        `joined(stem_of("kitap", ["softens"]), "(y)I").form == "kitabı"`
    """
    if not suffix:
        return stem
    ends_in_vowel = is_vowel(stem.form[-1])
    letters = _chosen(suffix, ends_in_vowel)
    starts_with_vowel = letters[0] in "AI" or is_vowel(letters[0])
    base, harmony = stem.before_vowel if starts_with_vowel else stem.form, stem.harmony
    if starts_with_vowel and ends_in_vowel:
        base = base[:-1]
        harmony = last_vowel(base) or harmony
    realised = _realised(letters, base[-1], harmony)
    form = base + mark + realised
    before_vowel = softened(form) if letters[-1] == "K" else form
    return Stem(form, before_vowel, last_vowel(realised) or harmony)


def syllables(form: str) -> tuple[str, ...]:
    """Splits a lower-case form: each vowel has a syllable, which the consonant before it begins (sa-at-lar, ki-tap)."""
    vowels = [place for place, letter in enumerate(form) if is_vowel(letter)]
    starts = [place if is_vowel(form[place - 1]) else place - 1 for place in vowels[1:]]
    return tuple(form[start:end] for start, end in zip([0, *starts], [*starts, len(form)], strict=True))


def joined_all(stem: Stem, suffixes: Iterable[str]) -> Stem:
    """Joins suffixes from left to right."""
    return functools.reduce(joined, suffixes, stem)


@functools.cache
def _chosen(suffix: str, after_vowel: bool) -> str:
    """Keeps or leaves out the sound in brackets: `(y)I` is `yI` after a vowel, `I` after a consonant."""
    if not suffix.startswith("("):
        return suffix
    optional, rest = suffix[1], suffix[3:]
    keeps = after_vowel != (optional in "AI")
    return optional + rest if keeps else rest


@functools.cache
def _realised(letters: str, previous: str, harmony: str) -> str:
    realised = ""
    for letter in letters:
        letter = _letter(letter, previous, harmony)
        realised += letter
        previous, harmony = letter, letter if is_vowel(letter) else harmony
    return realised


def _letter(letter: str, previous: str, harmony: str) -> str:
    if letter == "I":
        return _HIGH[harmony]
    if letter == "A":
        return _LOW[harmony]
    if letter == "D":
        return "t" if previous.lower() in _RULES["voiceless"] else "d"
    return letter.lower()
