import numpy as np
import pytest

from polyprobe.generation.sentence_tests.from_trees.described_sentences import object_numbers, subject_numbers, tenses
from polyprobe.generation.sentence_tests.labelled_sentences import sentence_options
from tests.generation.sentence_tests.from_trees.small_trees import corpus_of_trees, sentence_of

CATS_CHASED = "(ROOT (S (NP (NNS Cats)) (VP (VBD chased) (NP (DT a) (NN ball))) (. .)))"
CAT_CHASES = "(ROOT (S (NP (DT the) (NN cat)) (VP (VBZ chases) (NP (NNS balls))) (. .)))"
FOUND = {
    tenses: [("PAST", ("chased",)), ("PRES", ("chases",))],
    subject_numbers: [("NNS", ("cats",)), ("NN", ("cat",))],
    object_numbers: [("NN", ("ball",)), ("NNS", ("balls",))],
}


@pytest.mark.parametrize("find", FOUND, ids=["tenses", "subject_numbers", "object_numbers"])
def test_the_label_rests_on_one_word_of_the_main_clause(find, tmp_path):
    words = dict.fromkeys(("chased", "chases", "cats", "cat", "ball", "balls"), 100)
    corpus = corpus_of_trees(*(sentence_of(tree, tmp_path) for tree in (CATS_CHASED, CAT_CHASES)), **words)
    found = find(corpus, sentence_options("trees", 1), np.random.default_rng(1))
    assert [(one.label, one.targets) for one in found.sentences] == FOUND[find]
    assert [step.taken for step in found.steps] == [0, 0]


@pytest.mark.parametrize(("count", "scale", "is_kept"), [(99, 1, False), (5001, 1, False), (99, 0.5, True)])
def test_a_target_outside_of_the_scaled_frequency_window_is_left_out_and_counted(count, scale, is_kept, tmp_path):
    corpus = corpus_of_trees(sentence_of(CATS_CHASED, tmp_path), scale=scale, chased=count)
    found = tenses(corpus, sentence_options("trees", 1), np.random.default_rng(1))
    assert (len(found.sentences), found.steps[1].taken) == (int(is_kept), int(not is_kept))
