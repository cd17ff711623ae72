"""Sentences of the miniature Turkish with analyses, dependency trees, predicates and roles.

Covered: one clause, two clauses joined by a conjunction (both finite), clauses without a predicate; 3 to 12 words.
Not covered: questions, subordinate clauses, quotations. Frequencies and sizes: `data/sentences.yaml`.

A clause is a verb with its frame filled, adjuncts, agreement and word order; or an adjective with the copula as its
predicate, written as one word, without a proposition. The role of a word follows from its case and the verb (kitaba
baktı: A1; köye gitti: A2), not from its place in the clause: half of the clauses have free order, objects may be bare
and subjects left out.
"""

import random
from collections.abc import Callable, Mapping
from typing import NamedTuple

from polyprobe.generation.mini.data_files import settings_of
from polyprobe.generation.mini.lexicon import Complement, Sense, Verb, copular_form, finite_form
from polyprobe.generation.mini.phrases import (
    Node,
    TaggedSentence,
    Vocabulary,
    bare_noun,
    chance,
    finished,
    fitting_adverbs,
    n_words,
    noun_phrase,
    number_of,
    pronoun,
    random_person,
    vocabulary_without_some,
    weighted,
    whole_vocabulary,
)

_CANONICAL = ("AM-TMP", "nsubj", "AM-LOC", "A3", "A2", "A1", "AM-MNR")
_BARE = "bare"
_MANY_KINDS = ("person", "animal", "place", "thing", "food", "vehicle")
Splits = Mapping[str, tuple[TaggedSentence, ...]]


class Subject(NamedTuple):
    """What fills the place of the subject."""

    words: Node | None
    """None where a pronoun is left out."""
    person: str
    """In which the verb agrees ("3SG")."""


class Part(NamedTuple):
    """A phrase of a clause: what fills a place of a frame, or an adjunct."""

    role: str
    place: str
    """In the canonical order of words."""
    words: Node


class Predicate(NamedTuple):
    """What a clause says of its subject."""

    verb: Verb
    sense: Sense
    tense: str
    """Of `data/rules.yaml`."""


def verbal_clause(generator: random.Random, vocabulary: Vocabulary, relation: str) -> Node:
    """A clause with a proposition; the node is its verb."""
    verb = generator.choice(vocabulary.verbs)
    sense = generator.choice(verb.senses)
    tense = random_tense(generator)
    return filled_clause(
        generator,
        vocabulary,
        relation,
        Predicate(verb, sense, tense),
        lambda place: random_subject(generator, vocabulary, place),
        lambda place: random_complement(generator, vocabulary, place),
    )


def filled_clause(
    generator: random.Random,
    vocabulary: Vocabulary,
    relation: str,
    predicate: Predicate,
    subject_of: Callable[[Complement], Subject],
    part_of: Callable[[Complement], Part],
) -> Node:
    """A clause of a verb; the node is the verb.

    Args:
        subject_of, part_of: what fills the place of the subject, and any other.
    """
    verb, sense, tense = predicate
    parts: list[Part] = []
    person = "3SG"
    for complement in sense.frame:
        if complement.case == "NOM":
            subject, person = subject_of(complement)
            parts += [Part(complement.role, "nsubj", subject)] if subject else []
        elif not complement.is_optional or chance(generator, "optional_complement"):
            parts.append(part_of(complement))
    parts += _adjuncts(generator, vocabulary, tense)
    form = finite_form(verb, tense, person, "NEG" if chance(generator, "negative") else "POS")
    node = Node(form.form, verb.root, "VERB", form.bundle, relation, form.feats)
    node.sense, node.arguments = sense.name, [(part.role, part.words) for part in parts]
    node.before, node.after = _ordered(generator, parts)
    return node


def adjectival_clause(generator: random.Random, vocabulary: Vocabulary, relation: str) -> Node:
    """A clause without a proposition (ev çok güzeldi); the node is its adjective."""
    subject = random_subject(generator, vocabulary, Complement("A1", "NOM", _MANY_KINDS, False))
    tense = "past" if chance(generator, "copula_past") else "present"
    return copular_clause(generator, vocabulary, relation, subject, tense)


