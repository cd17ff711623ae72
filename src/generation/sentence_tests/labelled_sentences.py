"""What the makers of sentence-level tests share: analysed sentences go in, labelled sentences come out.

Their options are the block `sentence_level` of conf/generate.yaml.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

import numpy as np
from annotated_types import Ge, Gt, Le, Predicate

from polyprobe.frequency import by_frequency
from polyprobe.generation.made_tests.frequent_words import Step
from polyprobe.generation.made_tests.labels import Items, Shares
from polyprobe.generation.rule_files import rules_of
from polyprobe.section import AboveZero, Expected, Number, Section, check_options

ANALYSES = ("trees", "treebanks")  # constituency trees, UD treebanks
_RULES = Path(__file__).with_name("rules.yaml")


Window = Annotated[
    Sequence[int],
    Predicate(lambda window: len(window) == 2 and 0 <= window[0] <= window[1]),
    Expected("[fewest, most]", of_parts=True),
]
Share = Annotated[Number, Gt(0), Le(1)]
AtLeastOne = Annotated[Number, Ge(1)]
OfContentWords = Literal["words", "passed_over", "letters", "least"]


class SentenceOptions(Section, key="sentence_level"):
    """How sentence-level tests are made; conf/generate.yaml says what each option is."""

    length: Window
    length_bins: Annotated[
        Sequence[int],
        Predicate(lambda lengths: list(lengths) == sorted(set(lengths))),
        Expected("rising lengths", of_parts=True),
    ]
    target_frequency: Window | None
    parts_of_speech: Literal["one", "any"]
    least_label_share: Share
    least_lemma_frequency: AboveZero
    odd_frequency: Window
    odd_bigram_ratio: AtLeastOne
    content_words: Annotated[
        Mapping[str, Annotated[int, Ge(0)]],
        Predicate(lambda given: set(given) == set(get_args(OfContentWords))),
        Expected(f"a number for {', '.join(get_args(OfContentWords))}"),
    ]
    """`words`, how many; `passed_over`, how many are more frequent; `letters`, the fewest of a word; `least`, the
    fewest sentences of a word.
    """
    windows: Literal["published", "scaled"]
    """They are multiplied with the sentences of the corpus over those of a published test, where there are fewer."""
    frequency: Literal["corpus", "list"]
    depths: Window
    depth_correlation: Share
    top_constituents: Annotated[int, Ge(2)]
    uneven: AtLeastOne
    document_shares: Shares
    sizes: Literal["published", "scaled"]
    items: Items
    seed: int
    """Of every draw."""


def sentence_options(analysis: str, seed: int, **changes: Any) -> SentenceOptions:
    """Returns the options of tests from one kind of analysis.

    Args:
        analysis: one of `ANALYSES`.
        changes: options that differ from `rules.yaml`.

    Raises:
        UnknownChoice: of an option or its value.
        BadValue: a number out of its range.
    """
    check_options(SentenceOptions, changes)
    rules = rules_of(_RULES)
    return SentenceOptions(**{**rules["both"], **rules[analysis], **changes, "seed": seed})


@dataclass(frozen=True, slots=True)
class AnalysedSentence:
    """A sentence, which has an analysis besides: a constituency tree, a dependency tree."""

    words: tuple[str, ...]
    """As written; a blank inside one is a no-break space."""
    document: str
    """What it stands in; a sentence of a corpus without documents is a document of its own."""
    place: Mapping[str, Any]
    """Where it stands, for `origin.jsonl`: file, line, sentence id or document."""


Analysed = TypeVar("Analysed", bound=AnalysedSentence)
Item = TypeVar("Item")
Other = TypeVar("Other")


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

    @classmethod
    def of(
        cls,
        sentence: AnalysedSentence,
        label: str,
        targets: tuple[str, ...] = (),
        words: tuple[str, ...] | None = None,
        **changes: Any,
    ) -> "LabelledSentence":
        """Labels a sentence, as it was written or in other words; its origin says `changes` beside its place."""
        written = sentence.words if words is None else words
        return cls(written, label, targets, sentence.document, {**sentence.place, **changes})


@dataclass(frozen=True)
class Sieve(Generic[Item]):
    """Sentences, or what was made of them, that the rules of a test leave; `steps` says what each took, in order."""

    sentences: Sequence[Item]
    steps: tuple[Step, ...] = ()

    def kept_by(self, name: str, keeps: Callable[[Item], bool]) -> "Sieve[Item]":
        """Leaves those that a rule of this name keeps."""
        return self.leaving(name, [one for one in self.sentences if keeps(one)])

    def turned_by(self, name: str, turned: Callable[[Item], Other | None]) -> "Sieve[Other]":
        """Leaves what a rule of this name makes of them, without those of which it makes None."""
        return self.leaving(name, [other for other in map(turned, self.sentences) if other is not None])

    def leaving(self, name: str, left: Sequence[Other]) -> "Sieve[Other]":
        """Leaves these, by a rule of this name."""
        step = Step(name, "sentences", len(self.sentences) - len(left), len(left))
        return Sieve(left, (*self.steps, step))

    def labelled(self, labelled: Callable[[Item], LabelledSentence]) -> "Candidates":
        """Makes a labelled sentence of each."""
        return Sieve(list(map(labelled, self.sentences)), self.steps)


Candidates = Sieve[LabelledSentence]
"""What the rules of a test leave."""


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


def swapped(words: tuple[str, ...], place: int) -> tuple[str, ...]:
    """Swaps the words at a place, from 0, and after it."""
    return (*words[:place], words[place + 1], words[place], *words[place + 2 :])


def content_words(
    corpus: Corpus, rule: Mapping[str, int], unit: str, words: Sequence[Iterable[str]], counts: Mapping[str, float]
) -> Candidates:
    """Labels sentences that have exactly one of some words, however often, with it.

    The words are those of the ranks asked for, at least two. Ranks are of words of letters alone; rank and number are
    scaled as windows are.

    Args:
        rule: `SentenceOptions.content_words`.
        unit: "word" or "lemma".
        words: of each sentence of the corpus.
        counts: by which words are ranked.
    """
    ranked = [word for word in by_frequency(counts) if len(word) >= rule["letters"] and word.isalpha()]
    first, n_words = round(rule["passed_over"] * corpus.scale), max(2, round(rule["words"] * corpus.scale))
    wanted = set(ranked[first : first + n_words])
    found = [(one, sorted(wanted.intersection(of_one))) for one, of_one in zip(corpus.sentences, words, strict=True)]
    sieve = Sieve(found).kept_by(f"none of the {unit}s", lambda one: one[1])
    sieve = sieve.kept_by(f"several of the {unit}s", lambda one: len(one[1]) == 1)
    n_alone = Counter(words[0] for _, words in sieve.sentences)
    sieve = sieve.kept_by(f"{unit} of too few sentences", lambda one: n_alone[one[1][0]] >= rule["least"])
    return sieve.labelled(lambda one: LabelledSentence.of(one[0], one[1][0]))


@dataclass(frozen=True, slots=True)
class SentenceTest:
    """How a test is made."""

    name: str
    find: Callable[[Corpus, SentenceOptions, np.random.Generator], Candidates]
    """From a corpus, options and a generator of its own to labelled sentences; it does not deal out splits."""
    labels: str
    """How a split is drawn. "equal": as many of every label; "even": as evenly as there are sentences; "found": as they
    fall.
    """
