"""The options of pseudowords and their test: the article's rules, the released program's, or any mixture of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import MinLen

from src.errors import check_choice
from src.formats.reading.case import case_rule
from src.generation.made_tests.option_checks import Items
from src.generation.rule_files import rules_named
from src.generation.syllables.by_vowels import GENERAL, languages
from src.section import Count, Expected, Section, check_options

ALL = "all"
_RULES = Path(__file__).with_name("pseudo_rules.yaml")
Words = Annotated[Sequence[Annotated[str, MinLen(1)]], MinLen(1)]


class PseudoOptions(Section, key="pseudowords"):
    """How pseudowords are searched, and how their test is drawn."""

    seed_words: Annotated[
        Count | Literal[ALL] | Words, Expected("a number of at least 1, all, or a list of words", of_parts=True)
    ]
    """Of the lexicon, that pseudowords are made of: so many; all; or the words themselves: [kitap, adalet]."""
    seed_choice: Literal["frequent", "random"]
    """Of so many words: the most frequent ones, or at random."""
    words: Literal["spelled", "all"]
    """Words and pseudowords there may be: spelled: of letters alone, and words only if their syllables spell them; all.

    `abadía` is a-ba-di-a: accents would tell words from pseudowords.
    """
    normalization: Literal["nfc", "kept"]
    """Of the lexicon's spellings."""
    compared: Literal["lower_cased", "as_written"]
    """How words and pseudowords are compared: lower_cased and composed, or as_written."""
    listed_words: Literal["left_out", "kept"]
    """Pseudowords that are words of the frequency list: left_out, and others searched, or kept."""
    candidates: Count
    """Pseudowords of a word at most."""
    most_windows: Count
    """That are searched for a word, each twice as wide as the one before."""
    plain_words: Count
    """Of the frequency list, that make up the lexicon where there is none with syllables."""
    nuclei: str
    """Of syllables, by language or code; german_released; general: any run of vowels."""
    pairing: Literal["seeds", "rows"]
    """seeds: words with the narrowest pseudoword of each; rows: words, and rows of the list of pseudowords.

    With seeds both classes have the same lengths; rows are taken whatever words they are made of.
    """
    labels: Literal["balanced", "coin"]
    """balanced: as many words as pseudowords in every split; coin: a row is either with probability 1/2."""
    repeats: Literal["left_out", "kept"]
    """A pseudoword that two words have: left_out the second time, or kept."""
    split: Literal["seed", "random"]
    """seed: a pseudoword stands in the split of the word that it was made of, with its others; random: as published."""
    sizes: Literal["published", "scaled"]
    """published: as many items as `items` says, or no test; scaled: of too few, the largest test of whole hundreds."""
    items: Items
    """Of each split."""
    seed: int
    """Of every draw."""
    case: str
    """How strings are lower-cased, as `lower_cased` takes it."""

    def __post_init__(self):
        super().__post_init__()
        check_choice("pseudowords.nuclei", self.nuclei, languages())


def pseudo_options(rules: str, language: str, dotless_i: bool, seed: int, **changes: Any) -> PseudoOptions:
    """Returns the options of a set of rules.

    Args:
        rules: "article" or "released"; both split by seed word unless changed.
        language: ISO 639-1; nuclei are those of the language where there are any, otherwise `general`.
        dotless_i: whether I and İ are the capitals of ı and i.
        seed: of every draw.
        changes: options that differ from the rules.

    Raises:
        UnknownChoice: of rules, an option or its value.
        BadValue: a number out of its range.
    """
    of_rules = rules_named(_RULES, rules)
    check_options(PseudoOptions, changes)
    chosen = {**of_rules, **changes}
    if chosen["nuclei"] is None:
        chosen["nuclei"] = language if language in languages() else GENERAL
    return PseudoOptions(**chosen, seed=seed, case=case_rule(chosen["compared"] == "lower_cased", dotless_i))
