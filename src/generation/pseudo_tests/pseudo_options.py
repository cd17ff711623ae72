"""The options of pseudowords and their test: the article's rules, the released program's, or any mixture of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.errors import BadValue, check_at_least, check_choice
from src.formats.reading.case import case_rule
from src.generation.made_tests.option_checks import check_items, check_option_names
from src.generation.rule_files import rules_named
from src.generation.syllables.nuclei import GENERAL, languages

ALL = "all"
_RULES = Path(__file__).with_name("pseudo_rules.yaml")
_CHOICES = {
    "normalization": ("nfc", "kept"),
    "words": ("spelled", "all"),
    "compared": ("lower_cased", "as_written"),
    "listed_words": ("left_out", "kept"),
    "pairing": ("seeds", "rows"),
    "labels": ("balanced", "coin"),
    "repeats": ("left_out", "kept"),
    "seed_choice": ("frequent", "random"),
    "split": ("seed", "random"),
    "sizes": ("published", "scaled"),
}


@dataclass(frozen=True, slots=True)
class PseudoOptions:
    """How pseudowords are searched, and how their test is drawn.

    Attributes:
        seed_words: how many words of the lexicon pseudowords are made of; "all"; or the words themselves.
        seed_choice: of so many words: "frequent": the most frequent ones; "random".
        words: which words and pseudowords there may be. "spelled": of letters alone, and words only if their syllables
            spell them (`abadía` is a-ba-di-a: accents would tell words from pseudowords); "all".
        normalization: of the lexicon's spellings, "nfc" or "kept".
        compared: how words and pseudowords are compared: "lower_cased" and composed, or "as_written".
        listed_words: pseudowords that are words of the frequency list: "left_out", and others searched, or "kept".
        candidates: pseudowords of a word at most.
        most_windows: that are searched for a word.
        plain_words: of the frequency list, that make up the lexicon where there is none with syllables.
        nuclei: the list of nuclei, as `src.generation.syllables.nuclei` names it.
        pairing: what stands in the test. "seeds": words with the narrowest pseudoword of each, so that both classes
            have the same lengths; "rows": words, and rows of the list of pseudowords, whatever words they are made of.
        labels: "balanced": as many words as pseudowords in every split; "coin": each row is one or the other with
            probability 1/2.
        repeats: a pseudoword that two words have: "left_out" the second time, or "kept".
        split: "seed": a pseudoword stands in the split of the word that it was made of, with all others of this word;
            "random".
        sizes: "published": as many items as `items` says, or no test; "scaled": where there are too few, the largest
            test of whole hundreds.
        items: of each split.
        seed: of every draw.
        case: how strings are lower-cased, as `lower_cased` takes it.
    """

    seed_words: int | str | Sequence[str]
    seed_choice: str
    words: str
    normalization: str
    compared: str
    listed_words: str
    candidates: int
    most_windows: int
    plain_words: int
    nuclei: str
    pairing: str
    labels: str
    repeats: str
    split: str
    sizes: str
    items: Mapping[str, int]
    seed: int
    case: str

    def __post_init__(self):
        for name, known in _CHOICES.items():
            check_choice(f"pseudowords.{name}", getattr(self, name), known)
        for name in ("candidates", "most_windows", "plain_words"):
            check_at_least(f"pseudowords.{name}", getattr(self, name), 1)
        check_choice("pseudowords.nuclei", self.nuclei, languages())
        if not _are_seed_words(self.seed_words):
            raise BadValue("pseudowords.seed_words", self.seed_words, "a number of at least 1, all, or a list of words")
        check_items("pseudowords.items", self.items)


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
    check_option_names(PseudoOptions, changes)
    chosen = {**of_rules, **changes}
    if chosen["nuclei"] is None:
        chosen["nuclei"] = language if language in languages() else GENERAL
    return PseudoOptions(**chosen, seed=seed, case=case_rule(chosen["compared"] == "lower_cased", dotless_i))


def _are_seed_words(value: Any) -> bool:
    if isinstance(value, str | bool):
        return value == ALL
    if isinstance(value, int):
        return value >= 1
    return isinstance(value, Sequence) and bool(value) and all(isinstance(word, str) and word for word in value)
