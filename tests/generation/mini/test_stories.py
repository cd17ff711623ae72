"""Stories of the miniature Turkish: what goes on from sentence to sentence, sizes, and that nothing is told twice."""

from itertools import pairwise

import pytest

from polyprobe.generation.mini.lexicon import names, nouns
from polyprobe.generation.mini.stories import stories_by_split

KINDS = {("NOUN", one.lemma): one.kind for one in nouns()} | {("PROPN", one.lemma): one.kind for one in names()}
TENSES = [{"PST", "NFH"}, {"PST"}, {"FUT"}, {"PRS", "PROG"}, {"PRS"}]


@pytest.fixture(scope="module")
def splits():
    return stories_by_split(seed=3)


@pytest.fixture(scope="module")
def stories(splits):
    return [story for split in splits.values() for story in split]


def test_stories_and_their_sentences_have_their_sizes(splits, stories):
    assert {split: len(part) for split, part in splits.items()} == {"train": 800, "dev": 80, "test": 80}
    assert {len(story) for story in stories} == set(range(4, 9))
    assert {len(sentence.words) for story in stories for sentence in story} == set(range(3, 13))


def test_no_sentence_stands_in_two_places(stories):
    texts = [sentence.text for story in stories for sentence in story]
    assert len(set(texts)) == len(texts)


def test_a_story_keeps_its_tense(stories):
    told = {number: {tense_of(verb) for one in story for verb in verbs(one)} for number, story in enumerate(stories)}
    assert {len(tenses) for tenses in told.values()} <= {0, 1}
    assert set().union(*told.values()) == {frozenset(tense) for tense in TENSES}


def test_a_story_in_the_past_has_its_adjectives_in_the_past(stories):
    for story in stories:
        is_past = {"PST" in tense_of(verb) for one in story for verb in verbs(one)}
        for root in (root_of(one) for one in story):
            if is_past and root.upos == "ADJ":
                assert {"PST" in root.bundle.split(";")} == is_past


def test_who_speaks_or_is_spoken_to_stays_the_topic(stories):
    for story in stories:
        persons = {person(root_of(one)) for one in story}
        assert not persons & {"1SG", "2SG", "1PL", "2PL"} or len(persons) == 1


def test_nouns_that_are_subjects_again_have_bu_and_live(stories):
    named = [(one, word) for story in stories for one in story[1:] for word in subjects(one) if word.upos == "NOUN"]
    assert len(named) > 500
    for sentence, word in named:
        assert KINDS[word.upos, word.lemma] in ("person", "animal")
        assert determiners(sentence, word) == ["bu"]


def test_a_new_topic_is_named_in_the_sentence_before(stories):
    n_new = 0
    for story in stories:
        topic = next((word.lemma for word in subjects(story[0])), None)
        for before, sentence in pairwise(story):
            for word in subjects(sentence):
                if word.upos != "PRON" and word.lemma != topic:
                    assert word.lemma in {one.lemma for one in before.words if one.upos in ("NOUN", "PROPN")}
                    n_new, topic = n_new + 1, word.lemma
    assert n_new > 200


def verbs(sentence):
    return [word for word in sentence.words if word.upos == "VERB"]


def tense_of(verb):
    return frozenset(verb.bundle.split(";")) & {"PST", "NFH", "FUT", "PRS", "PROG"}


def root_of(sentence):
    return next(word for word in sentence.words if word.head == 0)


def person(word):
    codes = word.bundle.split(";")
    return next((code for code in codes if code in "123"), "3") + ("PL" if "PL" in codes else "SG")


def subjects(sentence):
    root = next(number for number, word in enumerate(sentence.words, start=1) if word.head == 0)
    return [word for word in sentence.words if word.relation == "nsubj" and word.head == root]


def determiners(sentence, noun):
    place = sentence.words.index(noun) + 1
    return [word.lemma for word in sentence.words if word.head == place and word.relation == "det"]
