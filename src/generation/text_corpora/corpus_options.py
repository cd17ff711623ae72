"""The options of a corpus for language models (conf/generate.yaml has their defaults)."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MinLen, Predicate

from src.errors import BadValue
from src.generation.made_tests.option_checks import Items, Shares
from src.section import Count, Expected, Number, Section

_WHOLE = 1e-9  # how far the sum of shares may be from 1
Lengths = Annotated[
    list[int],
    Predicate(lambda lengths: len(lengths) == 2 and 1 <= lengths[0] <= lengths[1]),
    Expected("null or [fewest, most] words, such as [2, 80]", of_parts=True),
]
UnknownShare = Annotated[Number, Ge(0), Le(1), Expected("null or a number from 0 to 1, such as 0.05")]


class CorpusOptions(Section, key="lm_corpus"):
    """How a corpus is prepared."""

    language: str
    """Its code."""
    seed: int
    """Of the order of sentences."""
    layout: Literal["sentences", "paragraphs", "blocks", "wikipedia"]
    """Of texts: sentences, one a line; running text: paragraphs, one a line; blocks, empty lines between; wikipedia.

    "wikipedia" is what WikiExtractor writes, see `src.formats.texts.wikipedia_text`.
    """
    tokenised_by: Literal["moses", "blanks", "words_and_signs"]
    """moses; blanks: words stand apart already; words_and_signs (`src.formats.reading.tokenised.tokeniser`)."""
    duplicates: Literal["left_out", "kept"]
    """left_out: of sentences with the same words the first stays; kept."""
    lengths: Lengths | None
    """[fewest, most] words of a sentence; null: any."""
    shares: Shares
    """Of the words, for each split."""
    most_words: Items | None
    """Of each split, at its end, such as {train: 80000000, dev: 10000000, test: 10000000}, as published; null: all."""
    n_words: Count
    """Of the vocabulary, the most frequent ones."""
    least_word_count: Count
    """Of a word of the vocabulary."""
    vocabulary_splits: Annotated[list[Literal["train", "dev"]], MinLen(1), Expected("[train] or [train,dev]")]
    """Whose words are counted for the vocabulary."""
    max_unknown_share: UnknownShare | None
    """Of a sentence's words; sentences with a greater one are left out; null: all are kept."""
    unknown: Literal["kept", "replaced"]
    """Words out of the vocabulary: kept: they stand in the files as they are; replaced: by <unk>."""

    def __post_init__(self):
        super().__post_init__()
        if abs(sum(self.shares.values()) - 1) > _WHOLE:
            raise BadValue("lm_corpus.shares", dict(self.shares), "shares with the sum 1")


def corpus_options(language: str, seed: int, settings: Mapping[str, Any]) -> CorpusOptions:
    """Reads the options from the section `lm_corpus` of a configuration.

    Raises:
        UnknownChoice, BadValue: see `CorpusOptions`; or there is no option of a name.
    """
    return CorpusOptions.of(settings, language=language, seed=seed)
