"""The options of type-level tests: the article's rules, the released program's, or any mixture of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, Lt

from polyprobe.generation.made_tests.labels import Items
from polyprobe.generation.made_tests.language_rules import LanguageRules, check_features, language_rules
from polyprobe.generation.rule_files import rules_named
from polyprobe.generation.unimorph.decoding import Decisions, decisions_of, dimensions
from polyprobe.section import Count, Expected, Number, Section, check_options

_RULES = Path(__file__).with_name("rules.yaml")
Share = Annotated[Number, Ge(0), Lt(1), Expected("a share of at least 0, below 1")]


class TypeLevelOptions(Section, key="type_level"):
    """How type-level tests are made."""

    ambiguity: Literal["values", "occurrences"]
    """Ambiguous forms, excluded from tests of one feature: with several values of it, or with several occurrences."""
    unknown_codes: Literal["left_out", "passed_over"]
    """Triples with a code not in the schema: left_out of None, TagCount and pairs, or passed_over (code ignored).

    Such a code may be of any dimension. "left_out": their forms are no `None` and have no TagCount, they are in no pair
    of SameFeat, and pairs of OddFeat have the same such codes; "passed_over": as if the code were not there.
    """
    tag_count_sample: Literal["unambiguous", "first_triple"]
    """Candidates for TagCount and Character*: unambiguous forms (one bundle), or all forms by their first_triple."""
    paired_features: Literal["any", "published"]
    """Features in which pairs differ or agree: any with two labels, or published: only those of the published sets.

    "published" leaves out labels of forms with a blank count, too.
    """
    odd_possession: Literal["any", "possessed"]
    """Pairs of OddFeat that differ in Possession: any (also possessed with unpossessed forms), or both possessed.

    "any" is so with every feature that a language leaves untagged (`untagged`). "possessed": one may have one dimension
    more; of other features both are tagged.
    """
    odd_lemma_pairs: Literal["checked", "as_drawn"]
    """Pairs of OddFeat with the label `lemma`: checked for two lemmas and two forms, or as_drawn."""
    same_lemma_pairs: Literal["checked", "as_drawn"]
    """Pairs of SameFeat with the label `lemma`: checked for no shared value, or as_drawn."""
    same_feature_sample: Count
    """Number of triples sampled for each side of SameFeat, of which all pairs are considered."""
    repeated_pairs: Literal["kept", "left_out"]
    """Repeated pairs of two forms (reversed, or with another label): kept, as published, or left_out.

    "left_out": the first pair of two forms stays.
    """
    pair_frequency: Literal["share", "coin"]
    """share: pairs of two frequent words make up `frequent_share`; coin: other pairs are kept with probability 1 -
    frequent_share.
    """
    lower_case: Literal["language", "python"]
    """Lower-casing of forms before frequency look-up."""
    normalization: Literal["nfc", "kept"]
    """Unicode normalization of forms."""
    sampling_factors: Literal["released", "none"]
    """Subsampling of pairs: released: by the factors in `languages.yaml` and the file of the language; none: keep
    all.
    """
    decoding: Decisions
    """How UniMorph labels are parsed."""
    least_of_label: Count
    """Minimum number of triples per label; rarer labels are skipped."""
    none_share: Share
    """Share of the class None in tests of one feature."""
    frequent_share: Share
    """Share of frequent words."""
    odd_half: Count
    """Maximum number of pairs that OddFeat samples per bundle."""
    same_lemma_sample: Count
    """Number of triples per bundle that SameFeat samples for the label `lemma`."""
    sizes: Literal["published", "scaled"]
    """published: as many items as in `items`, otherwise no test; scaled: with fewer items, the largest possible
    multiple of 100.
    """
    items: Items
    """Number of items per split."""
    split: Literal["lemma", "random"] = "lemma"
    """lemma: splits share no lemma and no form; random: as published."""
    balance: Literal["none", "labels"] = "none"
    """none: natural label distribution; labels: as balanced as the data allow."""
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
    """Returns the options of a set of rules.

    Args:
        rules: "article" or "released".
        language: ISO 639-1, see `language_rules`.
        set_by_language: what its file sets, as `polyprobe.generation.made_tests.language_rules` reads it.
        changes: options that differ from the rules; `decoding` as a mapping of what differs.

    Raises:
        UnknownChoice: of rules, an option or its value.
        BadValue: a number out of its range.
    """
    of_rules = rules_named(_RULES, rules)
    check_options(TypeLevelOptions, changes)
    of_language = language_rules(language, rules, set_by_language)
    decided = {"intr": of_language.intr, **of_rules["decoding"], **changes.get("decoding", {})}
    decoding = decisions_of("type_level", **decided)
    check_features(set_by_language, dimensions(decoding))
    chosen = {**of_rules, **changes, "decoding": decoding}
    return TypeLevelOptions(**chosen, seed=seed, language=of_language)
