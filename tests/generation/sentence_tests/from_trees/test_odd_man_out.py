from collections import Counter

import numpy as np

from polyprobe.generation.sentence_tests.from_trees.changed_sentences import odd_ones_out
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options
from tests.generation.sentence_tests.from_trees.small_trees import corpus_of_trees, sentence_of, sentences_of_grammar

WINDOW = {"odd_frequency": [1, 10]}


def clause(noun, tag="NN", verb="slept"):
    return f"(ROOT (S (NP (DT the) ({tag} {noun})) (VP (VBD {verb}) (ADVP (RB well))) (. .)))"


def found_in(trees, tmp_path, counts, **changes):
    corpus = corpus_of_trees(*(sentence_of(tree, tmp_path) for tree in trees), **counts)
    return odd_ones_out(corpus, sentence_options("trees", 1, **{**WINDOW, **changes}), np.random.default_rng(1))


def test_a_word_is_replaced_by_one_of_its_tag_that_has_stood_between_the_same_words(tmp_path):
    trees = [clause("cat"), clause("dog"), clause("birds", "NNS"), clause("king", verb="came")]
    found = found_in(trees, tmp_path, {"cat": 5, "dog": 5, "birds": 5, "king": 5})
    changed = [one for one in found.sentences if one.label == "C"]
    assert Counter(one.label for one in found.sentences) == {"O": 1, "C": 1}
    assert found.steps[0].taken == 2
    (one,) = changed
    assert {one.origin["replaced"], one.origin["by"]} == {"cat", "dog"}
    assert one.words == ("the", one.origin["by"], "slept", "well", ".")
    assert one.targets == (one.origin["by"],)


def test_words_outside_of_the_frequency_window_are_neither_replaced_nor_put_in(tmp_path):
    assert found_in([clause("cat"), clause("dog")], tmp_path, {"cat": 5, "dog": 11}).sentences == []


def test_bigrams_far_more_frequent_than_those_of_the_old_word_are_not_comparable(tmp_path):
    trees = [clause("cat"), *[clause("dog")] * 4]
    counts = {"cat": 5, "dog": 5}
    assert found_in(trees, tmp_path, counts).sentences == []
    assert len(found_in(trees, tmp_path, counts, odd_bigram_ratio=4).sentences) == 5


def test_half_of_the_sentences_are_changed_in_one_word(tmp_path):
    sentences = sentences_of_grammar(tmp_path, 200)
    counts = Counter(word.lower() for one in sentences for word in one.words)
    options = sentence_options("trees", 1, odd_frequency=[1, 1000], odd_bigram_ratio=9)
    found = odd_ones_out(corpus_of_trees(*sentences, **counts), options, np.random.default_rng(1)).sentences
    places = {one.place["line"]: one.words for one in sentences}
    assert abs(sum(one.label == "C" for one in found) - len(found) / 2) < 1
    for one in found:
        n_changed = sum(new != old for new, old in zip(one.words, places[one.origin["line"]], strict=True))
        assert n_changed == (1 if one.label == "C" else 0)
