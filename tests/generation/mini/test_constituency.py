"""Constituency trees of the miniature Turkish: what is where, and that the words are those of the sentence."""

import pytest

from polyprobe.generation.mini.phrases import Node, finished, pronoun
from polyprobe.generation.mini.renderings import constituency_tree
from polyprobe.generation.mini.sentences import joined_by, punctuation, sentences_by_split
from polyprobe.generation.sentence_tests.from_trees.tree_sentences import category, constituents, leaves


def adverb(form, relation="advmod"):
    return Node(form, form, "ADV", "ADV", relation)


def clause(form, bundle, roles, before, after=(), relation="root"):
    arguments = [(role, node) for role, node in roles.items()]
    return Node(form, form, "VERB", bundle, relation, "_", list(before), list(after), f"{form}.01", arguments)


def tree(root):
    root.after.append(punctuation("."))
    return str(constituency_tree(finished(root)))


def read_by(name, *before, behind=()):
    """A clause with what stands before and behind its verb, each a role and a node."""
    roles = dict((*before, *behind))
    return clause(name, "V;IND;3;SG;PST;POS;DECL", roles, [node for _, node in before], [node for _, node in behind])


@pytest.fixture
def ali():
    return "A0", Node("Ali", "Ali", "PROPN", "PROPN;NOM;SG", "nsubj")


@pytest.fixture
def book():
    return "A1", Node("kitabı", "kitap", "NOUN", "N;ACC;SG", "obj", before=[Node("bu", "bu", "DET", "DET", "det")])


def test_what_stands_before_the_subject_is_beside_it_and_the_rest_is_in_the_verb_phrase(ali, book):
    assert tree(read_by("okudu", ("AM-TMP", adverb("dün", "obl:tmod")), ali, book)) == (
        "(ROOT (S (ADVP-TMP (RB Dün)) (NP-SBJ (NNP Ali)) (VP (NP-OBJ (DT bu) (NN kitabı)) (VBD okudu)) (. .)))"
    )


def test_what_stands_behind_the_verb_is_outside_of_its_phrase(ali, book):
    assert tree(read_by("okudu", ali, behind=[book])) == (
        "(ROOT (S (NP-SBJ (NNP Ali)) (VP (VBD okudu)) (NP-OBJ (DT bu) (NN kitabı)) (. .)))"
    )


def test_adverbs_at_the_beginning_of_a_verb_phrase_are_beside_a_smaller_one(ali, book):
    parts = ali, ("AM-TMP", adverb("dün")), ("AM-MNR", adverb("hızla")), book
    assert tree(read_by("okudu", *parts)) == (
        "(ROOT (S (NP-SBJ (NNP Ali)) (VP (ADVP-TMP (RB dün)) (VP (ADVP-MNR (RB hızla)) "
        "(VP (NP-OBJ (DT bu) (NN kitabı)) (VBD okudu)))) (. .)))"
    )


def test_possessors_are_phrases_and_pronouns_in_the_genitive_have_a_tag_of_their_own():
    owner = Node("Ali'nin", "Ali", "PROPN", "PROPN;GEN;SG", "nmod:poss")
    cat = Node("kedileri", "kedi", "NOUN", "N;NOM;PL;PSS3S", "nsubj", before=[owner])
    house = Node("evime", "ev", "NOUN", "N;DAT;SG;PSS1S", "obl", before=[pronoun("1SG", "GEN", "nmod:poss")])
    root = clause("gidecek", "V;IND;3;SG;FUT;POS;DECL", {"A0": cat, "A2": house}, [cat, house])
    assert tree(root) == (
        "(ROOT (S (NP-SBJ (NP (NNP Ali'nin)) (NNS kedileri)) "
        "(VP (NP-DIR (NP (PRP$ benim)) (NN evime)) (VBF gidecek)) (. .)))"
    )


def test_an_adjective_that_is_predicate_has_a_phrase_with_its_intensifier():
    root = Node("mutluyuz", "mutlu", "ADJ", "ADJ;LGSPEC1;PRS;1;PL;POS;DECL", "root")
    root.before = [pronoun("1PL", "NOM", "nsubj"), adverb("çok")]
    assert tree(root) == "(ROOT (S (NP-SBJ (PRP Biz)) (ADJP (ADVP (RB çok)) (JJ mutluyuz)) (. .)))"


def test_two_clauses_are_beside_each_other():
    root = clause("uyurum", "V;IND;1;SG;PRS;POS;DECL", {}, [])
    root.after.append(joined_by("ama", clause("koşar", "V;IND;3;SG;PRS;POS;DECL", {}, [], relation="conj")))
    assert tree(root) == "(ROOT (S (S (VP (VBP Uyurum))) (, ,) (CC ama) (S (VP (VBZ koşar))) (. .)))"


def test_the_words_of_a_tree_are_those_of_the_sentence():
    for sentence in (one for split in sentences_by_split(seed=3).values() for one in split):
        root = constituency_tree(sentence)
        assert tuple(word for _, word in leaves(root)) == sentence.forms
        (top,) = constituents(root)
        assert category(top) == "S"
