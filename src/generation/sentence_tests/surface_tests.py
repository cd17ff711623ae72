"""Tests of the words alone, which every analysis gives: SentLen and WC.

The corpus holds the sentences that all tests of a language are made from, and how frequent their words are.
"""

import functools
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from src.errors import PolyprobeError
from src.formats.lexica import frequency_list
from src.formats.reading.case import lower_cased
from src.formats.reading.malformed import OnMalformed
from src.frequency import by_frequency
from src.generation.made_tests.frequent_words import Step
from src.generation.sentence_tests.labelled_sentences import Analysed, Corpus, Found, LabelledSentence, SentenceTest
from src.generation.sentence_tests.sentence_options import SentenceOptions

PUBLISHED_ROWS = 120_000  # of a test; published frequency windows and ranks suit texts that give so many


def corpus_of(
    sentences: Sequence[Analysed], listed: Mapping[str, int] | None, options: SentenceOptions, case: str
) -> tuple[Corpus[Analysed], tuple[Step, ...]]:
    """Leaves out what is too short or too long, and what repeats a sentence before.

    Args:
        sentences: all, in the order of the files.
        listed: counts of a frequency list; None: words are counted in the sentences, all of them.
        options: length window and frequency windows.
        case: how words are lower-cased, as `lower_cased` takes it: the rule of the list and of the analysis.
    """
    lower = functools.cache(lambda word: lower_cased(word, case))
    fewest, most = options.length
    fitting = [one for one in sentences if fewest <= len(one.words) <= most]
    different = list({tuple(map(lower, one.words)): one for one in reversed(fitting)}.values())[::-1]
    steps = (
        Step(f"{fewest} to {most} words", "sentences", len(sentences) - len(fitting), len(fitting)),
        Step("repeat another", "sentences", len(fitting) - len(different), len(different)),
    )
    counted = Counter(lower(word) for one in sentences for word in one.words)
    counts = counted if listed is None else _scaled(listed, counted)
    scale = min(1.0, len(different) / PUBLISHED_ROWS) if options.windows == "scaled" else 1.0
    return Corpus(different, counts, scale), steps


def listed_counts(path: Path, case: str, on_malformed: OnMalformed) -> dict[str, int]:
    """Reads the counts of a frequency list; those of words that differ in case alone are added up.

    Args:
        path: in a layout of `src.formats.lexica.frequency_list`.
        case: how words are lower-cased, as `lower_cased` takes it.
    """
    counts: Counter[str] = Counter()
    for row in frequency_list.read(path, on_malformed):
        if row.count is None:
            found = f"{path} has words without counts. Expected a word and its count in each line"
            raise PolyprobeError(f"{found}; to count in the corpus itself: sentence_level.frequency=corpus")
        counts[lower_cased(row.word, case)] += row.count
    return counts


def _scaled(listed: Mapping[str, int], counted: Mapping[str, int]) -> dict[str, float]:
    """Scales the counts of a list to a text of the size of the corpus."""
    ratio = sum(counted.values()) / max(1, sum(listed.values()))
    return {word: count * ratio for word, count in listed.items()}


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
