"""The options of sentence-level tests, block `sentence_level` of conf/generate.yaml."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from src.errors import BadValue, check_above_zero, check_at_least, check_choice
from src.splits import SPLITS

_CHOICES = {
    "sizes": ("published", "scaled"),
    "windows": ("published", "scaled"),
    "frequency": ("corpus", "list"),
}
_WINDOWS = ("length", "target_frequency", "odd_frequency")


@dataclass(frozen=True, slots=True)
class SentenceOptions:
    """How sentence-level tests are made.

    Attributes:
        length: fewest and most words of a sentence.
        length_bins: the longest sentence of each class of SentLen but the last.
        target_frequency: fewest and most occurrences of a target (Tense, numbers, …).
        odd_frequency: of the word replaced in SOMO and of the word in its place.
        content_words: of WC: how many words, how many more frequent ones are passed over, fewest letters.
        windows: "published": frequencies and ranks as they stand; "scaled": multiplied with the sentences of the corpus
            over those of a published test, where there are fewer.
        frequency: "corpus": counted in the corpus; "list": in a frequency list, scaled to the size of the corpus.
        depths: the least and the greatest depth of TreeDepth; None: those that have sentences enough.
        depth_correlation: the greatest correlation of depth and length, without its sign.
        top_constituents: classes of TopConst, OTHER among them.
        document_shares: of the sentences, by split, for dealing out the documents.
        sizes: "published": as many items as `items` says, or no test; "scaled": where there are too few, the largest
            test of whole hundreds.
        items: of each split.
        seed: of every draw.
    """

    length: Sequence[int]
    length_bins: Sequence[int]
    target_frequency: Sequence[int]
    odd_frequency: Sequence[int]
    content_words: Mapping[str, int]
    windows: str
    frequency: str
    depths: Sequence[int] | None
    depth_correlation: float
    top_constituents: int
    document_shares: Mapping[str, float]
    sizes: str
    items: Mapping[str, int]
    seed: int

    def __post_init__(self):
        for name, known in _CHOICES.items():
            check_choice(f"sentence_level.{name}", getattr(self, name), known)
        for name in _WINDOWS:
            _check_window(f"sentence_level.{name}", getattr(self, name))
        if self.depths is not None:
            _check_window("sentence_level.depths", self.depths)
        for name in ("items", "document_shares"):
            if tuple(getattr(self, name)) != SPLITS:
                raise BadValue(f"sentence_level.{name}", dict(getattr(self, name)), "a number for train, dev and test")
        for split, n_items in self.items.items():
            check_at_least(f"sentence_level.items.{split}", n_items, 1)
        for split, part in self.document_shares.items():
            check_above_zero(f"sentence_level.document_shares.{split}", part)
        check_above_zero("sentence_level.depth_correlation", self.depth_correlation)
        check_at_least("sentence_level.top_constituents", self.top_constituents, 2)
        if list(self.length_bins) != sorted(set(self.length_bins)):
            raise BadValue("sentence_level.length_bins", list(self.length_bins), "rising lengths")


def _check_window(key: str, window: Sequence[int]) -> None:
    is_pair = isinstance(window, Sequence) and len(window) == 2
    if not (is_pair and all(isinstance(end, int) for end in window) and 0 <= window[0] <= window[1]):
        raise BadValue(key, window, "[fewest, most]")
