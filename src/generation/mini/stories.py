"""Stories in the miniature Turkish: texts in which every sentence depends on the one before.

    Öğretmen bir kitap aldı.        one tense, from the first sentence to the last
    Bu kitabı komşuya verdi.        the topic goes on: its verb alone, a pronoun, or its noun with bu (a name without)
    Komşu çok mutluydu.             or somebody whom the sentence before names becomes the topic
    …                               a thing that it names comes again with bu

A story about those who speak or are spoken to keeps its topic. Sentences have one clause, two clauses about the same
topic, or an adjective with the copula, which is in the past where the story is. No sentence stands in two places.
Frequencies and sizes: `data/stories.yaml`.
"""

import functools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyprobe.generation.mini.data_files import settings_of
from polyprobe.generation.mini.lexicon import Complement, Nominal, Sense, Verb, names, nouns
from polyprobe.generation.mini.phrases import (
    Node,
    TaggedSentence,
    finished,
    n_words,
    name_alone,
    noun_alone,
    number_of,
    phrase_of,
    pronoun,
    whole_vocabulary,
)
from polyprobe.generation.mini.sentences import (
    Part,
    Predicate,
    Subject,
    agreement_with,
    copular_clause,
    filled_clause,
    joined_by,
    punctuation,
    random_complement,
    random_connective,
    random_tense,
)

Story = tuple[TaggedSentence, ...]
_LIVING = ("person", "animal")
_PAST = ("past", "narrative")
_SPEAKING = ("1SG", "2SG", "1PL", "2PL")


@dataclass(frozen=True, slots=True)
class Topic:
    """Who a sentence is about."""

    word: Nominal | None
    """A noun or a name; None: those who speak or are spoken to."""
    person: str
    """In which verbs agree ("3PL")."""
    known: str
    """Whether "new", "named" (in the sentence before, which is about somebody else) or "topic" (of that sentence)."""

    @property
    def kind(self) -> str:
        """The kind of nouns that it belongs to."""
        return self.word.kind if self.word else "person"


@dataclass(slots=True)
class _Teller:
    """What a story keeps from sentence to sentence: its tense, and the nouns that the sentence before names."""

    generator: random.Random
    tense: str
    named: Sequence[Node] = ()

    def chance(self, share: str) -> bool:
        return self.generator.random() < settings_of("stories")["shares"][share]


def stories_by_split(seed: int) -> Mapping[str, tuple[Story, ...]]:
    """Generates the stories of train, dev and test, with words of the whole lexicon and no sentence twice."""
    seen: set[str] = set()
    return {
        split: tuple(_story(random.Random(f"story {split} {number} {seed}"), seen) for number in range(n_stories))
        for split, n_stories in settings_of("stories")["n_stories"].items()
    }


def _story(generator: random.Random, seen: set[str]) -> Story:
    """Tells a story whose sentences are not in `seen`, and adds them to it."""
    teller, limits = _Teller(generator, random_tense(generator)), settings_of("stories")["sentences"]
    topic, sentences = _first_topic(teller), []
    for _ in range(generator.randint(limits["least"], limits["most"])):
        root, subject = _new_sentence(teller, topic, seen)
        sentences.append(finished(root))
        seen.add(sentences[-1].text)
        teller.named = [node for node in _nouns_of(root) if node is not subject]
        topic = _next_topic(teller, topic)
    return tuple(sentences)


def _first_topic(teller: _Teller) -> Topic:
    generator, vocabulary = teller.generator, whole_vocabulary()
    if teller.chance("conversation"):
        return Topic(None, generator.choice(_SPEAKING), "topic")
    kind = generator.choice(_LIVING)
    if kind in vocabulary.names and teller.chance("name"):
        return Topic(generator.choice(vocabulary.names[kind]), "3SG", "new")
    return Topic(generator.choice(vocabulary.nouns[kind]), "3PL" if teller.chance("plural") else "3SG", "new")


def _next_topic(teller: _Teller, topic: Topic) -> Topic:
    """The topic before, or a person or animal that the sentence names."""
    others = [node for node in teller.named if _word_of(node).kind in _LIVING]
    if topic.word is None or not others or not teller.chance("new_topic"):
        return Topic(topic.word, topic.person, "topic")
    node = teller.generator.choice(others)
    return Topic(_word_of(node), f"3{number_of(node)}", "named")