def copular_clause(
    generator: random.Random, vocabulary: Vocabulary, relation: str, subject: Subject, tense: str
) -> Node:
    """Such a clause about a subject, with its person, in a tense of the copula: present or past."""
    words, person = subject
    node = _adjective(generator, vocabulary, tense, person, relation)
    node.before = [words] if words else []
    if chance(generator, "intensifier"):
        node.before.append(_adverb(generator.choice(settings_of("sentences")["intensifiers"]), "advmod"))
    return node


def random_tense(generator: random.Random) -> str:
    """One of the tenses of `data/rules.yaml`."""
    return weighted(generator, settings_of("sentences")["tenses"])


def is_bare(node: Node) -> bool:
    """Whether a dependent of a verb is an object without case suffix, which is always next to the verb."""
    return node.relation == "obj" and "NOM" in node.bundle.split(";")


def random_subject(generator: random.Random, vocabulary: Vocabulary, complement: Complement) -> Subject:
    """What the lexicon allows as a subject."""
    if "person" in complement.kinds and chance(generator, "pronoun_subject"):
        person = random_person(generator)
        is_dropped = chance(generator, "dropped_pronoun")
        return Subject(None if is_dropped else pronoun(person, "NOM", "nsubj"), person)
    subject = noun_phrase(generator, vocabulary, complement.kinds, "NOM", "nsubj")
    return Subject(subject, agreement_with(generator, vocabulary, subject))


def agreement_with(generator: random.Random, vocabulary: Vocabulary, subject: Node) -> str:
    """The person in which a verb agrees with a noun: plural with persons alone, and not always."""
    is_human = any(subject.lemma == noun.lemma for noun in vocabulary.nouns["person"])
    agrees = number_of(subject) == "PL" and is_human and chance(generator, "plural_agreement")
    return "3PL" if agrees else "3SG"


def random_complement(generator: random.Random, vocabulary: Vocabulary, complement: Complement) -> Part:
    """What the lexicon allows in a place that is not the subject's."""
    things = [kind for kind in complement.kinds if kind != "person"]
    if complement.case == "ACC" and things and chance(generator, "bare_object"):
        return Part(complement.role, _BARE, bare_noun(generator, vocabulary, things, "obj"))
    relation = "obj" if complement.case == "ACC" else "obl"
    if "person" in complement.kinds and chance(generator, "pronoun_complement"):
        words = pronoun(random_person(generator), complement.case, relation)
    else:
        words = noun_phrase(generator, vocabulary, complement.kinds, complement.case, relation)
    return Part(complement.role, complement.role, words)


def _adjuncts(generator: random.Random, vocabulary: Vocabulary, tense: str) -> list[Part]:
    adjuncts = []
    for role, share in (("AM-TMP", "time"), ("AM-MNR", "manner")):
        if chance(generator, share):
            row = generator.choice(fitting_adverbs(role, tense))
            adjuncts.append(Part(role, role, _adverb(row["form"], row["relation"])))
    if chance(generator, "place"):
        place = noun_phrase(generator, vocabulary, ["place"], "LOC", "obl")
        adjuncts.append(Part("AM-LOC", "AM-LOC", place))
    return adjuncts


def _ordered(generator: random.Random, parts: list[Part]) -> tuple[list[Node], list[Node]]:
    """The words before and after the verb; a bare object is next to it."""
    bare = [part.words for part in parts if part.place == _BARE]
    free = [part for part in parts if part.place != _BARE]
    free.sort(key=lambda part: _CANONICAL.index(part.place))
    if chance(generator, "free_order"):
        generator.shuffle(free)
    words = [part.words for part in free]
    after = [words.pop(generator.randrange(len(words)))] if words and chance(generator, "after_verb") else []
    return words + bare, after


