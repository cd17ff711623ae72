import numpy as np
import pytest

from polyprobe.generation.sentence_tests.from_dependencies.clause_types import dependency_rules
from polyprobe.generation.sentence_tests.from_dependencies.dependency_tests import found_shifts, swappable, swapped
from tests.generation.sentence_tests.from_dependencies.small_treebanks import corpus_from, read_sentence

RULES = dependency_rules("fi")
SENTENCE = """
    Näin nähdä VERB _ 0 root
    suuren suuri ADJ Case=Gen 3 amod
    talon talo NOUN Case=Gen 1 obj
    kaupungin kaupunki NOUN Case=Gen 5 nmod:poss
    laidalla laita NOUN Case=Ade 1 obl
    . . PUNCT _ 1 punct
"""


def numbered(number):
    return SENTENCE.replace("talon talo", f"talon{number} talo")


def test_a_word_and_its_head_beside_it_may_change_places(tmp_path):
    assert swappable(read_sentence(tmp_path, SENTENCE), RULES.shifts) == [1, 3]


STAYING = {
    "the first word": "Suuri suuri ADJ _ 2 amod\ntalo talo NOUN _ 0 root",
    "equal words": "No no INTJ _ 3 discourse\nTalo talo ADJ _ 3 amod\ntalo talo NOUN _ 0 root",
    "a multiword token": "No no INTJ _ 3 discourse\n2-3 im\nin in ADP _ 3 case\nHaus Haus NOUN _ 0 root",
    "no neighbours": "No no INTJ _ 4 discourse\nsuuri suuri ADJ _ 4 amod\nx x NOUN _ 4 dep\ntalo talo NOUN _ 0 root",
}


@pytest.mark.parametrize("rows", STAYING.values(), ids=STAYING)
def test_these_words_stay(tmp_path, rows):
    assert swappable(read_sentence(tmp_path, rows), RULES.shifts) == []


def test_every_second_sentence_is_swapped_by_one_pair_of_neighbours(tmp_path):
    corpus = corpus_from(tmp_path, *map(numbered, range(40)))
    found = found_shifts(corpus, RULES.shifts, np.random.default_rng(1))
    assert [one.label for one in found.sentences].count("I") == 20
    for original, one in zip(corpus.sentences, found.sentences, strict=True):
        if one.label == "O":
            assert one.words == original.words
        else:
            place = one.origin["at"] - 1
            assert place in swappable(original, RULES.shifts)
            assert one.words == swapped(original.words, place)
            assert one.origin["swapped"] == [*original.words[place : place + 2]]


def test_both_pairs_are_drawn_and_the_draw_depends_on_the_generator_alone(tmp_path):
    corpus = corpus_from(tmp_path, *map(numbered, range(40)))
    first, again, other = (found_shifts(corpus, RULES.shifts, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert {one.origin["at"] for one in first.sentences if one.label == "I"} == {2, 4}


def test_a_swap_that_gives_another_sentence_of_the_treebank_is_none(tmp_path):
    rows = "Hän hän PRON _ 4 nsubj\n{} x ADJ _ 3 amod\n{} x NOUN _ 4 obj\nnäki nähdä VERB _ 0 root"
    corpus = corpus_from(tmp_path, rows.format("a", "b"), rows.format("b", "a"), rows.format("c", "d"))
    found = found_shifts(corpus, RULES.shifts, np.random.default_rng(1))
    assert [one.words[1].lower() for one in found.sentences if one.label == "O"] in ([], ["c"])
    assert (found.steps[0].taken, found.steps[0].left) == (2, 1)
