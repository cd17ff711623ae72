"""The text of the miniature Turkish from which a language model can learn the agreement that minimal sets test.

Every clause has its subject: a pronoun or a noun with which the verb or the copula agrees in person and number, a noun
with its possessor, or a noun after a numeral. Times, places, objects and manners come around it in varying order.
Frequencies and words: `data/agreement.yaml`; forms are those of the paradigms.

The text has no sentence of a set, neither grammatical nor not; one of three words or more is not a part of a longer
sentence either, so that the sets test agreement, not memory. As in the sets, sentences begin in lower case: a
word is the same word at the beginning and inside. Unlike in `corpora/mini.txt`, no pronoun is left out, nothing
is negated, and the vocabulary is small.
"""

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from polyprobe.formats.grammars.avg import grammar_files, read
from polyprobe.generation.grammars.sentences import minimal_sets, patterns
from polyprobe.generation.mini.data_files import FOLDER, settings_of
from polyprobe.generation.mini.lexicon import (
    Nominal,
    Verb,
    adjectives,
    copular_form,
    finite_form,
    noun_form,
    nouns,
    verbs,
)
from polyprobe.generation.mini.phrases import chance, fitting_adverbs, pronoun, random_person, weighted

Words = tuple[str, ...]
_LONGEST_WHOLE = 2  # words of a sentence of a set that is left out only where it is the whole sentence


class Subject(NamedTuple):
    """A subject of a clause."""

    words: Words
    person: str
    """In which the verb agrees with it ("3SG")."""


_chance = functools.partial(chance, of="agreement")


def agreement_sentences(seed: int) -> tuple[Words, ...]:
    """Generates `n_sentences` distinct sentences, each with a full stop as its last word."""
    generator, of_sets = random.Random(f"agreement {seed}"), sentences_of_sets()
    sentences: dict[Words, None] = {}
    while len(sentences) < settings_of("agreement")["n_sentences"]:
        words = _sentence(generator)
        if not repeats(words, of_sets):
            sentences[(*words, ".")] = None
    return tuple(sentences)


@functools.cache
def sentences_of_sets() -> frozenset[Words]:
    """Returns every sentence of the sets of all grammars, the ungrammatical ones, too."""
    templates = (pattern for path in grammar_files(FOLDER / "grammars") for pattern in patterns(read(path)))
    variants = (variant for one in minimal_sets(templates) for variant in (one.grammatical, *one.ungrammatical))
    return frozenset(tuple(variant.sentence.split(" ")) for variant in variants)


def repeats(words: Words, of_sets: frozenset[Words]) -> bool:
    """Says whether a sentence without its full stop is one of the sets, or has a longer one of them in it."""
    n_words = len(words)
    parts = (words[start:end] for start in range(n_words) for end in range(start + _LONGEST_WHOLE + 1, n_words + 1))
    return words in of_sets or any(part in of_sets for part in parts)


def _sentence(generator: random.Random) -> Words:
    if not _chance(generator, "two_clauses"):
        return _clause(generator)
    connectives = settings_of("sentences")["connectives"]
    word = generator.choice(connectives)
    comma = () if word == connectives[0] else (",",)
    return (*_clause(generator), *comma, word, *_clause(generator))


def _clause(generator: random.Random) -> Words:
    return _CLAUSES[weighted(generator, settings_of("agreement")["clauses"])](generator)


def _transitive(generator: random.Random) -> Words:
    verb = _verb(generator, "transitive")
    case = next(place.case for place in verb.senses[0].frame if place.case != "NOM")
    return _verbal(generator, _person(generator), verb, _noun_phrase(generator, "animal", case))


def _possessed(generator: random.Random) -> Words:
    person = random_person(generator)
    thing = noun_form(_noun(generator, "thing"), "NOM", "SG", f"PSS{person[:2]}").form
    words = (pronoun(person, "GEN", "nmod:poss").form, *_adjective(generator), thing)
    return _verbal(generator, Subject(words, "3SG"), _verb(generator, "change"), ())


