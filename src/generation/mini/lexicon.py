"""The words of the miniature Turkish, from the tables in `data/`: nouns, names, adjectives, verbs with their frames.

Classes (person, thing, place, ...) say which nouns make sense where; they are coarse, so that odd sentences occur.

Joins suffixes to stems: vowel harmony, buffer consonants, softening, assimilation. Splits forms into syllables.

Covered: two-way (`A`) and four-way (`I`) harmony; buffer y, s, n; linking vowels; final p ç t k softened before a
vowel, k to g after n (renk, rengi); d or t after voiced or voiceless sounds (kitapta, evde); the vowel that some stems
lose before a vowel (şehir, şehri); stems that take front vowels against their last one (saat, saati); the final vowel
that -Iyor replaces (başla, başlıyor).
Not covered: doubled consonants (hak, hakkı), compounds in -sI (buzdolabı), su and ne, ye and de, circumflexes.

Paradigms have every form of a word with its UniMorph bundle (`N;LOC;PL;PSS1S`) and UD features.

Covered: nouns (2 numbers x 6 cases x 6 possessors or none), verbs (5 tenses x 6 persons x 2 polarities, an infinitive,
a participle and three converbs), adjectives with the copula (present, past), names (6 cases).
Not covered: questions, conditional, necessity, ability, imperative, voices, compound tenses, the copula on nouns.

The codes and the order within a bundle are those of UniMorph's Turkish (`V;IND;3;SG;PST;NEG;DECL`). Three converbs are
distinguished by the language-specific codes LGSPEC1 to LGSPEC3.
"""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from polyprobe.generation.mini.data_files import rules, table

_RULES = rules("phonology")
_HIGH = {vowel: _RULES["high"][kind] for kind, vowels in _RULES["vowels"].items() for vowel in vowels}
_LOW = {vowel: _RULES["low"][kind] for kind, vowels in _RULES["vowels"].items() for vowel in vowels}
_TO_FRONT = {
    vowel: _RULES["high"][_RULES["to_front"].get(kind, kind)]
    for kind, vowels in _RULES["vowels"].items()
    for vowel in vowels
}
_CASE_FEATURE = {"NOM": "Nom", "ACC": "Acc", "DAT": "Dat", "LOC": "Loc", "ABL": "Abl", "GEN": "Gen"}
NUMBER_FEATURE = {"SG": "Sing", "PL": "Plur"}
_THIRD_PERSON = ("PSS3S", "PSS3P")
_POLARITY_FEATURE = {"POS": "Pos", "NEG": "Neg"}


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


def feats(**features: str) -> str:
    """Writes UD features, sorted as UD requires (case-insensitively)."""
    return "|".join(f"{name}={features[name]}" for name in sorted(features, key=str.lower)) or "_"


@functools.cache
def nominal_feats(case: str, number: str, possessor: str | None = None, **more: str) -> str:
    """Writes the UD features of a noun, name or pronoun from UniMorph codes (`possessor`: `PSS1S` or None)."""
    features = {"Case": _CASE_FEATURE[case], "Number": NUMBER_FEATURE[number], "Person": "3"} | more
    if possessor:
        features |= {"Person[psor]": possessor[3], "Number[psor]": {"S": "Sing", "P": "Plur"}[possessor[4]]}
    return feats(**features)


@dataclass(frozen=True, slots=True)
class InflectedForm:
    """A form with its analysis."""

    form: str
    """As written inside a sentence."""
    lemma: str
    """As in UniMorph (verbs: the infinitive)."""
    bundle: str
    """UniMorph codes, joined by `;`."""
    feats: str
    """The FEATS column of UD."""


@functools.cache
def inventory() -> tuple[InflectedForm, ...]:
    """All forms of all nouns, verbs and adjectives, in the order of the tables; names are left out."""
    return (
        *(form for noun in nouns() for form in noun_forms(noun)),
        *(form for verb in verbs() for form in verb_forms(verb)),
        *(form for adjective in adjectives() for form in adjective_forms(adjective)),
    )


def noun_forms(noun: Nominal) -> Iterator[InflectedForm]:
    """All 84 forms of a noun."""
    for number in rules("noun")["number"]:
        for possessor in rules("noun")["possessor"]:
            for case in rules("noun")["case"]:
                yield noun_form(noun, case, number, possessor)


