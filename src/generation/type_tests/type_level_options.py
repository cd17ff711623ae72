"""The options of type-level tests: the article's rules, the released program's, or any mixture of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, Lt

from polyprobe.generation.made_tests.labels import Items
from polyprobe.generation.made_tests.language_rules import LanguageRules, linspector_rules
from polyprobe.generation.unimorph.decoding import Decisions
from polyprobe.section import Count, Expected, Number, Section

_RULES = Path(__file__).with_name("rules.yaml")
Share = Annotated[Number, Ge(0), Lt(1), Expected("a share of at least 0, below 1")]


class TypeLevelOptions(Section, key="type_level"):
    """How type-level tests are made; conf/generate.yaml says what each option is, these lines what it does not."""

    ambiguity: Literal["values", "occurrences"]
    unknown_codes: Literal["left_out", "passed_over"]
    """Such a code may be of any dimension. "left_out": their forms are no `None` and have no TagCount, they are in no
    pair of SameFeat, and pairs of OddFeat have the same such codes; "passed_over": as if the code were not there.
    """
    tag_count_sample: Literal["unambiguous", "first_triple"]
    paired_features: Literal["any", "published"]
    """"published" leaves out labels of forms with a blank count, too."""
    odd_possession: Literal["any", "possessed"]
    """"any" is so with every feature that a language leaves untagged (`untagged`). "possessed": one may have one
    dimension more; of other features both are tagged.
    """
    odd_lemma_pairs: Literal["checked", "as_drawn"]
    same_lemma_pairs: Literal["checked", "as_drawn"]
    same_feature_sample: Count
    repeated_pairs: Literal["kept", "left_out"]
    """"left_out": the first pair of two forms stays."""
    pair_frequency: Literal["share", "coin"]
    lower_case: Literal["language", "python"]
    normalization: Literal["nfc", "kept"]
    sampling_factors: Literal["released", "none"]
    decoding: Decisions
    least_of_label: Count
    none_share: Share
    frequent_share: Share
    odd_half: Count
    same_lemma_sample: Count
    sizes: Literal["published", "scaled"]
    items: Items
    split: Literal["lemma", "random"] = "lemma"
    balance: Literal["none", "labels"] = "none"
    seed: int
    """Of every draw."""
    language: LanguageRules
    """What is set for the language."""

    @property
    def case(self) -> str:
        """How forms are lower-cased, as `lower_cased` takes it."""
        return "turkish" if self.lower_case == "language" and self.language.dotless_i else "unicode"

    @property
    def untagged(self) -> Sequence[str]:
        """The features of OddFeat of which a form without a tag has a value, too."""
        return self.language.untagged if self.odd_possession == "any" else ()


def options_of(
    rules: str, language: str, seed: int, set_by_language: Mapping[str, Any] | None = None, **changes: Any
) -> TypeLevelOptions:
    """Returns the options of a set of rules; arguments and errors are those of `linspector_rules`."""
    chosen, of_language = linspector_rules(TypeLevelOptions, _RULES, rules, language, set_by_language, changes)
    return TypeLevelOptions(**chosen, seed=seed, language=of_language)
