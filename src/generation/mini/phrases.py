"""Noun phrases of the miniature Turkish: nouns, names and pronouns in a case, with their modifiers.

Covered: plural, possessors (as suffix, pronoun, genitive), one adjective, determiner or numeral. Not covered: relative
clauses, coordination of phrases, apposition, postpositions.

They stand in growing sentences: trees of words that are put into order, numbered and given their roles at the end.
Trees are projective; a word's dependents come before or after it in the given order.
"""

import functools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from polyprobe.formats.roles.propositions import Argument, Proposition
from polyprobe.generation.mini.data_files import settings_of, table
from polyprobe.generation.mini.lexicon import (
    Nominal,
    Verb,
    adjectives,
    name_form,
    names,
    nominal_feats,
    noun_form,
    nouns,
    verbs,
)

_PERSONS = ("1SG", "2SG", "3SG", "1PL", "2PL", "3PL")
_PRONOUNS = {row["person"] + row["number"]: row for row in table("pronouns")}


@dataclass(slots=True, eq=False)
class Node:
    """A word while its sentence grows."""

    form: str
    lemma: str
    upos: str
    bundle: str
    """UniMorph codes joined by `;`, "" at punctuation."""
    relation: str
    """To its head (UD)."""
    feats: str = "_"
    before: list["Node"] = field(default_factory=list)
    after: list["Node"] = field(default_factory=list)
    """`before` and `after`: its dependents, in their order."""
    sense: str | None = None
    """Of a predicate, else None."""
    arguments: list[tuple[str, "Node"]] = field(default_factory=list)
    """(role, word) pairs of a predicate."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a finished sentence; `head` is 1-based, 0 is the root; `end` closes the span of its subtree."""

    form: str
    lemma: str
    upos: str
    bundle: str
    feats: str
    head: int
    relation: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """A finished sentence: words with analyses and heads, and its propositions in the order of their predicates."""

    words: tuple[Word, ...]
    propositions: tuple[Proposition, ...]

    @property
    def forms(self) -> tuple[str, ...]:
        """The words as written."""
        return tuple(word.form for word in self.words)

    @property
    def text(self) -> str:
        """The sentence as running text: no blank before full stop and comma."""
        return " ".join(self.forms).replace(" .", ".").replace(" ,", ",")


def finished(root: Node) -> TaggedSentence:
    """Orders and numbers a tree; the first word gets its capital."""
    nodes = list(_in_order(root))
    place = {id(node): n for n, node in enumerate(nodes)}
    heads = {id(child): place[id(node)] + 1 for node in nodes for child in (*node.before, *node.after)}
    words, propositions = [], []
    for node in nodes:
        below = [place[id(one)] for one in _in_order(node)]
        head, span = heads.get(id(node), 0), (min(below), max(below) + 1)
        words.append(Word(node.form, node.lemma, node.upos, node.bundle, node.feats, head, node.relation, *span))
        if node.sense:
            arguments = sorted((place[id(word)], role) for role, word in node.arguments)
            propositions.append(Proposition(place[id(node)], node.sense, tuple(Argument(*one) for one in arguments)))
    words[0] = replace(words[0], form=capitalised(words[0].form))
    return TaggedSentence(tuple(words), tuple(propositions))


def n_words(root: Node) -> int:
    """Counts the words of a tree."""
    return 1 + sum(n_words(child) for child in (*root.before, *root.after))


def capitalised(form: str) -> str:
    """Writes the first letter as a capital, by the rules of Turkish: i becomes İ."""
    return ("İ" if form[0] == "i" else form[0].upper()) + form[1:]


