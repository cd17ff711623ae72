"""The options of type-level tests: the article's rules, the released program's, or any mixture of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.errors import BadValue, check_at_least, check_choice
from src.generation.made_tests.language_rules import LanguageRules, check_features, language_rules
from src.generation.made_tests.option_checks import check_items, check_option_names
from src.generation.rule_files import rules_named
from src.generation.unimorph.decoding import Decisions, decisions_of, dimensions

_RULES = Path(__file__).with_name("rules.yaml")


@dataclass(frozen=True, slots=True)
class TypeLevelOptions:
    """How type-level tests are made.

    Attributes:
        ambiguity: forms that a test of one feature leaves out. "values": those with several labels of the feature;
            "occurrences": those that occur more than once with it.
        unknown_codes: triples with a code that the schema lacks, which may be of any dimension. "left_out": their forms
            are no `None` and have no TagCount, they are in no pair of SameFeat, and pairs of OddFeat have the same
            such codes; "passed_over": as if the code were not there, as by default with a schema of one's own.
        tag_count_sample: where TagCount, CharacterCount and CharacterBin are drawn from. "unambiguous": forms with one
            bundle; "first_triple": all forms, by the first triple of each.
        paired_features: features that pairs differ in or share. "any": of two labels; "published": of these only those
            that the published sets have, and labels of forms with a blank count.
        odd_possession: pairs of OddFeat that differ in Possession. "any": possessed with unpossessed forms, too, and so
            with every feature that a language leaves untagged (`untagged`); "possessed": both are possessed, and one
            may have one dimension more; of other features both are tagged.
        odd_lemma_pairs, same_lemma_pairs: pairs with the label `lemma`. "checked": those of OddFeat have two lemmas and
            two forms, those of SameFeat share no value; "as_drawn": whatever the draw gives.
        same_feature_sample: triples on each side of SameFeat, all pairs of which are looked at.
        repeated_pairs: two forms that are paired again, the other way round or with another label. "kept", as in the
            published sets; "left_out": the first pair of two forms stays.
        pair_frequency: "share": pairs of two frequent words make up `frequent_share`, as forms do; "coin": every other
            pair stays with the probability `1 - frequent_share`.
        lower_case: how a form is lower-cased before it is looked up: "language" or "python".
        normalization: "nfc" or "kept".
        sampling_factors: "released": those of `languages.yaml` and of the language's own file; "none": every pair is
            kept.
        decoding: how labels are read.
        least_of_label: a label of fewer triples is left out.
        none_share: the share of the class None, for tests of one feature.
        frequent_share: the share of frequent words.
        odd_half: pairs of one bundle that OddFeat draws where a bundle has more.
        same_lemma_sample: triples of a bundle that SameFeat draws for the label `lemma`.
        sizes: "published": as many items as `items` says, or no test; "scaled": where there are too few, the largest
            test of whole hundreds.
        items: of each split.
        split: "lemma": no lemma, and no form, stands in two splits; "random".
        balance: "none": labels as they fall; "labels": as evenly as their forms allow.
        seed: of every draw.
        language: what is set for the language.
    """

    ambiguity: str
    unknown_codes: str
    tag_count_sample: str
    paired_features: str
    odd_possession: str
    odd_lemma_pairs: str
    same_lemma_pairs: str
    same_feature_sample: int
    repeated_pairs: str
    pair_frequency: str
    lower_case: str
    normalization: str
    sampling_factors: str
    decoding: Decisions
    least_of_label: int
    none_share: float
    frequent_share: float
    odd_half: int
    same_lemma_sample: int
    sizes: str
    items: Mapping[str, int]
    split: str
    balance: str
    seed: int
    language: LanguageRules

    def __post_init__(self):
        for name, known in _CHOICES.items():
            check_choice(f"type_level.{name}", getattr(self, name), known)
        for name in ("same_feature_sample", "least_of_label", "odd_half", "same_lemma_sample"):
            check_at_least(f"type_level.{name}", getattr(self, name), 1)
        for name in ("none_share", "frequent_share"):
            if (
                isinstance(value := getattr(self, name), bool)
                or not isinstance(value, int | float)
                or not 0 <= value < 1
            ):
                raise BadValue(f"type_level.{name}", value, "a share of at least 0, below 1")
        check_items("type_level.items", self.items)

    @property
    def case(self) -> str:
        """How forms are lower-cased, as `lower_cased` takes it."""
        return "turkish" if self.lower_case == "language" and self.language.dotless_i else "unicode"

    @property
    def untagged(self) -> Sequence[str]:
        """The features of OddFeat of which a form without a tag has a value, too."""
        return self.language.untagged if self.odd_possession == "any" else ()


_CHOICES = {
    "ambiguity": ("values", "occurrences"),
    "unknown_codes": ("left_out", "passed_over"),
    "tag_count_sample": ("unambiguous", "first_triple"),
    "paired_features": ("any", "published"),
    "odd_possession": ("any", "possessed"),
    "odd_lemma_pairs": ("checked", "as_drawn"),
    "same_lemma_pairs": ("checked", "as_drawn"),
    "repeated_pairs": ("kept", "left_out"),
    "pair_frequency": ("share", "coin"),
    "lower_case": ("language", "python"),
    "normalization": ("nfc", "kept"),
    "sampling_factors": ("released", "none"),
    "sizes": ("published", "scaled"),
    "split": ("lemma", "random"),
    "balance": ("none", "labels"),
}


def options_of(
    rules: str, language: str, seed: int, set_by_language: Mapping[str, Any] | None = None, **changes: Any
) -> TypeLevelOptions:
    """Returns the options of a set of rules.

    Args:
        rules: "article" or "released"; they say nothing on `split` ("lemma" unless changed) and `balance` ("none").
        language: ISO 639-1, see `language_rules`.
        seed: of every draw.
        set_by_language: what its file sets, as `src.generation.made_tests.language_rules` reads it.
        changes: options that differ from the rules; `decoding` as a mapping of what differs.

    Raises:
        UnknownChoice: of rules, an option or its value.
        BadValue: a number out of its range.
        PolyprobeError: a schema of one's own is missing.
    """
    of_rules = rules_named(_RULES, rules)
    check_option_names(TypeLevelOptions, changes)
    of_language = language_rules(language, rules, set_by_language)
    chosen = {"split": "lemma", "balance": "none", **of_rules, **changes}
    decided = {"intr": of_language.intr, **of_rules["decoding"], **changes.get("decoding", {})}
    decoding = decisions_of("type_level", **decided)
    if decoding.own_schema is not None and "unknown_codes" not in changes:
        chosen["unknown_codes"] = "passed_over"  # a schema of one's own leaves out what is not to count
    check_features(set_by_language, dimensions(decoding))
    return TypeLevelOptions(**{**chosen, "decoding": decoding, "seed": seed, "language": of_language})
