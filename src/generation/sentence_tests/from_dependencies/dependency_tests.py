"""The tests that are made from UD treebanks.

NShift: have two neighbours changed places (I), or is the sentence as it was written (O)? The paper swaps inside chosen
morphosyntactic patterns, because where order is free most bigrams can be swapped and leave a correct sentence; it does
not list the patterns. Ours are in `dependency_rules.yaml`: a word and its head side by side, in either order, whose
order a language mostly fixes. As in SentEval's BShift the first word and punctuation stay. Both labels come from
sentences that have such a pair, so that the pair itself says nothing. A swap that gives another sentence of the
treebank, or that only changes capitals, is none.
"""

from collections.abc import Callable, Collection, Mapping

import numpy as np

from src.generation.made_tests.row_statistics import TooFew
from src.generation.sentence_tests.from_dependencies.clause_types import (
    argument_target,
    aspect_target,
    conjunction_type,
    found_targets,
    impersonality,
    marked_voice_target,
    marks_active,
    marks_passive,
    tense_target,
    voice_target,
)
from src.generation.sentence_tests.from_dependencies.dependency_rules import (
    DependencyRules,
    Shift,
    Sieved,
    with_common_labels,
)
from src.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence
from src.generation.sentence_tests.labelled_sentences import Corpus, Found, LabelledSentence, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions

_Corpus = Corpus[TreebankSentence]
_Find = Callable[[_Corpus, SentenceOptions, np.random.Generator], Found]
_ARGUMENTS = {
    "SubjNumber": ("nsubj", "Number"),
    "SubjGender": ("nsubj", "Gender"),
    "ObjNumber": ("obj", "Number"),
    "ObjGender": ("obj", "Gender"),
}


def found_shifts(corpus: Corpus[TreebankSentence], shifts: Collection[Shift], generator: np.random.Generator) -> Found:
    """Swaps a pair, drawn evenly, in every second sentence that has one; which ones is drawn, too."""
    written = {sentence.words for sentence in corpus.sentences}

    def with_places(sentence: TreebankSentence) -> tuple[TreebankSentence, list[int]] | None:
        places = [one for one in swappable(sentence, shifts) if swapped(sentence.words, one) not in written]
        return (sentence, places) if places else None

    sieved = Sieved(corpus.sentences).turned_by("no two neighbours to swap", with_places)
    is_swapped = np.zeros(len(sieved.items), dtype=bool)
    is_swapped[generator.permutation(len(sieved.items))[::2]] = True
    draws = generator.random(len(sieved.items))
    labelled = [
        _inverted(sentence, places[int(draw * len(places))]) if inverts else _original(sentence)
        for (sentence, places), inverts, draw in zip(sieved.items, is_swapped, draws, strict=True)
    ]
    return Found(labelled, sieved.steps)


def swappable(sentence: TreebankSentence, shifts: Collection[Shift]) -> list[int]:
    """Returns the places, from 0, of tokens that may change places with the next one."""
    pairs = enumerate(zip(sentence.tree, sentence.tree[1:], strict=False), start=1)
    return [
        left.token
        for number, (left, right) in pairs
        if left.token > 0 and left.is_token and right.is_token and left.form != right.form
        if (left.head == number + 1 and any(one.dependent.fits(left) and one.head.fits(right) for one in shifts))
        or (right.head == number and any(one.dependent.fits(right) and one.head.fits(left) for one in shifts))
    ]


def swapped(words: tuple[str, ...], place: int) -> tuple[str, ...]:
    """Swaps the words at a place, from 0, and after it."""
    return (*words[:place], words[place + 1], words[place], *words[place + 2 :])


def _original(sentence: TreebankSentence) -> LabelledSentence:
    return LabelledSentence(sentence.words, "O", (), sentence.document, sentence.place)


def _inverted(sentence: TreebankSentence, place: int) -> LabelledSentence:
    words = swapped(sentence.words, place)
    origin = {**sentence.place, "swapped": [sentence.words[place], sentence.words[place + 1]], "at": place + 1}
    return LabelledSentence(words, "I", (), sentence.document, origin)


def dependency_tests(rules: DependencyRules) -> tuple[SentenceTest, ...]:
    """Returns the tests of UD treebanks that no other treebanks have."""
    finders: Mapping[str, _Find] = {
        "NShift": lambda corpus, _, generator: found_shifts(corpus, rules.shifts, generator),
        "Tense": lambda corpus, options, _: _tense(corpus, options, rules),
        "Voice": lambda corpus, options, _: _voice(corpus, options, rules),
        "Aspect": lambda corpus, options, _: _aspect(corpus, options, rules),
        **{test: _argument_finder(test, rules) for test in _ARGUMENTS},
        "ConjType": lambda corpus, options, _: _conjunction_type(corpus, options, rules),
        "ImpersonalSent": lambda corpus, options, _: _impersonality(corpus, options, rules),
    }
    return tuple(SentenceTest(name, find, "equal") for name, find in finders.items())


def _tense(corpus: _Corpus, options: SentenceOptions, rules: DependencyRules) -> Found:
    labels = rules.labels["tense"]
    return found_targets(corpus, "Tense", lambda one: tense_target(one, labels), options, rules)


def _aspect(corpus: _Corpus, options: SentenceOptions, rules: DependencyRules) -> Found:
    labels = rules.labels["aspect"]
    return found_targets(corpus, "Aspect", lambda one: aspect_target(one, labels), options, rules)


def _voice(corpus: _Corpus, options: SentenceOptions, rules: DependencyRules) -> Found:
    labels = rules.labels["voice"]
    if not marks_passive(corpus):
        raise TooFew("Voice: no word of the treebank has Voice=Pass or the relation aux:pass.")
    target = marked_voice_target if marks_active(corpus) else voice_target
    return found_targets(corpus, "Voice", lambda one: target(one, labels), options, rules)


def _argument_finder(test: str, rules: DependencyRules) -> _Find:
    relation, feature = _ARGUMENTS[test]
    labels = rules.labels[feature.lower()]

    def find(corpus: _Corpus, options: SentenceOptions, _: np.random.Generator) -> Found:
        return found_targets(corpus, test, lambda one: argument_target(one, relation, feature, labels), options, rules)

    return find


def _conjunction_type(corpus: _Corpus, options: SentenceOptions, rules: DependencyRules) -> Found:
    labelled = Sieved(corpus.sentences).turned_by(
        "no conjunction that joins clauses, or both kinds", lambda one: conjunction_type(one, rules.clause_links)
    )
    return with_common_labels(labelled, "ConjType", options.least_label_share)


def _impersonality(corpus: _Corpus, options: SentenceOptions, rules: DependencyRules) -> Found:
    if not rules.impersonal:
        raise TooFew("ImpersonalSent: there are no rules for the language (dependency_rules.yaml: impersonal).")
    labelled = Sieved(corpus.sentences).turned_by(
        "no subject, and not surely impersonal", lambda one: impersonality(one, rules.impersonal)
    )
    return with_common_labels(labelled, "ImpersonalSent", options.least_label_share)
