"""Tests of the main clause: Tense of its verb, SubjNum and ObjNum of its nouns.

The main verb, the subject and the object are found by rules of ours: the article says that they are those of the main
clause, and not how they are found.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from src.formats.treebanks.constituency_trees import (
    Constituent,
    category,
    constituents,
    functions,
    is_tag,
    leaves,
    written,
)
from src.generation.made_tests.frequent_words import Step
from src.generation.sentence_tests.from_trees.tree_sentences import TreeSentence
from src.generation.sentence_tests.labelled_sentences import Corpus, Found, LabelledSentence, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions

_MAIN_VERBS = ("VBD", "VBP", "VBZ", "VB", "MD")
_VERBS = (*_MAIN_VERBS, "VBG", "VBN", "TO")
_NOUNS = ("NN", "NNS")
_NO_OBJECT = {"ADV", "BNF", "CLR", "DIR", "EXT", "LGS", "LOC", "MNR", "PRD", "PRP", "TMP", "TTL", "VOC"}
_NO_SUBJECT = {"ADV", "TMP", "VOC"}
_COPULA = {"am", "are", "be", "been", "being", "is", "was", "were", "'m", "'re", "'s", "’m", "’re", "’s"}
Leaf = tuple[str, str]  # part of speech, lower-cased form
_TENSES = {"VBD": "PAST", "VBP": "PRES", "VBZ": "PRES"}
_NUMBERS = {"NN": "NN", "NNS": "NNS"}


def main_verb(top: Constituent) -> Leaf | None:
    """Finds the first verb of a declarative clause: of `(S (NP) (VP (VBZ has) (VP (VBN left))))` has.

    Of coordinated verb phrases, the first one is looked into. None where the top constituent is no S with a VP.
    """
    verb_phrase = _predicate(top)
    while verb_phrase is not None:
        first = _first(verb_phrase, (*_MAIN_VERBS, "VP"))
        if first is None or category(first) != "VP":
            return None if first is None else _leaf(first)
        verb_phrase = first
    return None


def subject(top: Constituent) -> Leaf | None:
    """Finds the noun that is head of the subject of the main clause.

    The subject is the noun phrase tagged as one, where phrases are tagged, otherwise the last one before the verb
    phrase. None where it is coordinated, or its head is no common noun.
    """
    verb_phrase, phrases = _predicate(top), []
    for child in constituents(top):
        if child is verb_phrase:
            break
        if category(child) == "NP" and not functions(child) & _NO_SUBJECT:
            phrases.append(child)
    tagged = [phrase for phrase in phrases if "SBJ" in functions(phrase)]
    return _head((tagged or phrases)[-1]) if verb_phrase is not None and phrases else None


def direct_object(top: Constituent) -> Leaf | None:
    """Finds the noun that is head of the object of the main clause.

    The object is the one noun phrase beside the last verb: of `(VP (VBZ has) (VP (VBN seen) (NP …)))` that beside seen.
    None where there are two (he gave them books), after a form of be, and otherwise as for `subject`.
    """
    verb_phrase = _predicate(top)
    while verb_phrase is not None and (inner := _first(verb_phrase, ("VP",))) is not None:
        verb_phrase = inner
    verb = None if verb_phrase is None else _first(verb_phrase, _VERBS)
    if verb is None or _leaf(verb)[1] in _COPULA:
        return None
    phrases = [one for one in constituents(verb_phrase) if category(one) == "NP" and not functions(one) & _NO_OBJECT]
    return _head(phrases[0]) if len(phrases) == 1 else None


def _predicate(top: Constituent) -> Constituent | None:
    return _first(top, ("VP",)) if category(top) == "S" else None


def _first(constituent: Constituent, categories: Sequence[str]) -> Constituent | None:
    return next((child for child in constituents(constituent) if category(child) in categories), None)


def _head(noun_phrase: Constituent) -> Leaf | None:
    """Goes into the first noun phrase inside; the head is the last noun of the innermost one."""
    while True:
        children = constituents(noun_phrase)
        if any(category(child) in ("CC", "CONJP") for child in children):
            return None
        inner = next((child for child in children if category(child) == "NP"), None)
        if inner is None:
            break
        noun_phrase = inner
    nouns = [child for child in children if is_tag(child) and category(child).startswith("NN")]
    return _leaf(nouns[-1]) if nouns and category(nouns[-1]) in _NOUNS else None


def _leaf(tag: Constituent) -> Leaf:
    category_of_word, word = next(leaves(tag))
    return category_of_word, written(word).lower()


def tenses(corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator) -> Found:
    """Tense: PAST or PRES, of the first verb of the main clause; the target is its form."""
    return _by_target(corpus, options, main_verb, _TENSES, "verb in past or present")


def subject_numbers(corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator) -> Found:
    """SubjNum: NN or NNS, of the head of the subject of the main clause; the target is its form."""
    return _by_target(corpus, options, subject, _NUMBERS, "common noun as subject")


def object_numbers(corpus: Corpus[TreeSentence], options: SentenceOptions, generator: np.random.Generator) -> Found:
    """ObjNum: NN or NNS, of the head of the object of the main clause; the target is its form."""
    return _by_target(corpus, options, direct_object, _NUMBERS, "common noun as object")


def _by_target(
    corpus: Corpus[TreeSentence],
    options: SentenceOptions,
    target_of: Callable[[Constituent], Leaf | None],
    labels: Mapping[str, str],
    wanted: str,
) -> Found:
    """Labels sentences by the part of speech of one of their words."""
    targets = [(target_of(one.top), one) for one in corpus.sentences]
    known = [(target, one) for target, one in targets if target is not None and target[0] in labels]
    found = [
        LabelledSentence(one.words, labels[tag], (form,), one.document, {**one.place, "target": form})
        for (tag, form), one in known
        if corpus.is_within(form, options.target_frequency)
    ]
    steps = (
        Step(f"no {wanted}", "sentences", len(targets) - len(known), len(known)),
        Step("target too rare or too frequent", "sentences", len(known) - len(found), len(found)),
    )
    return Found(found, steps)


TENSE = SentenceTest("Tense", tenses, "equal")
SUBJ_NUM = SentenceTest("SubjNum", subject_numbers, "equal")
OBJ_NUM = SentenceTest("ObjNum", object_numbers, "equal")