def _new_sentence(teller: _Teller, topic: Topic, seen: set[str]) -> tuple[Node, Node | None]:
    """A sentence of allowed length that is not in `seen`; its root, and the words of its subject."""
    limits = settings_of("stories")["words"]
    while True:
        root, subject = _sentence(teller, topic)
        is_fit = limits["least"] <= n_words(root) <= limits["most"]
        if is_fit and finished(root).text not in seen:
            return root, subject


def _sentence(teller: _Teller, topic: Topic) -> tuple[Node, Node | None]:
    generator, vocabulary = teller.generator, whole_vocabulary()
    subject = _subject(teller, topic)
    if teller.chance("adjectival"):
        tense = "past" if teller.tense in _PAST else "present"
        root = copular_clause(generator, vocabulary, "root", subject, tense)
    else:
        root = _clause(teller, topic, "root", subject)
        if teller.chance("two_clauses"):
            clause = _clause(teller, topic, "conj", Subject(None, topic.person))
            root.after.append(joined_by(random_connective(generator), clause))
    root.after.append(punctuation("."))
    return root, subject.words


def _clause(teller: _Teller, topic: Topic, relation: str, subject: Subject) -> Node:
    generator, vocabulary = teller.generator, whole_vocabulary()
    verb, sense = generator.choice(_predicates(topic.kind))
    part_of = functools.partial(_complement, teller, topic)
    predicate = Predicate(verb, sense, teller.tense)
    return filled_clause(generator, vocabulary, relation, predicate, lambda place: subject, part_of)


def _subject(teller: _Teller, topic: Topic) -> Subject:
    """The words that name the topic, None where the verb alone says the person, and the person of the verb."""
    if topic.word is None or (topic.known == "topic" and not teller.chance("named_again")):
        return Subject(pronoun(topic.person, "NOM", "nsubj") if teller.chance("pronoun") else None, topic.person)
    names_it = _introduced if topic.known == "new" else _named_again
    words = names_it(teller, topic.word, "NOM", topic.person[1:], "nsubj")
    return Subject(words, agreement_with(teller.generator, whole_vocabulary(), words))


def _introduced(teller: _Teller, word: Nominal, case: str, number: str, relation: str) -> Node:
    """A name, or a noun of this number with any modifiers."""
    if _is_name(word):
        return name_alone(word, case, relation)
    while number_of(phrase := phrase_of(teller.generator, whole_vocabulary(), word, case, relation)) != number:
        pass
    return phrase


def _named_again(teller: _Teller, word: Nominal, case: str, number: str, relation: str) -> Node:
    """A name, or a noun after bu."""
    if _is_name(word):
        return name_alone(word, case, relation)
    node = noun_alone(word, case, number, "none", relation)
    node.before = [Node("bu", "bu", "DET", "DET", "det")]
    return node


def _complement(teller: _Teller, topic: Topic, place: Complement) -> Part:
    """A noun of the sentence before, where one makes sense, or any other; never the topic."""
    fitting = [node for node in teller.named if _word_of(node).kind in place.kinds and _word_of(node) != topic.word]
    if fitting and teller.chance("thing_again"):
        node = teller.generator.choice(fitting)
        relation = "obj" if place.case == "ACC" else "obl"
        words = _named_again(teller, _word_of(node), place.case, number_of(node), relation)
        return Part(place.role, place.role, words)
    return random_complement(teller.generator, whole_vocabulary(), place)


def _nouns_of(root: Node) -> list[Node]:
    """The nouns and names of a sentence that are no possessors, clause after clause."""
    children = [*root.before, *root.after]
    clauses = [child for child in children if child.relation == "conj"]
    own = [child for child in children if child.upos in ("NOUN", "PROPN")]
    return own + [node for clause in clauses for node in _nouns_of(clause)]


@functools.cache
def _predicates(kind: str) -> tuple[tuple[Verb, Sense], ...]:
    """The verbs that say something of a kind of nouns, each with its sense."""
    senses = [(verb, sense) for verb in whole_vocabulary().verbs for sense in verb.senses]
    return tuple(
        (verb, sense) for verb, sense in senses if kind in next(one for one in sense.frame if one.case == "NOM").kinds
    )


def _word_of(node: Node) -> Nominal:
    return next(one for one in (names() if node.upos == "PROPN" else nouns()) if one.lemma == node.lemma)


def _is_name(word: Nominal) -> bool:
    return word in names()