def _adjective(generator: random.Random, vocabulary: Vocabulary, tense: str, person: str, relation: str) -> Node:
    adjective = generator.choice(vocabulary.adjectives)
    if (tense, person) == ("present", "3SG"):
        return Node(adjective.lemma, adjective.lemma, "ADJ", "ADJ", relation)
    form = copular_form(adjective, tense, person)
    return Node(form.form, adjective.lemma, "ADJ", form.bundle, relation, form.feats)


def _adverb(form: str, relation: str) -> Node:
    return Node(form, form, "ADV", "ADV", relation)


def sentences_by_split(seed: int) -> Splits:
    """Generates train, dev and test, no sentence twice; train lacks some words that the others may have.

    Returns:
        For each split `n_sentences`, then `n_more_for_tokens` sentences.
    """
    generator = random.Random(f"sentences {seed}")
    train_vocabulary, seen, splits = vocabulary_without_some(generator), set(), {}
    for split, n_sentences in settings_of("sentences")["n_sentences"].items():
        vocabulary = train_vocabulary if split == "train" else whole_vocabulary()
        n_wanted = n_sentences + settings_of("sentences")["n_more_for_tokens"][split]
        splits[split] = _new_sentences(generator, vocabulary, n_wanted, seen)
    return splits


def text_sentences(splits: Splits, seed: int) -> tuple[TaggedSentence, ...]:
    """Returns the sentences of a plain text: those of train, then `n_more_for_text` new ones that no split has."""
    seen = {sentence.text for sentences in splits.values() for sentence in sentences}
    generator = random.Random(f"text {seed}")
    more = _new_sentences(generator, whole_vocabulary(), settings_of("sentences")["n_more_for_text"], seen)
    return (*splits["train"], *more)


def sentences_of_trees(seed: int, n_sentences: int) -> tuple[TaggedSentence, ...]:
    """Returns further sentences, which probing sets from constituency trees are made from; none of them is twice."""
    return _new_sentences(random.Random(f"trees {seed}"), whole_vocabulary(), n_sentences, set())


def random_sentence(generator: random.Random, vocabulary: Vocabulary) -> TaggedSentence:
    """Generates a sentence of allowed length."""
    limits = settings_of("sentences")["words"]
    while True:
        root = _tree(generator, vocabulary)
        if limits["least"] <= n_words(root) <= limits["most"]:
            return finished(root)


def _new_sentences(
    generator: random.Random, vocabulary: Vocabulary, n_wanted: int, seen: set[str]
) -> tuple[TaggedSentence, ...]:
    """Generates sentences whose text is not in `seen`, and adds them to it."""
    sentences: list[TaggedSentence] = []
    while len(sentences) < n_wanted:
        sentence = random_sentence(generator, vocabulary)
        if sentence.text not in seen:
            seen.add(sentence.text)
            sentences.append(sentence)
    return tuple(sentences)


def _tree(generator: random.Random, vocabulary: Vocabulary) -> Node:
    kind = weighted(generator, settings_of("sentences")["sentence_weights"])
    if kind == "no_predicate":
        root = adjectival_clause(generator, vocabulary, "root")
    else:
        root = verbal_clause(generator, vocabulary, "root")
    if kind == "two_clauses":
        word = random_connective(generator)
        root.after.append(joined_by(word, verbal_clause(generator, vocabulary, "conj")))
    root.after.append(punctuation("."))
    return root


def joined_by(word: str, clause: Node) -> Node:
    """Puts a connective before a clause, with a comma where it takes one."""
    comma = [] if word == settings_of("sentences")["connectives"][0] else [punctuation(",")]
    clause.before[:0] = [*comma, Node(word, word, "CCONJ", "CONJ", "cc")]
    return clause


def random_connective(generator: random.Random) -> str:
    """One of the words that join clauses."""
    return generator.choice(settings_of("sentences")["connectives"])


def punctuation(form: str) -> Node:
    """A full stop or a comma."""
    return Node(form, form, "PUNCT", "", "punct")
