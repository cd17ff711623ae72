import pytest

from polyprobe.generation.sentence_tests.from_trees.described_sentences import direct_object, main_verb, subject
from tests.generation.sentence_tests.from_trees.small_trees import sentence_of

HE_HAS_SEEN_BOOKS = (
    "(S (NP (PRP He)) (VP (VBZ has) (VP (VBN seen) (NP (NP (JJ old) (NNS Books)) (PP (IN of) (NP (NN art)))))))"
)
VERBS = {
    "auxiliary": (HE_HAS_SEEN_BOOKS, ("VBZ", "has")),
    "after an adverb": ("(S (NP (PRP He)) (VP (ADVP (RB just)) (VBD Left)))", ("VBD", "left")),
    "coordinated": ("(S (NP (PRP He)) (VP (VP (VBD came)) (CC and) (VP (VBZ sees))))", ("VBD", "came")),
    "modal": ("(S (NP (PRP He)) (VP (MD will) (VP (VB go))))", ("MD", "will")),
    "no verb phrase": ("(S (NP (PRP He)))", None),
    "a question": ("(SQ (VBD did) (NP (PRP he)) (VP (VB go)))", None),
    "two clauses": ("(S (S (NP (PRP He)) (VP (VBD came))) (CC and) (S (NP (PRP he)) (VP (VBD saw))))", None),
}
NOUN_PHRASES = {
    "(NP (DT the) (NN Cat))": ("NN", "cat"),
    "(NP (NP (DT the) (NNS ends)) (PP (IN of) (NP (NN time))))": ("NNS", "ends"),
    "(NP (NN cat) (NN owner))": ("NN", "owner"),
    "(NP (NN cat) (NNS owners))": ("NNS", "owners"),
    "(NP (NP (NN Tom)) (CC and) (NP (NN cat)))": None,
    "(NP (NNP Tom))": None,
    "(NP (PRP he))": None,
    "(NP (NP (NNP Tom) (POS 's)) (NN cat))": None,
}


@pytest.mark.parametrize(("tree", "verb"), VERBS.values(), ids=VERBS)
def test_the_main_verb_is_the_first_one_of_the_predicate(tree, verb, tmp_path):
    assert main_verb(sentence_of(f"(ROOT {tree})", tmp_path).top) == verb


@pytest.mark.parametrize(("phrase", "head"), NOUN_PHRASES.items(), ids=list(NOUN_PHRASES))
def test_the_head_of_a_subject_is_a_common_noun_that_is_not_coordinated(phrase, head, tmp_path):
    assert subject(sentence_of(f"(ROOT (S {phrase} (VP (VBD left))))", tmp_path).top) == head
    assert direct_object(sentence_of(f"(ROOT (S (NP (PRP we)) (VP (VBD saw) {phrase})))", tmp_path).top) == head


def test_a_phrase_of_time_is_no_subject_and_a_tagged_one_comes_first(tmp_path):
    time = "(ROOT (S (NP-SBJ (NNS cats)) (NP-TMP (NN today)) (VP (VBD left))))"
    assert subject(sentence_of(time, tmp_path).top) == ("NNS", "cats")
    assert subject(sentence_of("(ROOT (S (NP-TMP (NN today)) (VP (VBD left))))", tmp_path).top) is None


OBJECTS = {
    "of the last verb": (HE_HAS_SEEN_BOOKS, ("NNS", "books")),
    "after be": ("(S (NP (PRP He)) (VP (VBZ is) (NP (DT a) (NN king))))", None),
    "two noun phrases": ("(S (NP (PRP He)) (VP (VBD gave) (NP (NNS cats)) (NP (NN food))))", None),
    "one of time": ("(S (NP (PRP He)) (VP (VBD ate) (NP (NN food)) (NP-TMP (NN today))))", ("NN", "food")),
    "none": ("(S (NP (PRP He)) (VP (VBD slept)))", None),
}


@pytest.mark.parametrize(("tree", "noun"), OBJECTS.values(), ids=OBJECTS)
def test_the_object_is_the_one_noun_phrase_beside_the_last_verb(tree, noun, tmp_path):
    assert direct_object(sentence_of(f"(ROOT {tree})", tmp_path).top) == noun
