"""Sentence-level probing tests from treebanks, after SentEval (Conneau et al. 2018) and RuSentEval (2021)."""

import dataclasses
import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

import numpy as np

from src.errors import Impossible, check_choice
from src.formats.reading.malformed import Handler, OnMalformed
from src.generation.made_tests.frequent_words import Step
from src.generation.made_tests.labels import check_train
from src.generation.made_tests.row_statistics import LeftOut, Written, made_in_turn
from src.generation.made_tests.writing import Source, described
from src.generation.sentence_tests.dealing import documents_dealt, draw_test, sentences_dealt
from src.generation.sentence_tests.from_dependencies.dependency_rules import dependency_rules
from src.generation.sentence_tests.from_dependencies.dependency_tests import (
    WC_OF_LEMMAS,
    dependency_tests,
    of_frequent_lemmas,
)
from src.generation.sentence_tests.from_dependencies.treebank_sentences import TreebankSentence, read_treebank
from src.generation.sentence_tests.from_trees.inversions import BSHIFT, COORD_INV
from src.generation.sentence_tests.from_trees.main_clause import OBJ_NUM, SUBJ_NUM, TENSE
from src.generation.sentence_tests.from_trees.odd_man_out import SOMO
from src.generation.sentence_tests.from_trees.tree_sentences import TreeSentence, read_trees
from src.generation.sentence_tests.from_trees.tree_shape import TOP_CONST, TREE_DEPTH
from src.generation.sentence_tests.labelled_sentences import Analysed, Corpus, SentenceTest
from src.generation.sentence_tests.sentence_files import corpus_statistics, statistics_of, write_sentence_test
from src.generation.sentence_tests.sentence_options import SentenceOptions
from src.generation.sentence_tests.surface_tests import SENT_LEN, WC, corpus_of, listed_counts
from src.seeds import derived_seed


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
        lambda paths, on_malformed: read_treebank(paths, case, on_malformed).sentences,
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
    yield from made_in_turn(names, lambda name: _written(known[name], material, options, folder), files.sources)


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


@dataclass(frozen=True, slots=True)
class _Material:
    """What all tests are made from: a corpus, what filters took before, and what statistics say of both."""

    corpus: Corpus
    steps: Sequence[Step]
    described: Mapping[str, Any]


@_uncollected()
def _material(files: AnalysedFiles, options: SentenceOptions, on_malformed: Handler) -> _Material:
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
    return _Material(corpus, [*sieved, *steps], of_all_tests)


@_uncollected()
def _written(test: SentenceTest, material: _Material, options: SentenceOptions, folder: Path) -> Written:
    """Makes a test; the same from the same corpus, options and seed, whatever else is made."""
    generator = np.random.default_rng(derived_seed(options.seed, "sentence level", test.name))
    corpus = material.corpus
    found = test.find(corpus, options, generator)
    dealt = sentences_dealt(found.sentences, _documents(corpus, options), options.items)
    items = draw_test(test, dealt.pools, options, generator)
    check_train(test.name, (one.label for one in items["train"]))
    n_left, n_items = dealt.step.left, sum(map(len, items.values()))
    taken = [*material.steps, *found.steps, dealt.step, Step("not drawn", "sentences", n_left - n_items, n_items)]
    statistics = {"test": test.name, **statistics_of(items, taken), **material.described}
    write_sentence_test(folder, test.name, items, statistics)
    return Written(test.name, statistics)


def _documents(corpus: Corpus, options: SentenceOptions) -> dict[str, str]:
    """Deals the documents out, the same for every test."""
    generator = np.random.default_rng(derived_seed(options.seed, "sentence level", "documents"))
    return documents_dealt((one.document for one in corpus.sentences), options.document_shares, generator)
