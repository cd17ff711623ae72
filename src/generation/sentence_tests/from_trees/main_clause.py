"""Tests of the main clause: Tense of its verb, SubjNum and ObjNum of its nouns."""

from collections.abc import Callable, Mapping

import numpy as np

from src.formats.treebanks.constituency_trees import Constituent
from src.generation.made_tests.filters import Step
from src.generation.sentence_tests.from_trees.clause_heads import Leaf, direct_object, main_verb, subject
from src.generation.sentence_tests.from_trees.tree_sentences import TreeSentence
from src.generation.sentence_tests.labelled_sentences import Corpus, Found, LabelledSentence, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions

_TENSES = {"VBD": "PAST", "VBP": "PRES", "VBZ": "PRES"}
_NUMBERS = {"NN": "NN", "NNS": "NNS"}


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
