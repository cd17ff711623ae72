"""Sentence-level probing tests from treebanks, after SentEval (Conneau et al. 2018) and RuSentEval (2021).

SentLen and WC are tests of the words alone, which every analysis gives. The corpus holds the sentences that all tests
of a language are made from, and how frequent their words are.
"""

import dataclasses
import functools
import gc
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

import numpy as np

from polyprobe.errors import Impossible, PolyprobeError, check_choice
from polyprobe.formats.lexica import frequency_list
from polyprobe.formats.reading.case import lower_cased
from polyprobe.formats.reading.malformed import Handler, OnMalformed
from polyprobe.generation.made_tests.frequent_words import Step
from polyprobe.generation.made_tests.labels import check_train
from polyprobe.generation.made_tests.row_statistics import LeftOut, Written, made_in_turn
from polyprobe.generation.made_tests.writing import Source, described
from polyprobe.generation.sentence_tests.from_dependencies.dependency_rules import dependency_rules
from polyprobe.generation.sentence_tests.from_dependencies.dependency_tests import (
    WC_OF_LEMMAS,
    dependency_tests,
    of_frequent_lemmas,
)
from polyprobe.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence, read_treebank
from polyprobe.generation.sentence_tests.from_trees.changed_sentences import BSHIFT, COORD_INV, SOMO
from polyprobe.generation.sentence_tests.from_trees.described_sentences import (
    OBJ_NUM,
    SUBJ_NUM,
    TENSE,
    TOP_CONST,
    TREE_DEPTH,
)
from polyprobe.generation.sentence_tests.from_trees.tree_sentences import TreeSentence, read_trees
from polyprobe.generation.sentence_tests.labelled_sentences import (
    Analysed,
    Candidates,
    Corpus,
    LabelledSentence,
    SentenceOptions,
    SentenceTest,
    Sieve,
    content_words,
)
from polyprobe.generation.sentence_tests.sentence_splits import (
    corpus_statistics,
    documents_dealt,
    draw_test,
    sentences_dealt,
    statistics_of,
    write_sentence_test,
)
from polyprobe.seeds import derived_seed

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
    sieve = Sieve(sentences).kept_by(f"{fewest} to {most} words", lambda one: fewest <= len(one.words) <= most)
    first = {tuple(map(lower, one.words)): one for one in reversed(sieve.sentences)}
    sieve = sieve.leaving("repeat another", list(first.values())[::-1])
    counted = Counter(lower(word) for one in sentences for word in one.words)
    counts: Mapping[str, float] = counted
    if listed is not None:  # scaled to a text of the size of the corpus
        ratio = sum(counted.values()) / max(1, sum(listed.values()))
        counts = {word: count * ratio for word, count in listed.items()}
    scale = min(1.0, len(sieve.sentences) / PUBLISHED_ROWS) if options.windows == "scaled" else 1.0
    return Corpus(sieve.sentences, counts, scale), sieve.steps


def listed_counts(path: Path, case: str, on_malformed: OnMalformed) -> dict[str, int]:
    """Reads the counts of a frequency list; those of words that differ in case alone are added up.

    Args:
        path: in a layout of `polyprobe.formats.lexica.frequency_list`.
        case: how words are lower-cased, as `lower_cased` takes it.
    """
    counts: Counter[str] = Counter()
    for row in frequency_list.read(path, on_malformed):
        if row.count is None:
            found = f"{path} has words without counts. Expected a word and its count in each line"
            raise PolyprobeError(f"{found}; to count in the corpus itself: sentence_level.frequency=corpus")
        counts[lower_cased(row.word, case)] += row.count
    return counts


def lengths(corpus: Corpus, options: SentenceOptions, generator: np.random.Generator) -> Candidates:
    """SentLen: which of the bins of `length_bins` the number of words is in, from 0."""
    bins = options.length_bins
    return Sieve([LabelledSentence.of(one, str(bisect_left(bins, len(one.words)))) for one in corpus.sentences])


def word_contents(corpus: Corpus, options: SentenceOptions, generator: np.random.Generator) -> Candidates:
    """WC: which one of some words of middling frequency a sentence has, in lower case.

    Published are the 1,000 words from rank 2,001 on that have at least 4 letters, of sentences with exactly one of
    them. Ranks are by `corpus.counts`, and a word is passed over that fewer than `least` sentences have alone. What is
    named as the label stays a word of every split: there is no target.
    """
    words = [map(str.lower, one.words) for one in corpus.sentences]
    return content_words(corpus, options.content_words, "word", words, corpus.counts)


SENT_LEN = SentenceTest("SentLen", lengths, "equal")
WC = SentenceTest("WC", word_contents, "even")


@dataclass(frozen=True)
class Analysis(Generic[Analysed]):
    """A kind of analysis that sentences have."""

    name: str
    """Of `ANALYSES`."""
    case: str
    """How words are lower-cased, as `lower_cased` takes it."""
    read: Callable[[Sequence[Path], OnMalformed], Iterable[Analysed]]
    """Reads the sentences of files, in their order."""
    sieve: Callable[
        [Sequence[Analysed], Mapping[str, int] | None, SentenceOptions], tuple[Sequence[Analysed], tuple[Step, ...]]
    ]
    """Leaves some of them, by the counts of a frequency list or None, and says what it took."""
    tests: Sequence[SentenceTest]
    """That are made from it, in the order of the tables."""


