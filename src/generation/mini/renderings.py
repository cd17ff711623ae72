"""Sentences of the miniature Turkish in other forms: translated into Ana, and as constituency trees.

Ana is a language without cases into which they are translated by rule.

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

Constituency trees are read off the dependency trees by the rules of the phrases.

    Dün Ali bu kitabı     (ROOT (S (ADVP-TMP (RB Dün)) (NP-SBJ (NNP Ali))
    dikkatle okudu .        (VP (NP-OBJ (DT bu) (NN kitabı)) (ADVP-MNR (RB dikkatle)) (VBD okudu)) (. .)))

Labels are those of the Penn Treebank, with function tags:

- What stands before the subject and behind the verb is a part of S; the rest is VP. Without a subject before the verb
  all of what stands before the verb is in VP. An adverb or a place that VP begins with is beside a smaller VP.
- Where the predicate is an adjective, ADJP stands for VP.
- Two clauses are (S (S …) (, ,) (CC ama) (S …) (. .)).
- A possessor is NP in NP. Nouns are NN or NNS by their own suffix (iki kedi: NN), names NNP, possessors that are
  pronouns PRP$. A verb is VBD in the tenses of the past, VBZ or VBP in those of the present by its person, VBF in the
  future, which the Penn Treebank has no tag for.
"""

from collections.abc import Sequence

from polyprobe.formats.treebanks.constituency_trees import Constituent
from polyprobe.generation.mini.data_files import settings_of
from polyprobe.generation.mini.phrases import TaggedSentence, Word

LANGUAGE = "ana"
Words = tuple[str, ...]
_FIRST = ("nsubj", "AM-TMP")  # what may stand first in a sentence without being put there
_PREDICATE = "predicate"
_ORDER = ("AM-TMP", "nsubj", _PREDICATE, "A1", "A2", "A3", "AM-LOC", "AM-MNR")
_PHRASES = {  # by role
    "A1": "NP-OBJ",
    "A2": "NP-DIR",
    "A3": "NP-DIR",
    "AM-LOC": "NP-LOC",
    "AM-TMP": "ADVP-TMP",
    "AM-MNR": "ADVP-MNR",
    "nsubj": "NP-SBJ",
    "advmod": "ADVP",
}
_ADJUNCTS = ("AM-LOC", "AM-TMP", "AM-MNR")
_TAGS = {"PROPN": "NNP", "PRON": "PRP", "ADJ": "JJ", "ADV": "RB", "DET": "DT", "NUM": "CD", "CCONJ": "CC"}


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
    return [index for index in _children(words, head) if words[index].relation in relations]


def constituency_tree(sentence: TaggedSentence) -> Constituent:
    """Returns the tree of a sentence; its words in order are those of the sentence."""
    words = sentence.words
    root = next(index for index, word in enumerate(words) if word.head == 0)
    end = Constituent(".", (words[-1].form,))
    others = [index for index, word in enumerate(words) if word.relation == "conj"]
    if not others:
        return Constituent("ROOT", (Constituent("S", (*_parts_of_clause(sentence, root), end)),))
    (other,) = others
    marks = [Constituent(",", (words[index].form,)) for index in _children(words, other) if words[index].form == ","]
    (connective,) = [index for index in _children(words, other) if words[index].upos == "CCONJ"]
    clauses = [Constituent("S", _parts_of_clause(sentence, verb)) for verb in (root, other)]
    return Constituent("ROOT", (Constituent("S", (clauses[0], *marks, _leaf(words, connective), clauses[1], end)),))


def _parts_of_clause(sentence: TaggedSentence, head: int) -> tuple[Constituent, ...]:
    """The parts of S: what stands before the subject, the subject, VP or ADJP, and what stands behind."""
    words, roles = sentence.words, _roles_in_tree(sentence, head)
    before, after = ([index for index in sorted(roles) if (index < head) == is_before] for is_before in (True, False))
    subject = next((place for place, index in enumerate(before) if roles[index] == "nsubj"), None)
    n_outside = 0 if subject is None else subject + 1
    phrases = {index: _phrase(words, index, _PHRASES[role]) for index, role in roles.items()}
    predicate = (*((roles[index], phrases[index]) for index in before[n_outside:]), (None, _leaf(words, head)))
    return (
        *(phrases[index] for index in before[:n_outside]),
        _predicate_phrase("VP" if words[head].upos == "VERB" else "ADJP", predicate),
        *(phrases[index] for index in after),
    )


def _predicate_phrase(label: str, parts: Sequence[tuple[str | None, Constituent]]) -> Constituent:
    """Puts what follows an adjunct into a smaller phrase: (VP (NP-LOC …) (VP (NP-OBJ …) (VBD …)))."""
    (role, first), *rest = parts
    if role in _ADJUNCTS:
        return Constituent(label, (first, _predicate_phrase(label, rest)))
    return Constituent(label, tuple(part for _, part in parts))


def _roles_in_tree(sentence: TaggedSentence, head: int) -> dict[int, str]:
    """The role of each phrase of a clause, by the place of its head; of subjects and intensifiers the relation."""
    return {**dict.fromkeys(_dependents(sentence.words, head, ("advmod",)), "advmod"), **_roles(sentence, head)}


def _phrase(words: Sequence[Word], head: int, label: str) -> Constituent:
    """A phrase and what stands in it; a possessor is a phrase of its own."""
    inside = sorted([head, *_children(words, head)])
    owners = set(_dependents(words, head, ("nmod:poss",)))
    return Constituent(label, tuple(_phrase(words, n, "NP") if n in owners else _leaf(words, n) for n in inside))


def _leaf(words: Sequence[Word], index: int) -> Constituent:
    return Constituent(_tag(words[index]), (words[index].form,))


def _tag(word: Word) -> str:
    codes = word.bundle.split(";")
    if word.upos == "NOUN":
        return "NNS" if "PL" in codes else "NN"
    if word.upos == "PRON":
        return "PRP$" if "GEN" in codes else "PRP"
    if word.upos == "VERB":
        present = "VBZ" if codes[2:4] == ["3", "SG"] else "VBP"
        return "VBD" if "PST" in codes else "VBF" if "FUT" in codes else present
    return _TAGS[word.upos]


def _children(words: Sequence[Word], head: int) -> list[int]:
    return [index for index, word in enumerate(words) if word.head == head + 1]
