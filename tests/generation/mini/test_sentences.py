"""Sentences of the miniature Turkish: sizes, trees, agreement, roles."""

from collections import Counter
from itertools import chain

import pytest

from polyprobe.formats.roles.propositions import Argument
from polyprobe.generation.mini.lexicon import verbs
from polyprobe.generation.mini.phrases import Node, finished, pronoun
from polyprobe.generation.mini.sentences import sentences_by_split

CASE_OF_OBLIQUE = {"A2": "DAT", "A3": "ABL", "AM-LOC": "LOC"}


@pytest.fixture(scope="module")
def splits():
    return sentences_by_split(seed=3)


@pytest.fixture(scope="module")
def sentences(splits):
    return list(chain(*splits.values()))


def test_a_sentence_is_put_together_from_its_tree():
    subject = pronoun("1PL", "NOM", "nsubj")
    place = Node("evde", "ev", "NOUN", "N;LOC;SG", "obl", before=[Node("iyi", "iyi", "ADJ", "ADJ", "amod")])
    verb = Node("uyuduk", "uyu", "VERB", "V;IND;1;PL;PST;POS;DECL", "root", before=[place], after=[subject])
    verb.sense, verb.arguments = "uyu.01", [("A0", subject), ("AM-LOC", place)]
    sentence = finished(verb)
    assert sentence.forms == ("İyi", "evde", "uyuduk", "biz")
    assert [word.head for word in sentence.words] == [2, 3, 0, 3]
    assert sentence.propositions[0].predicate == 2
    assert sentence.propositions[0].arguments == (Argument(1, "AM-LOC"), Argument(3, "A0"))
    assert (sentence.words[1].start, sentence.words[1].end) == (0, 2)


def test_splits_have_their_sizes_and_share_no_sentence(splits):
    assert {split: len(part) for split, part in splits.items()} == {"train": 1600, "dev": 500, "test": 500}
    texts = [sentence.text for part in splits.values() for sentence in part]
    assert len(set(texts)) == len(texts)


def test_test_has_words_that_train_lacks_but_mostly_shares_them(splits):
    lemmas = {split: {word.lemma for sentence in part for word in sentence.words} for split, part in splits.items()}
    unseen = lemmas["test"] - lemmas["train"]
    assert 0 < len(unseen) < 0.2 * len(lemmas["test"])


def test_sentences_have_3_to_12_words(sentences):
    assert {len(sentence.words) for sentence in sentences} <= set(range(3, 13))


def test_some_sentences_have_no_predicate_and_some_two(sentences):
    shares = {n: count / len(sentences) for n, count in Counter(len(s.propositions) for s in sentences).items()}
    assert shares.keys() == {0, 1, 2}
    assert min(shares.values()) > 0.04


def test_trees_have_one_root_and_no_cycle(sentences):
    for sentence in sentences:
        heads = [word.head for word in sentence.words]
        assert heads.count(0) == 1
        assert all(_reaches_the_root(n, heads) for n in range(1, len(heads) + 1))


def test_roots_alone_have_the_relation_root(sentences):
    words = [word for sentence in sentences for word in sentence.words]
    assert all((word.head == 0) == (word.relation == "root") for word in words)


def test_predicates_are_verbs_with_a_sense_of_the_lexicon(sentences):
    known = {sense.name for verb in verbs() for sense in verb.senses}
    for sentence in sentences:
        for proposition in sentence.propositions:
            word = sentence.words[proposition.predicate]
            assert word.upos == "VERB"
            assert proposition.sense in known
            assert proposition.sense.startswith(word.lemma + ".")


def test_every_verb_is_a_predicate(sentences):
    for sentence in sentences:
        assert sum(word.upos == "VERB" for word in sentence.words) == len(sentence.propositions)


def test_arguments_are_dependents_of_their_predicate(sentences):
    for sentence in sentences:
        for proposition in sentence.propositions:
            for argument in proposition.arguments:
                assert sentence.words[argument.word].head == proposition.predicate + 1


def test_no_role_occurs_twice_in_a_proposition(sentences):
    for proposition in chain.from_iterable(sentence.propositions for sentence in sentences):
        roles = [argument.role for argument in proposition.arguments]
        assert len(set(roles)) == len(roles)


def test_oblique_roles_are_told_by_case(sentences):
    for word, role in _arguments(sentences):
        if role in CASE_OF_OBLIQUE and word.relation == "obl":
            assert CASE_OF_OBLIQUE[role] in word.bundle.split(";"), word


def test_the_object_role_occurs_in_four_cases(sentences):
    cases = Counter(word.bundle.split(";")[1] for word, role in _arguments(sentences) if role == "A1")
    assert {"NOM", "ACC", "DAT", "ABL"} == cases.keys()


def test_the_place_in_the_clause_does_not_tell_the_role(sentences):
    first = Counter(
        s.propositions[0].arguments[0].role for s in sentences if s.propositions and s.propositions[0].arguments
    )
    assert max(first.values()) < 0.5 * first.total()


def test_pronoun_subjects_agree_with_the_verb(sentences):
    n_subjects = 0
    for sentence in sentences:
        for word in sentence.words:
            if word.upos == "PRON" and word.relation == "nsubj":
                head = sentence.words[word.head - 1].bundle.split(";")
                person, number = word.bundle.split(";")[2:]
                assert head == ["ADJ"] or (person in head and number in head), (sentence.text, word)
                n_subjects += 1
    assert n_subjects > 100


def test_a_verb_with_two_senses_is_told_apart_by_case(sentences):
    cases = {"çık.01": "ABL", "çık.02": "DAT"}
    for sentence in sentences:
        for proposition in sentence.propositions:
            if proposition.sense in cases:
                bundles = [sentence.words[a.word].bundle for a in proposition.arguments if a.role in ("A2", "A3")]
                assert [cases[proposition.sense] in bundle for bundle in bundles] == [True]


def _arguments(sentences):
    for sentence in sentences:
        for proposition in sentence.propositions:
            for argument in proposition.arguments:
                yield sentence.words[argument.word], argument.role


def _reaches_the_root(word: int, heads: list[int]) -> bool:
    for _ in heads:
        word = heads[word - 1]
        if word == 0:
            return True
    return False
