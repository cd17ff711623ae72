"""The options of token-level tests: the article's rules, the released program's, or any mixture of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.errors import BadValue, check_above_zero, check_at_least, check_choice
from src.formats.reading.case import case_rule
from src.generation.made_tests.language_rules import check_features, language_rules
from src.generation.made_tests.option_checks import (
    check_items,
    check_known_parts,
    check_names_of_features,
    check_option_names,
)
from src.generation.made_tests.sizes import SIZES
from src.generation.rule_files import rules_named
from src.generation.unimorph.decoding import Decisions, decisions_of, dimensions, parts_of_speech
from src.splits import SPLITS

_IGNORED = "token_level.ignored"
_RULES = Path(__file__).parent / "rules.yaml"


@dataclass(frozen=True, slots=True)
class TokenLevelOptions:
    """How token-level tests are made.

    Attributes:
        labels: what FEATS holds. "ud": features of Universal Dependencies, which are converted; "unimorph": bundles of
            UniMorph, as in the files of SIGMORPHON 2019.
        conversion: from UD to UniMorph. "basic": by the table alone; "language": then by the rules of the language.
        parts: of a treebank that is named by its folder: files whose names end in another part are passed over.
        multiword: "surface": the words of a range (`3-4`) are one token, spelt as the range; "released": the same, but
            a range that starts the sentence stays apart, and one across the words 9 and 10 stands twice (see
            `surface_tokens.py`); "words": ranges are passed over.
        multiword_labels: "separated": the bundles of the words are joined by `;`; "melted": by nothing, so that the
            last label of a word and the first of the next are one unknown code.
        words_with_blank: what the index counts where a word has a blank inside. "counted_apart": what stands between
            blanks, so that it names the word meant; such words are no items, nor are their parts; "counted_as_one":
            the words of the treebank: the index is too small behind such a word; "sentence_left_out".
        sentence_lengths: "all"; "near_mean": sentences of up to `deviations` standard deviations (of the population)
            more or fewer tokens than the mean, both ends counted in.
        deviations: of the length from the mean.
        character_bin_lengths: of the sentences of CharacterBin and CharacterBin2. "all"; "as_others".
        tests_without_names: those made where none is named. "features": features and POS; "all": TagCount, CharacterBin
            and CharacterBin2, too.
        normalization: of forms: "nfc" or "kept".
        decoding: how labels are read. The labels of a converted word stand in alphabetical order.
        ignored: parts of speech whose tokens are passed over in the test of a feature.
        least_of_label: a label of fewer tokens is left out.
        sizes: "published": as many items as `items` says, or no test; "scaled": where there are too few, the largest
            test of whole hundreds.
        items: of each split.
        split: "sentence": no sentence, by its words, stands in two splits; "random".
        balance: "none": labels as they fall; "labels": as evenly as their tokens allow.
        seed: of every draw.
        language: ISO 639-1, for the rules of conversion.
        frequent_words: of a frequency list, those that count as frequent.
        case: how forms are lower-cased before they are looked up there, as `lower_cased` takes it.
    """

    labels: str
    conversion: str
    parts: Sequence[str]
    multiword: str
    multiword_labels: str
    words_with_blank: str
    sentence_lengths: str
    deviations: float
    character_bin_lengths: str
    tests_without_names: str
    normalization: str
    decoding: Decisions
    ignored: Mapping[str, Sequence[str]]
    least_of_label: int
    sizes: str
    items: Mapping[str, int]
    split: str
    balance: str
    seed: int
    language: str
    frequent_words: int
    case: str

    def __post_init__(self):
        for name, known in _CHOICES.items():
            check_choice(f"token_level.{name}", getattr(self, name), known)
        if not isinstance(self.parts, Sequence) or isinstance(self.parts, str) or not self.parts:
            raise BadValue("token_level.parts", self.parts, "a list of parts, such as [train,dev]")
        for part in self.parts:
            check_choice("token_level.parts", part, SPLITS)
        check_names_of_features(_IGNORED, self.ignored)
        check_above_zero("token_level.deviations", self.deviations)
        check_at_least("token_level.least_of_label", self.least_of_label, 1)
        check_items("token_level.items", self.items)


_CHOICES = {
    "labels": ("ud", "unimorph"),
    "conversion": ("basic", "language"),
    "multiword": ("surface", "released", "words"),
    "multiword_labels": ("separated", "melted"),
    "words_with_blank": ("counted_apart", "counted_as_one", "sentence_left_out"),
    "sentence_lengths": ("all", "near_mean"),
    "character_bin_lengths": ("all", "as_others"),
    "tests_without_names": ("features", "all"),
    "normalization": ("nfc", "kept"),
    "sizes": SIZES,
    "split": ("sentence", "random"),
    "balance": ("none", "labels"),
}


def token_options_of(
    rules: str, language: str, seed: int, set_by_language: Mapping[str, Any] | None = None, **changes: Any
) -> TokenLevelOptions:
    """Returns the options of a set of rules.

    Args:
        rules: "article" or "released"; they say nothing on `split` ("sentence" unless changed) and `balance` ("none").
        language: ISO 639-1.
        seed: of every draw.
        set_by_language: what its file sets, as `src.generation.made_tests.language_rules` reads it.
        changes: options that differ from the rules; `decoding` as a mapping of what differs.

    Raises:
        UnknownChoice: of rules, an option or its value.
        BadValue: a number out of its range.
        PolyprobeError: a schema of one's own is missing.
    """
    of_rules = rules_named(_RULES, rules)
    check_option_names(TokenLevelOptions, changes)
    of_language = language_rules(language, rules, set_by_language)
    decided = {"intr": of_language.intr, **of_rules["decoding"], **changes.get("decoding", {})}
    decoding = decisions_of("token_level", **decided)
    check_features(set_by_language, dimensions(decoding))
    unless_ruled = {"split": "sentence", "balance": "none", "ignored": of_language.ignored}
    chosen = {**unless_ruled, **of_rules, **changes, "decoding": decoding}
    case = case_rule(True, of_language.dotless_i)
    frequent_words = of_language.frequent_words
    options = TokenLevelOptions(**chosen, seed=seed, language=language, frequent_words=frequent_words, case=case)
    _check_ignored(changes.get("ignored", {}), decoding)
    return options


def _check_ignored(ignored: Mapping[str, Sequence[str]], decoding: Decisions) -> None:
    """Checks names that the user chose; those of a language may be others than a schema of one's own has."""
    for feature in ignored:
        check_choice(_IGNORED, feature, dimensions(decoding))
    check_known_parts(_IGNORED, ignored, parts_of_speech(decoding))
