"""Tests of the words alone, which every analysis gives: SentLen and WC."""

from bisect import bisect_left
from collections import Counter

import numpy as np

from src.frequency import by_frequency
from src.generation.made_tests.filters import Step
from src.generation.sentence_tests.labelled_sentences import Corpus, Found, LabelledSentence, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions


def lengths(corpus: Corpus, options: SentenceOptions, generator: np.random.Generator) -> Found:
    """SentLen: which of the bins of `length_bins` the number of words is in, from 0."""
    found = [
        LabelledSentence(one.words, str(bisect_left(options.length_bins, len(one.words))), (), one.document, one.place)
        for one in corpus.sentences
    ]
    return Found(found, ())


def word_contents(corpus: Corpus, options: SentenceOptions, generator: np.random.Generator) -> Found:
    """WC: which one of some words of middling frequency a sentence has, in lower case.

    Published are the 1,000 words from rank 2,001 on that have at least 4 letters, of sentences with exactly one of
    them. Ranks are by `corpus.counts`, of words of letters alone; rank and number are scaled as windows are, and a word
    is passed over that fewer than `least` sentences have alone. What is named as the label stays a word of every split:
    there is no target.
    """
    rule = options.content_words
    ranked = [word for word in by_frequency(corpus.counts) if len(word) >= rule["letters"] and word.isalpha()]
    first, n_words = round(rule["passed_over"] * corpus.scale), max(2, round(rule["words"] * corpus.scale))
    wanted = set(ranked[first : first + n_words])
    contents = [sorted(wanted.intersection(word.lower() for word in one.words)) for one in corpus.sentences]
    single = [
        LabelledSentence(one.words, words[0], (), one.document, one.place)
        for one, words in zip(corpus.sentences, contents, strict=True)
        if len(words) == 1
    ]
    n_with = sum(map(bool, contents))
    counts = Counter(one.label for one in single)
    kept = [one for one in single if counts[one.label] >= rule["least"]]
    steps = (
        Step("none of the words", "sentences", len(contents) - n_with, n_with),
        Step("several of the words", "sentences", n_with - len(single), len(single)),
        Step("word of too few sentences", "sentences", len(single) - len(kept), len(kept)),
    )
    return Found(kept, steps)


SENT_LEN = SentenceTest("SentLen", lengths, "equal")
WC = SentenceTest("WC", word_contents, "even")
