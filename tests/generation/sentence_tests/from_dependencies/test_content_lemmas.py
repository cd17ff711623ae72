from types import SimpleNamespace

from polyprobe.generation.sentence_tests.from_dependencies.dependency_tests import lemma_contents
from polyprobe.generation.sentence_tests.labelled_sentences import Corpus
from tests.generation.sentence_tests.from_dependencies.small_treebanks import corpus_from


def test_the_only_lemma_of_the_ranks_asked_for_is_the_label_in_all_its_forms(tmp_path):
    rows = [
        "usein usein ADV _ 2 advmod\ntalossa talo NOUN _ 0 root",
        "Talo talo NOUN _ 0 root\npieni pieni ADJ _ 1 amod",
        "koira koira NOUN _ 0 root",
        "koira koira NOUN _ 0 root\ntalon talo NOUN _ 1 nmod",
        "kissa kissa NOUN _ 0 root",
        "aina aina ADV _ 0 root",
    ]
    corpus = Corpus(corpus_from(tmp_path, *rows).sentences, {}, 1.0)
    rule = {"words": 2, "passed_over": 0, "letters": 4, "least": 1}  # talo 3, koira 2 before kissa and pieni
    found = lemma_contents(corpus, SimpleNamespace(content_words=rule), None)
    assert [(one.label, one.words[0]) for one in found.sentences] == [
        ("talo", "usein"),
        ("talo", "Talo"),
        ("koira", "koira"),
    ]
    assert [(step.taken, step.left) for step in found.steps] == [(2, 4), (1, 3), (0, 3)]
    at_least_two = lemma_contents(corpus, SimpleNamespace(content_words={**rule, "least": 2}), None)
    assert {one.label for one in at_least_two.sentences} == {"talo"}
