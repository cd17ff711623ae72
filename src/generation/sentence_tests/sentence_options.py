"""The options of sentence-level tests, block `sentence_level` of conf/generate.yaml."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.errors import BadValue, check_above_zero, check_at_least, check_choice
from src.generation.made_tests.option_checks import check_items, check_option_names, check_splits
from src.generation.rule_files import rules_of

ANALYSES = ("trees", "treebanks")  # constituency trees, UD treebanks
_RULES = Path(__file__).with_name("rules.yaml")

_CHOICES = {
    "sizes": ("published", "scaled"),
    "windows": ("published", "scaled"),
    "frequency": ("corpus", "list"),
    "parts_of_speech": ("one", "any"),
}
_WINDOWS = ("length", "depths", "target_frequency", "odd_frequency")
_ABOVE_ZERO = ("depth_correlation", "odd_bigram_ratio", "uneven", "least_label_share", "least_lemma_frequency")
_CONTENT_WORDS = ("words", "passed_over", "letters", "least")


@dataclass(frozen=True, slots=True)
class SentenceOptions:
    """How sentence-level tests are made.

    Attributes:
        length: fewest and most words of a sentence.
        length_bins: the longest sentence of each class of SentLen but the last.
        target_frequency: fewest and most occurrences of a target (Tense, numbers, …); None: any.
        parts_of_speech: of targets, in UD treebanks. "one": a form that is several in the corpus is no target; "any".
        least_label_share: in UD treebanks a third or later label of such a test has at least this share (0 to 1) of the
            sentences of the commonest.
        least_lemma_frequency: in UD treebanks, with a frequency list: the least mean frequency of a sentence's lemmas,
            in occurrences per million.
        odd_frequency: of the word replaced in SOMO and of the word in its place.
        odd_bigram_ratio: of SOMO: by which factor counts of bigrams with the one and the other word may differ.
        content_words: of WC: `words`, how many; `passed_over`, how many are more frequent; `letters`, the fewest of a
            word; `least`, the fewest sentences of a word.
        windows: "published": frequencies and ranks as they stand; "scaled": multiplied with the sentences of the corpus
            over those of a published test, where there are fewer.
        frequency: "corpus": counted in the corpus; "list": in a frequency list, scaled to the size of the corpus.
        depths: the least and the greatest depth of TreeDepth.
        depth_correlation: the greatest correlation of depth and length, without its sign.
        top_constituents: classes of TopConst, OTHER among them.
        uneven: of tests whose labels are as even as there are sentences (TopConst, WC): how many times its equal share
            a label may have.
        document_shares: of the sentences, by split, for dealing out the documents.
        sizes: "published": as many items as `items` says, or no test; "scaled": where there are too few, the largest
            test of whole hundreds.
        items: of each split.
        seed: of every draw.
    """

    length: Sequence[int]
    length_bins: Sequence[int]
    target_frequency: Sequence[int] | None
    parts_of_speech: str
    least_label_share: float
    least_lemma_frequency: float
    odd_frequency: Sequence[int]
    odd_bigram_ratio: float
    content_words: Mapping[str, int]
    windows: str
    frequency: str
    depths: Sequence[int]
    depth_correlation: float
    top_constituents: int
    uneven: float
    document_shares: Mapping[str, float]
    sizes: str
    items: Mapping[str, int]
    seed: int

    def __post_init__(self):
        for name, known in _CHOICES.items():
            check_choice(f"sentence_level.{name}", getattr(self, name), known)
        for name in _WINDOWS:
            if getattr(self, name) is not None or name != "target_frequency":
                _check_window(f"sentence_level.{name}", getattr(self, name))
        for name in _ABOVE_ZERO:
            check_above_zero(f"sentence_level.{name}", getattr(self, name))
        for name in ("least_label_share", "depth_correlation"):
            if getattr(self, name) > 1:
                raise BadValue(f"sentence_level.{name}", getattr(self, name), "a number above 0, at most 1")
        if not isinstance(self.content_words, Mapping) or set(self.content_words) != set(_CONTENT_WORDS):
            raise BadValue(
                "sentence_level.content_words", self.content_words, f"a number for {', '.join(_CONTENT_WORDS)}"
            )
        for name, number in self.content_words.items():
            check_at_least(f"sentence_level.content_words.{name}", number, 0)
        check_items("sentence_level.items", self.items)
        check_splits("sentence_level.document_shares", self.document_shares)
        for split, part in self.document_shares.items():
            check_above_zero(f"sentence_level.document_shares.{split}", part)
        if not math.isclose(sum(self.document_shares.values()), 1, abs_tol=1e-6):
            raise BadValue("sentence_level.document_shares", dict(self.document_shares), "shares whose sum is 1")
        check_at_least("sentence_level.top_constituents", self.top_constituents, 2)
        for name in ("odd_bigram_ratio", "uneven"):
            if getattr(self, name) < 1:
                raise BadValue(f"sentence_level.{name}", getattr(self, name), "a number of at least 1")
        is_list = isinstance(self.length_bins, Sequence) and all(isinstance(end, int) for end in self.length_bins)
        if not is_list or list(self.length_bins) != sorted(set(self.length_bins)):
            raise BadValue("sentence_level.length_bins", self.length_bins, "rising lengths")


def sentence_options(analysis: str, seed: int, **changes: Any) -> SentenceOptions:
    """Returns the options of tests from one kind of analysis.

    Args:
        analysis: one of `ANALYSES`.
        seed: of every draw.
        changes: options that differ from `rules.yaml`.

    Raises:
        UnknownChoice: of an analysis, an option or its value.
        BadValue: a number out of its range.
    """
    check_choice("sentence_level.analysis", analysis, ANALYSES)
    check_option_names(SentenceOptions, changes)
    rules = rules_of(_RULES)
    return SentenceOptions(**{**rules["both"], **rules[analysis], **changes, "seed": seed})


def _check_window(key: str, window: Sequence[int]) -> None:
    is_pair = isinstance(window, Sequence) and len(window) == 2
    if not (is_pair and all(isinstance(end, int) for end in window) and 0 <= window[0] <= window[1]):
        raise BadValue(key, window, "[fewest, most]")
