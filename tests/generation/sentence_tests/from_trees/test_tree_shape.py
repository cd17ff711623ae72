from collections import Counter

import numpy as np
import pytest

from polyprobe.generation.sentence_tests.from_trees.described_sentences import top_constituents, tree_depths
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options
from tests.generation.sentence_tests.from_trees.small_trees import corpus_of_trees, sentence_of, sentences_of_grammar

SEQUENCES = {
    "(ROOT (S (NP (NNS Cats)) (VP (VBP sleep)) (. .)))": "NP_VP_.",
    "(ROOT (S (PP-TMP (IN In) (NP (NNP May))) (, ,) (NP-SBJ (NNS cats)) (VP (VBP sleep)) (. .)))": "PP_NP_VP_.",
    "(ROOT (S (`` ``) (S (VP (VB Go))) ('' '') (NP (PRP he)) (VP (VBD said)) (. .)))": "S_NP_VP_.",
    "(ROOT (SBARQ (WHNP (WP Who)) (SQ (VP (VBD came))) (. ?)))": "WHNP_SQ_.",
    "( (CAPTION (S (NP (NNS Cats)) (VP (VBP sleep)))) )": "NP_VP",
}


@pytest.mark.parametrize(("tree", "label"), SEQUENCES.items(), ids=SEQUENCES.values())
def test_the_top_constituents_are_named_without_commas_and_quotes(tree, label, tmp_path):
    corpus = corpus_of_trees(sentence_of(tree, tmp_path))
    found = top_constituents(corpus, sentence_options("trees", 1), np.random.default_rng(1))
    assert [one.label for one in found.sentences] == [label]


def test_a_tree_of_commas_alone_has_no_label(tmp_path):
    corpus = corpus_of_trees(sentence_of("( (, ,) (, ,) (`` ``) )", tmp_path), sentence_of("(NN rain)", tmp_path))
    found = top_constituents(corpus, sentence_options("trees", 1), np.random.default_rng(1))
    assert (found.sentences, found.steps[0].taken) == ([], 2)


def test_all_but_the_most_frequent_sequences_are_other(tmp_path):
    sentences = [sentence_of(tree, tmp_path) for tree in SEQUENCES] + [sentence_of(next(iter(SEQUENCES)), tmp_path)]
    options = sentence_options("trees", 1, top_constituents=2)
    found = top_constituents(corpus_of_trees(*sentences), options, np.random.default_rng(1))
    assert Counter(one.label for one in found.sentences) == {"NP_VP_.": 2, "OTHER": 4}


def test_depth_hardly_goes_with_length_in_what_is_found(tmp_path):
    sentences = sentences_of_grammar(tmp_path, 1500)
    corpus = corpus_of_trees(*(one for one in sentences if len(one.words) <= 28))
    every = [(one.depth, len(one.words)) for one in corpus.sentences]
    options = sentence_options("trees", 1, depths=[4, 12])
    found = tree_depths(corpus, options, np.random.default_rng(1))
    kept = [(int(one.label), len(one.words)) for one in found.sentences]
    assert np.corrcoef(np.transpose(every))[0, 1] > 0.6
    assert len(kept) > 30
    assert abs(np.corrcoef(np.transpose(kept))[0, 1]) <= options.depth_correlation
    assert sum(step.taken for step in found.steps) == len(every) - len(kept)