CONSTITUENCY_TREES: Analysis[TreeSentence] = Analysis(
    "trees",
    "unicode",
    read_trees,
    lambda sentences, listed, options: (sentences, ()),
    (SENT_LEN, WC, TREE_DEPTH, TOP_CONST, BSHIFT, TENSE, SUBJ_NUM, OBJ_NUM, SOMO, COORD_INV),
)


def dependency_trees(language: str, case: str) -> Analysis[TreebankSentence]:
    """Returns the analysis of UD treebanks.

    Args:
        language: ISO 639-1, for what tests look for.
        case: how words are lower-cased, as `lower_cased` takes it.
    """
    return Analysis(
        "treebanks",
        case,
        lambda paths, on_malformed: read_treebank(paths, case, on_malformed),
        of_frequent_lemmas,
        (SENT_LEN, WC_OF_LEMMAS, TREE_DEPTH, *dependency_tests(dependency_rules(language))),
    )


@dataclass(frozen=True, slots=True)
class AnalysedFiles:
    """Sentences that tests are made from."""

    sources: Sequence[Source]
    """Read one file after the other."""
    analysis: Analysis
    frequency: Source | None = None
    """A frequency list with counts; None: words are counted in the sentences."""


def make_sentence_tests(
    files: AnalysedFiles,
    folder: Path,
    options: SentenceOptions,
    tests: Sequence[str] | None,
    on_malformed: Handler,
) -> Iterator[Written | LeftOut]:
    """Makes the tests of a language, each whole or not at all.

    Args:
        tests: their names; None for all of the analysis.
    """
    known = {test.name: test for test in files.analysis.tests}
    names = list(known) if tests is None else tests
    for name in names:
        _check_test(name, files.analysis, known)
    material = _material(files, options, on_malformed)
    yield from made_in_turn(names, lambda name: _written(known[name], *material, options, folder), files.sources)


def _check_test(name: str, analysis: Analysis, known: Collection[str]) -> None:
    of_trees = [test.name for test in CONSTITUENCY_TREES.tests]
    if name in of_trees and name not in known:
        advice = f"made_from.trees=… sentence_level.analysis={CONSTITUENCY_TREES.name}"
        raise Impossible(
            f"The test {name} is made from constituency trees, not from {analysis.name}: {advice}. "
            f"Tests from {analysis.name}: {', '.join(sorted(known))}."
        )
    check_choice("The test", name, known)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Suspends the search for cyclic garbage, of which nothing here makes any.

    It would walk millions of words that stay, time and again: a third of the time that a million words take.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_uncollected()
def _material(
    files: AnalysedFiles, options: SentenceOptions, on_malformed: Handler
) -> tuple[Corpus, Sequence[Step], Mapping[str, Any]]:
    """Returns what all tests are made from, what filters took before, and what statistics say of both."""
    analysis, frequency = files.analysis, files.frequency
    listed = None if frequency is None else listed_counts(frequency.path, analysis.case, on_malformed)
    sentences = list(analysis.read([source.path for source in files.sources], on_malformed))
    sentences, sieved = analysis.sieve(sentences, listed, options)
    corpus, steps = corpus_of(sentences, listed, options, analysis.case)
    of_corpus = {
        "analysis": analysis.name,
        "malformed_rows_left_out": len(on_malformed.places),
        **corpus_statistics(corpus, options),
    }
    made_from = described([*files.sources, *([frequency] if frequency else [])])
    of_all_tests = {"corpus": of_corpus, "made_from": made_from, "options": dataclasses.asdict(options)}
    return corpus, [*sieved, *steps], of_all_tests


@_uncollected()
def _written(
    test: SentenceTest,
    corpus: Corpus,
    taken: Sequence[Step],
    of_all_tests: Mapping[str, Any],
    options: SentenceOptions,
    folder: Path,
) -> Written:
    """Makes a test; the same from the same corpus, options and seed, whatever else is made."""
    generator = np.random.default_rng(derived_seed(options.seed, "sentence level", test.name))
    found = test.find(corpus, options, generator)
    of_documents = np.random.default_rng(derived_seed(options.seed, "sentence level", "documents"))  # of every test
    documents = documents_dealt((one.document for one in corpus.sentences), options.document_shares, of_documents)
    pools, in_two_splits = sentences_dealt(found.sentences, documents, options.items)
    items = draw_test(test, pools, options, generator)
    check_train(test.name, (one.label for one in items["train"]))
    n_left, n_items = in_two_splits.left, sum(map(len, items.values()))
    not_drawn = Step("not drawn", "sentences", n_left - n_items, n_items)
    steps = [*taken, *found.steps, in_two_splits, not_drawn]
    statistics = {"test": test.name, **statistics_of(items, steps), **of_all_tests}
    write_sentence_test(folder, test.name, items, statistics)
    return Written(test.name, statistics)
