from collections import Counter

import numpy as np
import pytest

from polyprobe.generation.sentence_level import lengths, word_contents
from polyprobe.generation.sentence_tests.labelled_sentences import Corpus, sentence_options
from tests.generation.sentence_tests.from_trees.small_trees import sentence_of


def sentences(folder, *texts):
    return [sentence_of(f"(S {' '.join(f'(X {word})' for word in text.split())})", folder) for text in texts]


@pytest.mark.parametrize(
    ("n_words", "label"), [(5, "0"), (8, "0"), (9, "1"), (16, "2"), (17, "3"), (25, "4"), (26, "5"), (28, "5")]
)
def test_lengths_are_labelled_by_the_published_bins(n_words, label, tmp_path):
    corpus = Corpus(sentences(tmp_path, "a " * n_words), {}, 1.0)
    (one,) = lengths(corpus, sentence_options("trees", 1), np.random.default_rng(1)).sentences
    assert one.label == label


def test_a_sentence_has_one_of_the_words_of_middling_frequency(tmp_path):
    counts = Counter({"often": 9, "is": 8, "house": 7, "river": 6, "r2d2": 5, "rare": 1})
    rule = {"words": 2, "passed_over": 1, "letters": 4, "least": 2}
    texts = ["The House is", "house", "a river house", "river", "river is often", "rare", "r2d2"]
    corpus = Corpus(sentences(tmp_path, *texts), counts, 1.0)
    found = word_contents(corpus, sentence_options("trees", 1, content_words=rule), np.random.default_rng(1))
    assert [one.label for one in found.sentences] == ["house", "house", "river", "river"]
    assert [step.taken for step in found.steps] == [2, 1, 0]


def test_words_of_too_few_sentences_are_left_out(tmp_path):
    rule = {"words": 2, "passed_over": 0, "letters": 4, "least": 2}
    corpus = Corpus(sentences(tmp_path, "house", "house", "river"), Counter({"house": 2, "river": 1}), 1.0)
    found = word_contents(corpus, sentence_options("trees", 1, content_words=rule), np.random.default_rng(1))
    assert ([one.label for one in found.sentences], found.steps[2].taken) == (["house", "house"], 1)