def _in_order(node: Node) -> Iterator[Node]:
    for child in node.before:
        yield from _in_order(child)
    yield node
    for child in node.after:
        yield from _in_order(child)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that sentences may use; nouns and names by their kind."""

    nouns: Mapping[str, Sequence[Nominal]]
    names: Mapping[str, Sequence[Nominal]]
    adjectives: Sequence[Nominal]
    verbs: Sequence[Verb]


@functools.cache
def whole_vocabulary() -> Vocabulary:
    """All words of the lexicon."""
    return Vocabulary(_by_kind(nouns()), _by_kind(names()), adjectives(), verbs())


def vocabulary_without_some(generator: random.Random) -> Vocabulary:
    """The lexicon without a random share of each part (`held_out` in `data/sentences.yaml`)."""
    shares = settings_of("sentences")["held_out"]

    def kept(words: Sequence, part: str) -> list:
        n_held_out = round(len(words) * shares[part])
        held_out = {words[index].lemma for index in generator.sample(range(len(words)), n_held_out)}
        return [word for word in words if word.lemma not in held_out]

    return Vocabulary(
        _by_kind(kept(nouns(), "nouns")),
        _by_kind(kept(names(), "names")),
        kept(adjectives(), "adjectives"),
        kept(verbs(), "verbs"),
    )


def chance(generator: random.Random, share: str, of: str = "sentences") -> bool:
    """True as often as `shares` in a file of `data/` says."""
    return generator.random() < settings_of(of)["shares"][share]


def weighted(generator: random.Random, weights: Mapping[str, float]) -> str:
    """One of some names, by their weights."""
    return generator.choices(list(weights), list(weights.values()))[0]


@functools.cache
def fitting_adverbs(role: str, tense: str) -> list[Mapping[str, str]]:
    """The rows of the adverbs that can have a role beside a verb in a tense."""
    return [row for row in table("adverbs") if row["role"] == role and tense in row["tenses"].split(" ")]


def noun_phrase(
    generator: random.Random, vocabulary: Vocabulary, kinds: Sequence[str], case: str, relation: str
) -> Node:
    """A name or a noun of one of the kinds, in a case (UniMorph code), with its modifiers."""
    kind = generator.choice(kinds)
    if kind in vocabulary.names and chance(generator, "name"):
        return name_alone(generator.choice(vocabulary.names[kind]), case, relation)
    return phrase_of(generator, vocabulary, generator.choice(vocabulary.nouns[kind]), case, relation)


def bare_noun(generator: random.Random, vocabulary: Vocabulary, kinds: Sequence[str], relation: str) -> Node:
    """A singular noun without case suffix, possessor and determiner, perhaps with an adjective."""
    noun = generator.choice(vocabulary.nouns[generator.choice(kinds)])
    node = noun_alone(noun, "NOM", "SG", "none", relation)
    node.before = _adjectives(generator, vocabulary)
    return node


def pronoun(person: str, case: str, relation: str) -> Node:
    """A personal pronoun; `person` like "3SG"."""
    row = _PRONOUNS[person]
    feats = nominal_feats(case, row["number"], Person=row["person"], PronType="Prs")
    bundle = f"PRO;{case};{row['person']};{row['number']}"
    return Node(row[case], row["NOM"], "PRON", bundle, relation, feats)


def random_person(generator: random.Random) -> str:
    """One of the six persons."""
    return generator.choice(_PERSONS)


def number_of(node: Node) -> str:
    """SG or PL, from the bundle of a noun, name or pronoun."""
    return "PL" if "PL" in node.bundle.split(";") else "SG"


def phrase_of(generator: random.Random, vocabulary: Vocabulary, noun: Nominal, case: str, relation: str) -> Node:
    """A noun in a case, with a number and modifiers."""
    number = "PL" if chance(generator, "plural") else "SG"
    if chance(generator, "genitive_possessor"):
        node = noun_alone(noun, case, number, "PSS3S", relation)
        owner = noun_phrase_without_possessor(generator, vocabulary, "person", "GEN", "nmod:poss")
        node.before = [owner, *_adjectives(generator, vocabulary)]
    elif chance(generator, "possessed"):
        person = random_person(generator)
        node = noun_alone(noun, case, number, f"PSS{person[:2]}", relation)
        owners = [pronoun(person, "GEN", "nmod:poss")] if chance(generator, "overt_pronoun_possessor") else []
        node.before = [*owners, *_adjectives(generator, vocabulary)]
    else:
        counted, number = _determiners(generator, number)
        node = noun_alone(noun, case, number, "none", relation)
        before = [*counted, *_adjectives(generator, vocabulary)]
        node.before = before[::-1] if counted and counted[0].form == "bir" else before  # güzel bir ev
    return node


def noun_phrase_without_possessor(
    generator: random.Random, vocabulary: Vocabulary, kind: str, case: str, relation: str
) -> Node:
    """A name or a noun alone."""
    if kind in vocabulary.names and chance(generator, "name"):
        return name_alone(generator.choice(vocabulary.names[kind]), case, relation)
    number = "PL" if chance(generator, "plural") else "SG"
    return noun_alone(generator.choice(vocabulary.nouns[kind]), case, number, "none", relation)


def _determiners(generator: random.Random, number: str) -> tuple[list[Node], str]:
    """At most one determiner or numeral, and the number of the noun after it (singular after numerals, bir, her)."""
    settings = settings_of("sentences")
    if chance(generator, "numeral"):
        word = generator.choice(settings["numerals"])
        return [Node(word, word, "NUM", "NUM", "nummod", "NumType=Card")], "SG"
    if not chance(generator, "determiner"):
        return [], number
    choices = settings["determiners"]
    word = generator.choice([*choices["any"], *(choices["singular"] if number == "SG" else [])])
    return [Node(word, word, "DET", "DET", "det")], number


def _adjectives(generator: random.Random, vocabulary: Vocabulary) -> list[Node]:
    if not chance(generator, "adjective"):
        return []
    word = generator.choice(vocabulary.adjectives).lemma
    return [Node(word, word, "ADJ", "ADJ", "amod")]


def noun_alone(noun: Nominal, case: str, number: str, possessor: str, relation: str) -> Node:
    """A noun without modifiers; case, number and possessor are those of `noun_form`."""
    form = noun_form(noun, case, number, possessor)
    return Node(form.form, noun.lemma, "NOUN", form.bundle, relation, form.feats)


def name_alone(name: Nominal, case: str, relation: str) -> Node:
    """A name in a case."""
    form = name_form(name, case)
    return Node(form.form, name.lemma, "PROPN", form.bundle, relation, form.feats)


def _by_kind(words: Sequence[Nominal]) -> dict[str, list[Nominal]]:
    kinds = dict.fromkeys(word.kind for word in words)
    return {kind: [word for word in words if word.kind == kind] for kind in kinds}
