"""Sentence-level probing tests from treebanks, after SentEval (Conneau et al. 2018) and RuSentEval (2021).

SentLen and WC are tests of the words alone, which every analysis gives. The corpus holds the sentences that all tests
of a language are made from, and how frequent their words are.
"""

import functools
import gc
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from polyprobe.errors import Impossible, PolyprobeError, check_choice
from polyprobe.formats.lexica import frequency_list
from polyprobe.formats.reading.case import case_rule, lower_cased
from polyprobe.formats.reading.malformed import Handler, OnMalformed
from polyprobe.generation.language_sources import one_source, sources
from polyprobe.generation.made_tests.frequent_words import Step
from polyprobe.generation.made_tests.writing import Source
from polyprobe.generation.maker import DrawnTest, Maker, MakingSettings, Written
from polyprobe.generation.sentence_tests.from_dependencies.clause_types import dependency_rules
from polyprobe.generation.sentence_tests.from_dependencies.dependency_tests import (
    WC_OF_LEMMAS,
    dependency_tests,
    of_frequent_lemmas,
)
from polyprobe.generation.sentence_tests.from_dependencies.treebank_sentences import read_treebank
from polyprobe.generation.sentence_tests.from_trees.changed_sentences import BSHIFT, COORD_INV, SOMO
from polyprobe.generation.sentence_tests.from_trees.described_sentences import (
    OBJ_NUM,
    SUBJ_NUM,
    TENSE,
    TOP_CONST,
    TREE_DEPTH,
)
from polyprobe.generation.sentence_tests.from_trees.tree_sentences import read_trees
from polyprobe.generation.sentence_tests.labelled_sentences import (
    ANALYSES,
    Analysed,
    AnalysedSentence,
    Candidates,
    Corpus,
    LabelledSentence,
    SentenceOptions,
    SentenceTest,
    Sieve,
    content_words,
    sentence_options,
)
from polyprobe.generation.sentence_tests.sentence_splits import (
    corpus_statistics,
    documents_dealt,
    draw_test,
    origins_of,
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
class Analysis:
    """A kind of analysis that sentences have."""

    name: str
    """Of `ANALYSES`."""
    case: str
    """How words are lower-cased, as `lower_cased` takes it."""
    read: Callable[[Sequence[Path], OnMalformed], Iterable[AnalysedSentence]]
    """Reads the sentences of files, in their order."""
    tests: Sequence[SentenceTest]
    """That are made from it, in the order of the tables."""


CONSTITUENCY_TREES = Analysis(
    "trees",
    "unicode",
    read_trees,
    (SENT_LEN, WC, TREE_DEPTH, TOP_CONST, BSHIFT, TENSE, SUBJ_NUM, OBJ_NUM, SOMO, COORD_INV),
)


def dependency_trees(language: str, case: str) -> Analysis:
    """Returns the analysis of UD treebanks.

    Args:
        language: ISO 639-1, for what tests look for.
        case: how words are lower-cased, as `lower_cased` takes it.
    """
    tests = (SENT_LEN, WC_OF_LEMMAS, TREE_DEPTH, *dependency_tests(dependency_rules(language)))
    return Analysis("treebanks", case, lambda paths, on_malformed: read_treebank(paths, case, on_malformed), tests)


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


class SentenceTests(Maker):
    """Tests of sentences; files: those that have the analysis, by its name, and `frequency`, a list with counts.

    Without such a list words are counted in the sentences.
    """

    section = "sentence_level"
    known = ("tests", "sentence_level", "on_malformed", "dotless_i")
    options: SentenceOptions

    def __init__(
        self, options: SentenceOptions, files: Mapping[str, Sequence[Source]], on_malformed: Handler, analysis: Analysis
    ):
        super().__init__(options, files, on_malformed)
        self.analysis = analysis

    @classmethod
    def of(cls, settings: MakingSettings) -> Self:
        check_choice("rules", settings.rules, ("article", "released"))
        if settings.rules == "released":
            raise Impossible(
                "suite=sentences has no rules=released: SentEval and RuSentEval released tests, but not "
                "the code that generates them. Expected rules=article; single rules are options of sentence_level."
            )
        changes = settings.changes(cls.section)
        name = changes.pop("analysis", None) or _default_analysis(settings)
        check_choice("sentence_level.analysis", name, ANALYSES)
        analysis = CONSTITUENCY_TREES
        if name == "treebanks":
            analysis = dependency_trees(settings.language, case_rule(True, settings.dotless_i))
        options = sentence_options(analysis.name, settings.seed, **changes)
        files = {analysis.name: sources(settings.files, analysis.name)}
        files["frequency"] = [one_source(settings.files, "frequency")] if options.frequency == "list" else []
        return cls(options, files, settings.handler(), analysis)

    def known_by(self, settings: MakingSettings) -> dict[str, Any]:
        return {"analysis": self.analysis.name, **super().known_by(settings)}

    @property
    def possible(self) -> Mapping[str, SentenceTest]:
        return {test.name: test for test in self.analysis.tests}

    @cached_property
    @_uncollected()
    def corpus(self) -> tuple[Corpus, Sequence[Step]]:
        """What all tests are made from, and what filters took before."""
        analysis, options, is_treebank = self.analysis, self.options, self.analysis.name == "treebanks"
        path = self.path_if_any("frequency")
        listed = None if path is None else listed_counts(path, analysis.case, self.on_malformed)
        sentences = list(analysis.read(self.paths(analysis.name), self.on_malformed))
        sentences, sieved = of_frequent_lemmas(sentences, listed, options) if is_treebank else (sentences, ())
        corpus, steps = corpus_of(sentences, listed, options, analysis.case)
        return corpus, [*sieved, *steps]

    def of_files(self) -> dict[str, Any]:
        corpus, _ = self.corpus
        said = {"analysis": self.analysis.name, "malformed_rows_left_out": len(self.on_malformed.places)}
        return {"corpus": {**said, **corpus_statistics(corpus, self.options)}}

    @_uncollected()
    def written(self, folder: Path, name: str) -> Written:
        return super().written(folder, name)

    def drawn(self, name: str) -> DrawnTest:
        (corpus, taken), options, test = self.corpus, self.options, self.possible[name]
        generator = np.random.default_rng(derived_seed(options.seed, "sentence level", name))
        found = test.find(corpus, options, generator)
        of_documents = np.random.default_rng(derived_seed(options.seed, "sentence level", "documents"))  # of every test
        documents = documents_dealt((one.document for one in corpus.sentences), options.document_shares, of_documents)
        pools, in_two_splits = sentences_dealt(found.sentences, documents, options.items)
        items = draw_test(test, pools, options, generator)
        n_left, n_items = in_two_splits.left, sum(map(len, items.values()))
        not_drawn = Step("not drawn", "sentences", n_left - n_items, n_items)
        steps = [*taken, *found.steps, in_two_splits, not_drawn]
        rows = {split: [(" ".join(one.words), one.label) for one in of_split] for split, of_split in items.items()}
        return DrawnTest(name, rows, origins_of(items), steps, lambda: statistics_of(items))

    def write(self, folder: Path, test: DrawnTest, statistics: Mapping[str, Any]) -> None:
        write_sentence_test(folder, test.name, test.rows, test.origins, statistics)


def _default_analysis(settings: MakingSettings) -> str:
    """Names the analysis of the files that the command names, otherwise of those of the language: trees first."""
    for named in (settings.files.made_from, settings.lang.get("made_from") or {}):
        for analysis in ANALYSES:
            if named.get(analysis):
                return analysis
    return "treebanks"
