"""Pairs of sentences of the miniature Turkish, and whether the second follows from the first.

A premise is one clause with an adjunct (of time, manner or place) and a noun that is an argument:

    premise                    label           hypothesis
    Ali dün kitabı okudu.      entailment      Ali kitabı okudu.        without an adjunct
                               contradiction   Ali kitabı okumadı.      the negation of what is entailed
                               neutral         Ali dün mektubu okudu.   with another noun, or the negation of that
    Ali dün kitabı okumadı.    entailment      Kitabı dün Ali okumadı.  who did not read it yesterday may have today:
                                                                        nothing is left out, words change places

The order of words has no meaning; every other hypothesis has a different one. Half of the premises are negative, and
half of the neutral hypotheses are negated: no label has more negative hypotheses than another.
Covered: one verb. Not covered: words that mean the same, quantifiers, two clauses.
"""

import functools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from polyprobe.generation.mini.data_files import rules, settings_of
from polyprobe.generation.mini.lexicon import Verb, finite_form, noun_form, nouns, verbs
from polyprobe.generation.mini.phrases import (
    Node,
    Vocabulary,
    chance,
    finished,
    n_words,
    vocabulary_without_some,
    whole_vocabulary,
)
from polyprobe.generation.mini.sentences import is_bare, punctuation, verbal_clause

Row = tuple[str, str, str]  # premise, hypothesis, label
HEADER: Row = ("premise", "hypothesis", "label")
_OTHER = {"POS": "NEG", "NEG": "POS"}
_chance = functools.partial(chance, of="sentence_pairs")


def inference_pairs(seed: int) -> Mapping[str, Sequence[Row]]:
    """Makes the pairs of every split; no premise twice, and train lacks the words that its sentences lack."""
    in_train, seen = vocabulary_without_some(random.Random(f"sentences {seed}")), set()
    pairs: dict[str, list[Row]] = {}
    for split, n_premises in settings_of("sentence_pairs")["n_premises"].items():
        generator = random.Random(f"inference {split} {seed}")
        vocabulary, rows = in_train if split == "train" else whole_vocabulary(), []
        while len(rows) < 3 * n_premises:
            premise = _premise(generator, vocabulary)
            if premise is not None and _text(premise) not in seen:
                seen.add(_text(premise))
                rows += _rows(generator, vocabulary, premise)
        pairs[split] = rows
    return pairs


def _premise(generator: random.Random, vocabulary: Vocabulary) -> Node | None:
    """A clause of allowed length with all that hypotheses are made from; None if the draw fails."""
    clause, limits = verbal_clause(generator, vocabulary, "root"), settings_of("sentence_pairs")["words"]
    wanted = "NEG" if _chance(generator, "negative") else "POS"
    if _analysis(clause)[3] != wanted:
        clause = _negated(clause)
    is_short = limits["least"] <= n_words(clause) + 1 <= limits["most"]
    is_fit = is_short and _adjuncts(clause) and _arguments(clause) and len(_parts(clause)[0]) > 1
    return clause if is_fit else None


def _rows(generator: random.Random, vocabulary: Vocabulary, premise: Node) -> Iterator[Row]:
    yield _text(premise), _text(_entailed(generator, premise)), "entailment"
    yield _text(premise), _text(_negated(_entailed(generator, premise))), "contradiction"
    hypothesis = _with_another_noun(generator, vocabulary, premise)
    hypothesis = _negated(hypothesis) if _chance(generator, "negated") else hypothesis
    yield _text(premise), _text(_perhaps_reordered(generator, hypothesis)), "neutral"


def _entailed(generator: random.Random, premise: Node) -> Node:
    if _analysis(premise)[3] == "NEG":
        return _reordered(generator, premise)
    left_out = generator.choice(_adjuncts(premise))
    before, after = ([node for node in side if node is not left_out] for side in (premise.before, premise.after))
    return _perhaps_reordered(generator, replace(premise, before=before, after=after))


def _with_another_noun(generator: random.Random, vocabulary: Vocabulary, clause: Node) -> Node:
    """Replaces an argument by a noun of the same kind and in the same form."""
    old = generator.choice(_arguments(clause))
    kind = next(noun.kind for noun in nouns() if noun.lemma == old.lemma)
    noun = generator.choice([noun for noun in vocabulary.nouns[kind] if noun.lemma != old.lemma])
    _, case, number, *possessor = old.bundle.split(";")
    form = noun_form(noun, case, number, *possessor or ("none",))
    new = replace(old, form=form.form, lemma=noun.lemma, bundle=form.bundle, feats=form.feats)
    before, after = ([new if node is old else node for node in side] for side in (clause.before, clause.after))
    return replace(clause, before=before, after=after)


def _perhaps_reordered(generator: random.Random, clause: Node) -> Node:
    return _reordered(generator, clause) if _chance(generator, "reordered") else clause


def _reordered(generator: random.Random, clause: Node) -> Node:
    """Puts the words before the verb in another order, if there is one."""
    free, bare = _parts(clause)
    order = free[:]
    while len(free) > 1 and order == free:
        generator.shuffle(order)
    return replace(clause, before=[*order, *bare])


def _negated(clause: Node) -> Node:
    """Returns the clause with its verb in the other polarity."""
    verb, tense, person, polarity = _analysis(clause)
    form = finite_form(verb, tense, person, _OTHER[polarity])
    return replace(clause, form=form.form, bundle=form.bundle, feats=form.feats)


def _adjuncts(clause: Node) -> list[Node]:
    return [node for role, node in clause.arguments if role.startswith("AM-")]


def _arguments(clause: Node) -> list[Node]:
    return [node for role, node in clause.arguments if node.upos == "NOUN" and not role.startswith("AM-")]


def _parts(clause: Node) -> tuple[list[Node], list[Node]]:
    """The phrases before the verb: those that may move, and a bare object, which may not."""
    return [node for node in clause.before if not is_bare(node)], [node for node in clause.before if is_bare(node)]


def _text(clause: Node) -> str:
    return finished(replace(clause, after=[*clause.after, punctuation(".")], sense=None)).text


def _analysis(clause: Node) -> tuple[Verb, str, str, str]:
    """Verb, tense, person and polarity of the verb of a clause."""
    return _analyses()[clause.lemma, clause.bundle]


@functools.cache
def _analyses() -> Mapping[tuple[str, str], tuple[Verb, str, str, str]]:
    verb_rules = rules("verb")
    analyses = (
        (verb, tense, person, polarity)
        for verb in verbs()
        for tense in verb_rules["tense"]
        for person in verb_rules["endings"]["long"]
        for polarity in verb_rules["polarity"]
    )
    return {(one[0].root, finite_form(*one).bundle): one for one in analyses}
