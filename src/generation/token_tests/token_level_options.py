"""The options of token-level tests: the article's rules, the released program's, or any mixture of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import MinLen

from polyprobe.errors import check_choice
from polyprobe.formats.reading.case import case_rule
from polyprobe.generation.made_tests.labels import SIZES, Items
from polyprobe.generation.made_tests.language_rules import NamesOfFeatures, linspector_rules
from polyprobe.generation.unimorph.decoding import Decisions, dimensions, parts_of_speech
from polyprobe.section import AboveZero, Count, Expected, Section
from polyprobe.splits import SPLITS

_IGNORED = "token_level.ignored"
_RULES = Path(__file__).parent / "rules.yaml"


class TokenLevelOptions(Section, key="token_level"):
    """How token-level tests are made; conf/generate.yaml says what each option is, these lines what it does not."""

    labels: Literal["ud", "unimorph"]
    conversion: Literal["basic", "language"]
    parts: Annotated[Sequence[Literal[SPLITS]], MinLen(1), Expected("a list of parts, such as [train,dev]")]
    multiword: Literal["surface", "released", "words"]
    """"released": a range that starts the sentence stays apart, and one across the words 9 and 10 stands twice (see
    `surface_tokens.py`).
    """
    multiword_labels: Literal["separated", "melted"]
    """"melted": by nothing, so that the last label of a word and the first of the next are one unknown code."""
    words_with_blank: Literal["counted_apart", "counted_as_one", "sentence_left_out"]
    """"counted_apart": what stands between blanks, so that the index names the word meant; such words are no items, nor
    are their parts. "counted_as_one": the index is too small behind such a word.
    """
    sentence_lengths: Literal["all", "near_mean"]
    deviations: AboveZero
    character_bin_lengths: Literal["all", "as_others"]
    tests_without_names: Literal["features", "all"]
    normalization: Literal["nfc", "kept"]
    decoding: Decisions
    ignored: NamesOfFeatures
    least_of_label: Count
    sizes: Literal[SIZES]
    items: Items
    split: Literal["sentence", "random"] = "sentence"
    balance: Literal["none", "labels"] = "none"
    seed: int
    """Of every draw."""
    language: str
    """ISO 639-1, for the rules of conversion."""
    frequent_words: int
    """Of a frequency list, those that count as frequent."""
    case: str
    """How forms are lower-cased before they are looked up there, as `lower_cased` takes it."""


def token_options_of(
    rules: str, language: str, seed: int, set_by_language: Mapping[str, Any] | None = None, **changes: Any
) -> TokenLevelOptions:
    """Returns the options of a set of rules; arguments and errors are those of `linspector_rules`."""
    chosen, of_language = linspector_rules(TokenLevelOptions, _RULES, rules, language, set_by_language, changes)
    options = TokenLevelOptions(
        **{"ignored": of_language.ignored, **chosen},
        seed=seed,
        language=language,
        frequent_words=of_language.frequent_words,
        case=case_rule(True, of_language.dotless_i),
    )
    for feature, parts in changes.get("ignored", {}).items():
        check_choice(_IGNORED, feature, dimensions(options.decoding))
        for part in "+".join(parts).split("+"):  # several may be joined, as a bundle has them
            check_choice(f"{_IGNORED}.{feature}", part, parts_of_speech(options.decoding))
    return options
