"""How many of a suite's words an encoder's vocabulary lacks (Tables A.1 and A.2 of Şahin et al. 2020)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from src.encoders.base.encoder import Encoder
from src.encoders.base.word_means import numbered
from src.items import words_of
from src.probing.suites.tests import Examples, ProbingTest
from src.splits import SPLITS


@dataclass(frozen=True, slots=True)
class SplitCoverage:
    """What a vocabulary lacks of one split."""

    test: str
    split: str
    unknown: float
    """Share of the word occurrences that the vocabulary lacks, 0 to 1."""
    n: int
    """Word occurrences: one for a form and for a token (its own form), two for a pair, all words of a sentence."""


def coverages(encoder: Encoder, tests: Sequence[ProbingTest]) -> list[SplitCoverage]:
    """Counts for every test and split; returns none for an encoder that composes a vector for every word."""
    splits = [(test.name, name, getattr(test, name)) for test in tests for name in SPLITS]
    distinct = numbered(word for _, _, examples in splits for word in _words(examples))
    found = encoder.known(list(distinct))
    if found is None:
        return []
    known = found.tolist()  # plain values, which a checkpoint may keep
    return [
        _coverage(test, name, [known[distinct[word]] for word in _words(examples)]) for test, name, examples in splits
    ]


def _coverage(test: str, split: str, known: list[bool]) -> SplitCoverage:
    return SplitCoverage(test, split, 1 - sum(known) / len(known), len(known))


def _words(examples: Examples) -> Iterator[str]:
    return (word for items in examples.items for word in _all_words(items))


def _all_words(items: Iterable) -> Iterator[str]:
    return (word for item in items for word in words_of(item))