@functools.cache
def noun_form(noun: Nominal, case: str, number: str, possessor: str) -> InflectedForm:
    """One form of a noun; `possessor` is a UniMorph code or "none"."""
    possessed = None if possessor == "none" else possessor
    bundle = ";".join(filter(None, ("N", case, number, possessed)))
    suffixes = rules("noun")["case_after_third_person" if possessor in _THIRD_PERSON else "case"]
    form = joined(_possessed_stem(noun, number, possessor), suffixes[case]).form
    return InflectedForm(form, noun.lemma, bundle, nominal_feats(case, number, possessed))


def name_form(name: Nominal, case: str) -> InflectedForm:
    """One form of a name, with the apostrophe before the suffix: Ayşe'yi."""
    form = joined(name.stem, rules("noun")["case"][case], mark="'").form
    return InflectedForm(form, name.lemma, f"PROPN;{case};SG", nominal_feats(case, "SG"))


def verb_forms(verb: Verb) -> Iterator[InflectedForm]:
    """All 70 forms of a verb: 60 finite ones, and five others in both polarities."""
    for polarity in rules("verb")["polarity"]:
        for tense in rules("verb")["tense"]:
            for person in rules("verb")["endings"]["long"]:
                yield finite_form(verb, tense, person, polarity)
        for kind in rules("verb")["nonfinite"]:
            yield nonfinite_form(verb, kind, polarity)


@functools.cache
def finite_form(verb: Verb, tense: str, person: str, polarity: str) -> InflectedForm:
    """One finite form; `tense` as in `data/rules.yaml`, `person` like "3SG", `polarity` POS or NEG."""
    tense_rules = rules("verb")["tense"][tense]
    codes = ("V", "IND", person[0], person[1:], *tense_rules["codes"], polarity, "DECL")
    agreement = {"Person": person[0], "Number": NUMBER_FEATURE[person[1:]], "Polarity": _POLARITY_FEATURE[polarity]}
    features = feats(Mood="Ind", **agreement, **tense_rules["features"])
    form = joined_all(verb.stem, _finite_suffixes(verb, tense, person, polarity)).form
    return InflectedForm(form, verb.lemma, ";".join(codes), features)


@functools.cache
def nonfinite_form(verb: Verb, kind: str, polarity: str) -> InflectedForm:
    """One infinitive, participle or converb; `kind` as in `data/rules.yaml`."""
    kind_rules = rules("verb")["nonfinite"][kind]
    form = joined_all(verb.stem, (rules("verb")["polarity"][polarity], kind_rules["suffix"])).form
    features = feats(Polarity=_POLARITY_FEATURE[polarity], **kind_rules["features"])
    return InflectedForm(form, verb.lemma, ";".join((*kind_rules["codes"], polarity)), features)


def adjective_forms(adjective: Nominal) -> Iterator[InflectedForm]:
    """The bare adjective and its 11 forms with the copula; the bare one serves the third person singular present."""
    yield InflectedForm(adjective.lemma, adjective.lemma, "ADJ", "_")
    for tense in rules("adjective"):
        for person in rules("adjective")[tense]:
            yield copular_form(adjective, tense, person)


@functools.cache
def copular_form(adjective: Nominal, tense: str, person: str) -> InflectedForm:
    """An adjective with the copula (güzeldim); `tense` is present or past."""
    form = joined(adjective.stem, rules("adjective")[tense][person]).form
    codes = ("ADJ", "LGSPEC1", {"present": "PRS", "past": "PST"}[tense], person[0], person[1:], "POS", "DECL")
    tense_feature = {"present": "Pres", "past": "Past"}[tense]
    features = feats(Tense=tense_feature, Person=person[0], Number=NUMBER_FEATURE[person[1:]], Polarity="Pos")
    return InflectedForm(form, adjective.lemma, ";".join(codes), features)


@functools.cache
def _possessed_stem(noun: Nominal, number: str, possessor: str) -> Stem:
    noun_rules = rules("noun")
    suffix = noun_rules["possessor"][possessor]
    if number == "PL":
        suffix = noun_rules["possessor_after_plural"].get(possessor, suffix)
    return joined_all(noun.stem, (noun_rules["number"][number], suffix))


def _finite_suffixes(verb: Verb, tense: str, person: str, polarity: str) -> tuple[str, ...]:
    verb_rules = rules("verb")
    if tense == "aorist" and polarity == "NEG":
        return (verb_rules["negative_aorist"][person],)
    tense_rules = verb_rules["tense"][tense]
    suffix = verb.aorist if tense_rules["suffix"] == "lexical" else tense_rules["suffix"]
    return verb_rules["polarity"][polarity], suffix, verb_rules["endings"][tense_rules["endings"]][person]
