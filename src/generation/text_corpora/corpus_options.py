"""The options of a corpus for language models (conf/generate.yaml has their defaults)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from src.errors import BadValue, check_above_zero, check_at_least, check_choice
from src.generation.made_tests.option_checks import check_items, check_option_names, check_splits
from src.splits import SPLITS

LAYOUTS = ("sentences", "paragraphs", "blocks", "wikipedia")
MANNERS = ("moses", "blanks", "words_and_signs")
_WHOLE = 1e-9  # how far the sum of shares may be from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """How a corpus is prepared.

    Attributes:
        language: its code.
        seed: of the order of sentences.
        layout: of the texts. "sentences": one a line; "paragraphs": running text, a paragraph a line; "blocks": running
            text in lines, empty lines between paragraphs; "wikipedia": see `src.formats.texts.wikipedia_text`.
        tokenised_by: see `src.formats.reading.tokenised.tokeniser`.
        duplicates: "left_out": of sentences with the same words the first stays; "kept".
        lengths: the fewest and the most words of a sentence; None: any.
        shares: of the words, for each split.
        most_words: of each split, at its end; None: all there are.
        n_words, least_word_count, vocabulary_splits: the vocabulary is of so many of the most frequent words of these
            splits that occur so often.
        max_unknown_share: of a sentence's words; sentences with a greater one are left out; None: all are kept.
        unknown: "kept": other words stand in the files as they are; "replaced": by <unk>.

    Raises:
        UnknownChoice, BadValue: an option is none of its choices, or out of its range.
    """

    language: str
    seed: int
    layout: str
    tokenised_by: str
    duplicates: str
    lengths: Sequence[int] | None
    shares: Mapping[str, float]
    most_words: Mapping[str, int] | None
    n_words: int
    least_word_count: int
    vocabulary_splits: Sequence[str]
    max_unknown_share: float | None
    unknown: str

    def __post_init__(self):
        check_choice("lm_corpus.layout", self.layout, LAYOUTS)
        check_choice("lm_corpus.tokenised_by", self.tokenised_by, MANNERS)
        check_choice("lm_corpus.duplicates", self.duplicates, ("left_out", "kept"))
        check_choice("lm_corpus.unknown", self.unknown, ("kept", "replaced"))
        check_at_least("lm_corpus.n_words", self.n_words, 1)
        check_at_least("lm_corpus.least_word_count", self.least_word_count, 1)
        self._check_lengths()
        self._check_shares()
        if self.most_words is not None:
            check_items("lm_corpus.most_words", self.most_words)
        if not isinstance(self.vocabulary_splits, list) or not self.vocabulary_splits:
            raise BadValue("lm_corpus.vocabulary_splits", self.vocabulary_splits, "[train] or [train,dev]")
        for split in self.vocabulary_splits:
            check_choice("lm_corpus.vocabulary_splits", split, ("train", "dev"))

    def _check_lengths(self) -> None:
        if self.lengths is None:
            return
        is_pair = isinstance(self.lengths, list) and len(self.lengths) == 2
        if (
            not is_pair
            or not all(type(one) is int for one in self.lengths)
            or not 1 <= self.lengths[0] <= self.lengths[1]
        ):
            raise BadValue("lm_corpus.lengths", self.lengths, "null or [fewest, most] words, such as [2, 80]")

    def _check_shares(self) -> None:
        check_splits("lm_corpus.shares", self.shares)
        for split in SPLITS:
            check_above_zero(f"lm_corpus.shares.{split}", self.shares[split])
        if abs(sum(self.shares.values()) - 1) > _WHOLE:
            raise BadValue("lm_corpus.shares", dict(self.shares), "shares with the sum 1")
        share = self.max_unknown_share
        if share is not None and (isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1):
            raise BadValue("lm_corpus.max_unknown_share", share, "null or a number from 0 to 1, such as 0.05")


def corpus_options(language: str, seed: int, settings: Mapping[str, Any]) -> CorpusOptions:
    """Reads the options from the section `lm_corpus` of a configuration.

    Raises:
        UnknownChoice, BadValue: see `CorpusOptions`; or there is no option of a name.
    """
    check_option_names(CorpusOptions, settings)
    return CorpusOptions(language=language, seed=seed, **settings)
