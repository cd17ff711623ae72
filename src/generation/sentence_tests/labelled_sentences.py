"""What the makers of sentence-level tests share: analysed sentences go in, labelled sentences come out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from src.generation.made_tests.frequent_words import Step
from src.generation.sentence_tests.sentence_options import SentenceOptions


class AnalysedSentence(Protocol):
    """A sentence with its analysis: a constituency tree, a dependency tree.

    Attributes:
        words: as written.
        document: what it stands in; a sentence of a corpus without documents is a document of its own.
        place: where it stands, for `origin.jsonl`: file, line, sentence id.
    """

    @property
    def words(self) -> tuple[str, ...]: ...

    @property
    def document(self) -> str: ...

    @property
    def place(self) -> Mapping[str, Any]: ...


Analysed = TypeVar("Analysed", bound=AnalysedSentence)


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """An item of a test before the test is drawn."""

    words: tuple[str, ...]
    """As written into the test."""
    label: str
    """A word of the test."""
    targets: tuple[str, ...]
    """Lower-cased forms that the label rests on: they stand in one split only. Empty where a test has none."""
    document: str
    """Stands in one split only."""
    origin: Mapping[str, Any]
    """Where the sentence stands and what was done to it, as plain values."""


@dataclass(frozen=True)
class Found:
    """What the rules of a test leave: `steps` says what each took, in order."""

    sentences: Sequence[LabelledSentence]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Corpus(Generic[Analysed]):
    """The sentences that all tests of a language are made from."""

    sentences: Sequence[Analysed]
    """Those in the length window, each once, in the order of the files."""
    counts: Mapping[str, float]
    """Of each lower-cased word, in a text of the size of the corpus: its own, or from a frequency list."""
    scale: float
    """What the published frequency windows and ranks are multiplied with; at most 1."""

    def is_within(self, word: str, window: Sequence[float]) -> bool:
        """Says whether a lower-cased word is as frequent as a published window asks for, scaled to the corpus."""
        fewest, most = window
        return fewest * self.scale <= self.counts.get(word, 0) <= most * self.scale


@dataclass(frozen=True, slots=True)
class SentenceTest:
    """How a test is made."""

    name: str
    find: Callable[[Corpus, SentenceOptions, np.random.Generator], Found]
    """From a corpus, options and a generator of its own to labelled sentences; it does not deal out splits."""
    labels: str
    """How a split is drawn. "equal": as many of every label; "even": as evenly as there are sentences; "found": as they
    fall.
    """
