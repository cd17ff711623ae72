"""Ana, a language without cases into which sentences of the miniature Turkish are translated by rule.

    Kitabı   öğretmene   vermediler.       Patiko ga lin  nen pa  revas    ad nemtergheoo.
    book.ACC teacher.DAT give.NEG.PST.3PL  book   ga they not PST give.PL to teacher

Mini says with suffixes, in free order, what Ana says with words in a fixed order:

    time, subject, not, tense, verb, object, `ad` goal, `ab` source, `en` place, manner
    determiner or numeral, noun, adjective, `de` possessor

- Subjects that Mini leaves to the verb are pronouns here; case and person are only in the order and in particles.
- Which phrase is the object, the goal, the source follows from the verb, as in Mini: kitaba baktı has no `ad`.
- Morphology: a plural ends in -s, also after numerals (Mini: singular), and so do the adjectives of its noun and
  the verb or adjective of its sentence (Mini: not always).
- Order has a meaning in Mini, too: what stands first is what the sentence is about, and what stands behind the verb is
  an afterthought. A phrase that Mini puts first, unless it is the subject or the time, is put first here, before `ga`;
  one that Mini puts behind the verb is put last, after `yo`.
- A word is the lemma read backwards, with an ending that tells its part of speech: kitap, patiko. Names stay.

The words and particles: `data/ana.yaml`.
"""

from collections.abc import Sequence

from src.generation.mini.data_files import settings_of
from src.generation.mini.phrases import TaggedSentence, Word

LANGUAGE = "ana"
Words = tuple[str, ...]
_FIRST = ("nsubj", "AM-TMP")  # what may stand first in a sentence without being put there
_PREDICATE = "predicate"
_ORDER = ("AM-TMP", "nsubj", _PREDICATE, "A1", "A2", "A3", "AM-LOC", "AM-MNR")


def translated(sentence: TaggedSentence) -> Words:
    """Translates a sentence; words and marks are apart, as in Mini."""
    words = sentence.words
    root = next(index for index, word in enumerate(words) if word.head == 0)
    translation = _clause(sentence, root)
    for other in _dependents(words, root, ("conj",)):
        marks = [words[index].lemma for index in _dependents(words, other, ("punct",))]
        (connective,) = _dependents(words, other, ("cc",))
        translation += (*marks, ana_word(words[connective]), *_clause(sentence, other))
    first = translation[0]
    return (first[0].upper() + first[1:], *translation[1:], words[-1].lemma)


def ana_word(word: Word) -> str:
    """Translates a word by its lemma and its part of speech, without regard to its features."""
    if word.upos == "PROPN":
        return word.lemma
    rules = settings_of("ana")
    if word.upos == "PRON":
        return rules["pronouns"]["".join(word.bundle.split(";")[2:])]
    letters = "".join(rules["letters"].get(letter, letter) for letter in reversed(word.lemma))
    return letters + rules["endings"].get(word.upos, rules["endings"]["other"])


def _clause(sentence: TaggedSentence, verb: int) -> Words:
    words, roles = sentence.words, _roles(sentence, verb)
    subject = next((index for index, role in roles.items() if role == "nsubj"), None)
    moved = sorted(roles)
    first = [index for index in moved[:1] if index < verb and roles[index] not in _FIRST]
    last = [index for index in moved[-1:] if index > verb and roles[index] != "nsubj"]
    phrases = {role: _with_preposition(words, index, role) for index, role in roles.items()}
    phrases["nsubj"] = _noun_phrase(words, subject) if subject is not None else (_pronoun(words[verb]),)
    phrases[_PREDICATE] = _predicate(words, verb, _is_plural_subject(words, subject, verb))
    topic, afterthought = ([phrases.pop(roles[index]) for index in indices] for indices in (first, last))
    return (
        *(word for phrase in topic for word in (*phrase, settings_of("ana")["topic"])),
        *(word for role in _ORDER for word in phrases.get(role, ())),
        *(word for phrase in afterthought for word in (settings_of("ana")["afterthought"], *phrase)),
    )


def _roles(sentence: TaggedSentence, verb: int) -> dict[int, str]:
    """The role of each phrase of a clause, by the place of its head; that of the subject is nsubj."""
    arguments = {
        argument.word: argument.role
        for one in sentence.propositions
        if one.predicate == verb
        for argument in one.arguments
    }
    subjects = dict.fromkeys(_dependents(sentence.words, verb, ("nsubj",)), "nsubj")
    return {**arguments, **subjects}


def _predicate(words: Sequence[Word], head: int, is_plural: bool) -> Words:
    """Negation, tense, and a verb, or the copula with an adjective and what intensifies it."""
    rules, codes = settings_of("ana"), words[head].bundle.split(";")
    negation = [rules["negation"]] if "NEG" in codes else []
    tense = next(one["words"] for one in rules["tenses"] if set(one["codes"]) <= set(codes))
    word = ana_word(words[head]) + (rules["plural"] if is_plural else "")
    if words[head].upos == "VERB":
        return (*negation, *tense, word)
    return (*negation, *tense, rules["copula"], *_each(words, _dependents(words, head, ("advmod",))), word)


def _with_preposition(words: Sequence[Word], head: int, role: str) -> Words:
    preposition = settings_of("ana")["prepositions"].get(role)
    return (*([preposition] if preposition else []), *_noun_phrase(words, head))


def _noun_phrase(words: Sequence[Word], head: int) -> Words:
    """A noun, name or pronoun with what belongs to it; adverbs are alone."""
    word, rules = words[head], settings_of("ana")
    counted = _dependents(words, head, ("nummod",))
    ending = rules["plural"] if word.upos == "NOUN" and (counted or _is_plural(word)) else ""
    determiners = _each(words, _dependents(words, head, ("det", "nummod")))
    adjectives = [adjective + ending for adjective in _each(words, _dependents(words, head, ("amod",)))]
    return (*determiners, ana_word(word) + ending, *adjectives, *_possessor(words, head))


def _possessor(words: Sequence[Word], head: int) -> Words:
    """The possessor after its preposition: its own words, or the pronoun that the suffix stands for."""
    preposition = settings_of("ana")["prepositions"]["possessor"]
    for owner in _dependents(words, head, ("nmod:poss",)):
        return (preposition, *_noun_phrase(words, owner))
    for code in words[head].bundle.split(";"):
        if code.startswith("PSS"):
            return preposition, settings_of("ana")["pronouns"][code[3] + {"S": "SG", "P": "PL"}[code[4]]]
    return ()


def _pronoun(verb: Word) -> str:
    """The pronoun of the person of a verb or of an adjective with the copula; a bare adjective is third person."""
    codes = verb.bundle.split(";")
    person = next((code for code in codes if code in ("1", "2", "3")), "3")
    return settings_of("ana")["pronouns"][person + ("PL" if "PL" in codes else "SG")]


def _is_plural_subject(words: Sequence[Word], subject: int | None, verb: int) -> bool:
    if subject is None:
        return _is_plural(words[verb])
    return _is_plural(words[subject]) or bool(_dependents(words, subject, ("nummod",)))


def _is_plural(word: Word) -> bool:
    return "PL" in word.bundle.split(";")


def _each(words: Sequence[Word], indices: Sequence[int]) -> Words:
    return tuple(ana_word(words[index]) for index in indices)


def _dependents(words: Sequence[Word], head: int, relations: Sequence[str]) -> list[int]:
    return [index for index, word in enumerate(words) if word.head == head + 1 and word.relation in relations]
