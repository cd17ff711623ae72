"""The words of the miniature Turkish, from the tables in `data/`: nouns, names, adjectives, verbs with their frames.

Classes (person, thing, place, ...) say which nouns make sense where; they are coarse, so that odd sentences occur.

Joins suffixes to stems: vowel harmony, buffer consonants, softening, assimilation. Splits forms into syllables.

Covered: two-way (`A`) and four-way (`I`) harmony; buffer y, s, n; linking vowels; final p ç t k softened before a
vowel, k to g after n (renk, rengi); d or t after voiced or voiceless sounds (kitapta, evde); the vowel that some stems
lose before a vowel (şehir, şehri); stems that take front vowels against their last one (saat, saati); the final vowel
that -Iyor replaces (başla, başlıyor).
Not covered: doubled consonants (hak, hakkı), compounds in -sI (buzdolabı), su and ne, ye and de, circumflexes.
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from src.generation.mini.data_files import rules, table

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
    """A stem to which suffixes can be joined."""

    form: str
    """As written alone and before consonants."""
    before_vowel: str
    """As written before a vowel."""
    harmony: str
    """The vowel with which the next suffix agrees."""


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


@dataclass(frozen=True, slots=True)
class Nominal:
    """A noun, a name or an adjective; its lemma is its form without suffix. Adjectives have the kind `quality`."""

    lemma: str
    kind: str
    stem: Stem


@dataclass(frozen=True, slots=True)
class Complement:
    """A place in a frame: the role, the case that marks it, the kinds of nouns that fill it, whether it is optional."""

    role: str
    case: str
    kinds: tuple[str, ...]
    is_optional: bool


@dataclass(frozen=True, slots=True)
class Sense:
    """A sense of a verb (`ver.01`) with its frame."""

    name: str
    frame: tuple[Complement, ...]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: `lemma` is the infinitive (UniMorph), `root` the lemma in treebanks; `aorist` is its aorist suffix."""

    lemma: str
    root: str
    stem: Stem
    aorist: str
    senses: tuple[Sense, ...]


@functools.cache
def nouns() -> tuple[Nominal, ...]:
    """The nouns, in the order of the table."""
    return tuple(Nominal(row["lemma"], row["class"], stem_of(row["lemma"], _flags(row))) for row in table("nouns"))


@functools.cache
def names() -> tuple[Nominal, ...]:
    """Names of persons and places; their spelling never softens."""
    return tuple(Nominal(row["lemma"], row["class"], stem_of(row["lemma"], ())) for row in table("names"))


@functools.cache
def adjectives() -> tuple[Nominal, ...]:
    """The adjectives, in the order of the table."""
    return tuple(Nominal(row["lemma"], "quality", stem_of(row["lemma"], _flags(row))) for row in table("adjectives"))


@functools.cache
def verbs() -> tuple[Verb, ...]:
    """The verbs, in the order of the table."""
    return tuple(_verb(row) for row in table("verbs"))


def _verb(row: dict[str, str]) -> Verb:
    stem = stem_of(row["stem"], _flags(row))
    lemma = joined(stem, rules("verb")["citation"]).form
    aorist = rules("verb")["aorist_suffix"][row["aorist"]]
    return Verb(lemma, row["stem"], stem, aorist, tuple(_sense(row["stem"], text) for text in row["senses"].split("|")))


def _sense(root: str, text: str) -> Sense:
    number, *places = text.split(" ")
    return Sense(f"{root}.{number}", tuple(_complement(place) for place in places))


def _complement(place: str) -> Complement:
    """Reads `A2?=DAT=person/place`; the question mark says that it is optional."""
    role, case, kinds = place.split("=")
    return Complement(role.removesuffix("?"), case, tuple(kinds.split("/")), role.endswith("?"))


def _flags(row: dict[str, str]) -> list[str]:
    return [] if row["flags"] == "_" else row["flags"].split(",")