def _counted(generator: random.Random) -> Words:
    """A clause about animals, after a numeral or without one; their plural has the verb in the singular."""
    if _chance(generator, "numeral"):
        numeral = generator.choice(settings_of("sentences")["numerals"])
        animal = noun_form(_noun(generator, "animal"), "NOM", "SG", "none").form
        words = (numeral, *_adjective(generator), animal)
    else:
        words = _noun_phrase(generator, "animal", "NOM")
    return _verbal(generator, Subject(words, "3SG"), _verb(generator, "intransitive"), ())


def _adjectival(generator: random.Random) -> Words:
    """A clause whose predicate is an adjective with the copula, which is not written in the third person singular."""
    subject, word = _person(generator), _word(generator, "adjective")
    adjective = next(one for one in adjectives() if one.lemma == word)
    form = word if subject.person == "3SG" else copular_form(adjective, "present", subject.person).form
    intensifier = generator.choice(settings_of("sentences")["intensifiers"])
    degree = (intensifier,) if _chance(generator, "intensifier") else ()
    return (*_ordered(generator, [subject.words, *_adjuncts(generator, "progressive")]), *degree, form)


def _verbal(generator: random.Random, subject: Subject, verb: Verb, complement: Words) -> Words:
    tense = weighted(generator, settings_of("agreement")["tenses"])
    manner = _adverb(generator, "AM-MNR", tense) if _chance(generator, "manner") else ()
    parts = [subject.words, *_adjuncts(generator, tense), complement, manner]
    return (*_ordered(generator, parts), finite_form(verb, tense, subject.person, "POS").form)


def _adjuncts(generator: random.Random, tense: str) -> list[Words]:
    """A time that goes with the tense, and a place; each may be empty."""
    time = _adverb(generator, "AM-TMP", tense) if _chance(generator, "time") else ()
    place = _noun_phrase(generator, "place", "LOC") if _chance(generator, "place") else ()
    return [time, place]


def _ordered(generator: random.Random, parts: Sequence[Words]) -> Words:
    order = list(parts)
    if _chance(generator, "free_order"):
        generator.shuffle(order)
    return tuple(word for part in order for word in part)


def _person(generator: random.Random) -> Subject:
    """A pronoun or a noun; after plural nouns the verb is plural or not."""
    if _chance(generator, "pronoun"):
        person = random_person(generator)
        return Subject((pronoun(person, "NOM", "nsubj").form,), person)
    number = "PL" if generator.random() < settings_of("agreement")["plural_noun"] else "SG"
    agrees = number == "PL" and generator.random() < settings_of("sentences")["shares"]["plural_agreement"]
    noun = noun_form(_noun(generator, "person"), "NOM", number, "none").form
    return Subject((*_adjective(generator), noun), "3PL" if agrees else "3SG")


def _noun_phrase(generator: random.Random, kind: str, case: str) -> Words:
    number = "PL" if _chance(generator, "plural") else "SG"
    return (*_adjective(generator), noun_form(_noun(generator, kind), case, number, "none").form)


def _adjective(generator: random.Random) -> Words:
    return (_word(generator, "adjective"),) if _chance(generator, "adjective") else ()


def _adverb(generator: random.Random, role: str, tense: str) -> Words:
    return (generator.choice([row["form"] for row in fitting_adverbs(role, tense)]),)


def _noun(generator: random.Random, kind: str) -> Nominal:
    word = _word(generator, kind)
    return next(noun for noun in nouns() if noun.lemma == word)


def _verb(generator: random.Random, kind: str) -> Verb:
    word = _word(generator, kind)
    return next(verb for verb in verbs() if verb.root == word)


def _word(generator: random.Random, kind: str) -> str:
    return generator.choice(settings_of("agreement")["words"][kind])


_CLAUSES: Mapping[str, Callable[[random.Random], Words]] = {
    "intransitive": lambda generator: _verbal(generator, _person(generator), _verb(generator, "intransitive"), ()),
    "transitive": _transitive,
    "possessed": _possessed,
    "adjectival": _adjectival,
    "counted": _counted,
}
