from polyprobe.generation.sentence_tests.from_dependencies.dependency_tests import of_frequent_lemmas
from tests.generation.sentence_tests.from_dependencies.small_treebanks import conllu_sentence, options_with, treebank_of


def test_the_mean_over_words_without_punctuation_decides(tmp_path):
    rows = "{} {} NOUN _ 0 root\n{} {} NOUN _ 1 nmod\n. . PUNCT _ 1 punct"
    names = [("Talo", "talo", "outo", "outo"), ("outo", "outo", "Kumma", "kumma")]
    sentences = treebank_of(tmp_path, *(conllu_sentence(rows.format(*one)) for one in names))
    counts = {"talo": 18, "ja": 9_999_982, ".": 0}  # ten million words: talo 1.8 ipm
    kept, (step,) = of_frequent_lemmas(sentences, counts, options_with())
    assert kept == [sentences[0]]
    assert (step.taken, step.left) == (1, 1)
    assert of_frequent_lemmas(sentences, counts, options_with(least_lemma_frequency=0.91))[0] == []
    assert of_frequent_lemmas(sentences, None, options_with()) == (sentences, ())
