"""The options of token-level tests: the article's rules, the released program's, or any mixture of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import MinLen

from polyprobe.errors import check_choice
from polyprobe.formats.reading.case import case_rule
from polyprobe.generation.made_tests.labels import SIZES, Items
from polyprobe.generation.made_tests.language_rules import NamesOfFeatures, check_features, language_rules
from polyprobe.generation.rule_files import rules_named
from polyprobe.generation.unimorph.decoding import Decisions, decisions_of, dimensions, parts_of_speech
from polyprobe.section import AboveZero, Count, Expected, Section, check_options
from polyprobe.splits import SPLITS

_IGNORED = "token_level.ignored"
_RULES = Path(__file__).parent / "rules.yaml"


class TokenLevelOptions(Section, key="token_level"):
    """How token-level tests are made."""

    labels: Literal["ud", "unimorph"]
    """Content of FEATS: ud: UD features, converted to UniMorph; unimorph: UniMorph labels, as in SIGMORPHON."""
    conversion: Literal["basic", "language"]
    """Conversion from UD: basic: by the table only; language: additionally by the rules of the language."""
    parts: Annotated[Sequence[Literal[SPLITS]], MinLen(1), Expected("a list of parts, such as [train,dev]")]
    """Parts of a treebank given as a folder, by file name; other files are ignored."""
    multiword: Literal["surface", "released", "words"]
    """Multiword tokens (3-4): surface: one token, as written; released: nearly the same, as in the released code;
    words: syntactic words.

    "released": a range that starts the sentence stays apart, and one across the words 9 and 10 stands twice (see
    `surface_tokens.py`).
    """
    multiword_labels: Literal["separated", "melted"]
    """Labels of multiword tokens: separated by `;`, or melted.

    "melted": by nothing, so that the last label of a word and the first of the next are one unknown code.
    """
    words_with_blank: Literal["counted_apart", "counted_as_one", "sentence_left_out"]
    """Words with a blank inside: in the index counted_apart or counted_as_one, or sentence_left_out.

    "counted_apart": what stands between blanks, so that the index names the word meant; such words are no items, nor
    are their parts. "counted_as_one": the index is too small behind such a word.
    """
    sentence_lengths: Literal["all", "near_mean"]
    """Sentence lengths: all; near_mean: within `deviations` of the mean (inclusive)."""
    deviations: AboveZero
    """For near_mean: maximum distance from the mean in (population) standard deviations."""
    character_bin_lengths: Literal["all", "as_others"]
    """Sentence lengths for CharacterBin and CharacterBin2."""
    tests_without_names: Literal["features", "all"]
    """Default tests: features and POS, or all: also TagCount, CharacterBin, CharacterBin2."""
    normalization: Literal["nfc", "kept"]
    """Unicode normalization of forms."""
    decoding: Decisions
    """How labels are parsed; labels of converted words are in alphabetical order."""
    ignored: NamesOfFeatures
    """Parts of speech excluded from the test of a feature, such as {Case: [Participle]}."""
    least_of_label: Count
    """Minimum number of tokens per label; rarer labels are skipped."""
    sizes: Literal[SIZES]
    """published: as many items as in `items`, otherwise no test; scaled: with fewer items, the largest possible
    multiple of 100.
    """
    items: Items
    """Number of items per split."""
    split: Literal["sentence", "random"] = "sentence"
    """sentence: splits share no sentence; random: as published."""
    balance: Literal["none", "labels"] = "none"
    """none: natural label distribution; labels: as balanced as the data allow."""
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
    """Returns the options of a set of rules.

    Args:
        rules: "article" or "released".
        language: ISO 639-1.
        set_by_language: what its file sets, as `polyprobe.generation.made_tests.language_rules` reads it.
        changes: options that differ from the rules; `decoding` as a mapping of what differs.
    """
    of_rules = rules_named(_RULES, rules)
    check_options(TokenLevelOptions, changes)
    of_language = language_rules(language, rules, set_by_language)
    decided = {"intr": of_language.intr, **of_rules["decoding"], **changes.get("decoding", {})}
    decoding = decisions_of("token_level", **decided)
    check_features(set_by_language, dimensions(decoding))
    chosen = {"ignored": of_language.ignored, **of_rules, **changes, "decoding": decoding}
    case = case_rule(True, of_language.dotless_i)
    frequent_words = of_language.frequent_words
    options = TokenLevelOptions(**chosen, seed=seed, language=language, frequent_words=frequent_words, case=case)
    for feature, parts in changes.get("ignored", {}).items():
        check_choice(_IGNORED, feature, dimensions(decoding))
        for part in "+".join(parts).split("+"):  # several may be joined, as a bundle has them
            check_choice(f"{_IGNORED}.{feature}", part, parts_of_speech(decoding))
    return options
