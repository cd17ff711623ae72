"""The paradigms of the miniature Turkish: every form of a word with its UniMorph bundle and UD features.

Covered: nouns (2 numbers x 6 cases x 6 possessors or none), verbs (5 tenses x 6 persons x 2 polarities, an infinitive,
a participle and three converbs), adjectives with the copula (present, past), names (6 cases).
Not covered: questions, conditional, necessity, ability, imperative, voices, compound tenses, the copula on nouns.

The UD features of the miniature Turkish, beside its UniMorph bundles (`N;LOC;PL;PSS1S`).

The codes and the order within a bundle are those of UniMorph's Turkish (`V;IND;3;SG;PST;NEG;DECL`). Three converbs are
distinguished by the language-specific codes LGSPEC1 to LGSPEC3.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from src.generation.mini.data_files import rules
from src.generation.mini.lexicon import Nominal, Stem, Verb, adjectives, joined, joined_all, nouns, verbs

_CASE_FEATURE = {"NOM": "Nom", "ACC": "Acc", "DAT": "Dat", "LOC": "Loc", "ABL": "Abl", "GEN": "Gen"}
NUMBER_FEATURE = {"SG": "Sing", "PL": "Plur"}
_THIRD_PERSON = ("PSS3S", "PSS3P")
_POLARITY_FEATURE = {"POS": "Pos", "NEG": "Neg"}


def feats(**features: str) -> str:
    """Writes UD features, sorted as UD requires (case-insensitively); `psor_Number` means `Number[psor]`."""
    named = {_feature_name(name): value for name, value in features.items()}
    return "|".join(f"{name}={named[name]}" for name in sorted(named, key=str.lower)) or "_"


@functools.cache
def nominal_feats(case: str, number: str, possessor: str | None = None, **more: str) -> str:
    """Writes the UD features of a noun, name or pronoun from UniMorph codes (`possessor`: `PSS1S` or None)."""
    features = {"Case": _CASE_FEATURE[case], "Number": NUMBER_FEATURE[number], "Person": "3"} | more
    if possessor:
        features |= {"psor_Person": possessor[3], "psor_Number": {"S": "Sing", "P": "Plur"}[possessor[4]]}
    return feats(**features)


def _feature_name(name: str) -> str:
    return f"{name.removeprefix('psor_')}[psor]" if name.startswith("psor_") else name


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
    form = joined(_possessed_stem(noun, number, possessor), _case_suffix(case, possessor)).form
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


def _case_suffix(case: str, possessor: str) -> str:
    return rules("noun")["case_after_third_person" if possessor in _THIRD_PERSON else "case"][case]


def _finite_suffixes(verb: Verb, tense: str, person: str, polarity: str) -> tuple[str, ...]:
    verb_rules = rules("verb")
    if tense == "aorist" and polarity == "NEG":
        return (verb_rules["negative_aorist"][person],)
    tense_rules = verb_rules["tense"][tense]
    suffix = verb.aorist if tense_rules["suffix"] == "lexical" else tense_rules["suffix"]
    return verb_rules["polarity"][polarity], suffix, verb_rules["endings"][tense_rules["endings"]][person]
