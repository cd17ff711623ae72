"""The words that pseudowords are made of, and the words that no pseudoword may be; the options of pseudowords.

Options are the article's rules, the released program's, or any mixture of them.
"""

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import MinLen

from polyprobe.errors import check_choice
from polyprobe.formats.lexica import wuggy_lexicon
from polyprobe.formats.reading.case import case_rule, lower_cased
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.generation.made_tests.frequent_words import Ranks, Step
from polyprobe.generation.made_tests.labels import Items
from polyprobe.generation.pseudowords import PseudowordLexicon, UnsuitableLexicon, lexicon_of_plain_words
from polyprobe.generation.rule_files import rules_named
from polyprobe.generation.syllables.segments import GENERAL, languages, letters
from polyprobe.section import Count, Expected, Section, check_options
from polyprobe.seeds import derived_seed

ALL = "all"
_RULES = Path(__file__).with_name("pseudo_rules.yaml")
Words = Annotated[Sequence[Annotated[str, MinLen(1)]], MinLen(1)]
_HOMOGRAPH_MARK = re.compile(r"\([^()]*\)$")  # ad(ı), ad(ıı): two words that are written ad
_UNIT = "words of the lexicon"


class PseudoOptions(Section, key="pseudowords"):
    """How pseudowords are searched, and their test drawn; conf/generate.yaml says what each option is."""

    seed_words: Annotated[
        Count | Literal[ALL] | Words, Expected("a number of at least 1, all, or a list of words", of_parts=True)
    ]
    seed_choice: Literal["frequent", "random"]
    words: Literal["spelled", "all"]
    """`abadía` is a-ba-di-a: accents would tell words from pseudowords."""
    normalization: Literal["nfc", "kept"]
    compared: Literal["lower_cased", "as_written"]
    listed_words: Literal["left_out", "kept"]
    candidates: Count
    most_windows: Count
    plain_words: Count
    nuclei: str
    pairing: Literal["seeds", "rows"]
    """With seeds both classes have the same lengths; rows are used whatever words they are made of."""
    labels: Literal["balanced", "coin"]
    repeats: Literal["left_out", "kept"]
    split: Literal["seed", "random"]
    sizes: Literal["published", "scaled"]
    items: Items
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
        changes: options that differ from the rules.
    """
    of_rules = rules_named(_RULES, rules)
    check_options(PseudoOptions, changes)
    chosen = {**of_rules, **changes}
    if chosen["nuclei"] is None:
        chosen["nuclei"] = language if language in languages() else GENERAL
    return PseudoOptions(**chosen, seed=seed, case=case_rule(chosen["compared"] == "lower_cased", dotless_i))


@dataclass(frozen=True, slots=True)
class LexiconWords:
    """A lexicon with its words by frequency."""

    lexicon: PseudowordLexicon
    """Of all its lines."""
    by_frequency: list[str]
    """Each word once, the most frequent first; of one frequency in the order of the file."""
    n_composed: int
    """Words whose spelling was put into NFC."""


def read_syllabified(path: Path, options: PseudoOptions, on_malformed: OnMalformed) -> LexiconWords:
    """Reads a lexicon with syllables."""
    lines = list(wuggy_lexicon.read(path, on_malformed))
    words = lines
    if options.normalization == "nfc":
        composed = functools.partial(unicodedata.normalize, "NFC")
        words = [replace(one, word=composed(one.word), syllables=(*map(composed, one.syllables),)) for one in lines]
    per_million = {word.word: word.per_million for word in words}
    by_frequency = sorted(per_million, key=lambda word: -per_million[word])
    n_composed = sum(before.word != after.word for before, after in zip(lines, words, strict=True))
    try:
        lexicon = PseudowordLexicon(words, options.nuclei)
    except UnsuitableLexicon as error:
        raise UnsuitableLexicon(f"{path}: {error} To name them: pseudowords.nuclei=") from error
    return LexiconWords(lexicon, by_frequency, n_composed)


def of_plain_words(listed: Ranks, options: PseudoOptions) -> LexiconWords:
    """Builds a lexicon of the first words of a frequency list; syllables are made by their vowels."""
    lexicon = lexicon_of_plain_words(list(listed)[: options.plain_words])
    return LexiconWords(lexicon, list(dict.fromkeys(lexicon.entries)), 0)


def seed_words(words: LexiconWords, options: PseudoOptions) -> tuple[list[str], list[Step]]:
    """Chooses the words that pseudowords are made of.

    Returns:
        The words, each once; and what went of the lexicon on the way. Words that the options name are taken as they
        are.
    """
    if not isinstance(options.seed_words, int | str):
        return _named(words, options)
    steps = [Step("listed again", _UNIT, len(words.lexicon.entries) - len(words.by_frequency), len(words.by_frequency))]
    left = words.by_frequency
    for name, keeps in _filters(words, options).items():
        kept = [word for word in left if keeps(word)]
        steps.append(Step(name, _UNIT, len(left) - len(kept), len(kept)))
        left = kept
    n = len(left) if options.seed_words == ALL else min(options.seed_words, len(left))
    steps.append(Step("not among the seed words", _UNIT, len(left) - n, n))
    if options.seed_choice == "frequent":
        return left[:n], steps
    generator = np.random.default_rng(derived_seed(options.seed, "seed words"))
    chosen = generator.choice(len(left), n, replace=False, shuffle=False)
    return [left[place] for place in sorted(chosen.tolist())], steps


def spelled(words: LexiconWords, word: str) -> bool:
    """Says whether the syllables of a word spell it, in letters alone."""
    return word.isalpha() and letters(words.lexicon.segments(word)) == word


class NoWords:
    """Says of letters whether they may be a pseudoword, and counts why not.

    Args:
        words: of the lexicon. Words that differ in marks of homographs (`ad(ı)`) or are spelled otherwise by their
            syllables (`abadía`: abadia) are words without these, too, unless strings are compared as written.
        listed: the frequency list; None where there is none.

    Attributes:
        refused: how many strings were refused, by reason.
    """

    def __init__(self, words: LexiconWords, listed: Ranks | None, options: PseudoOptions):
        self._options = options
        is_folded = options.compared == "lower_cased"
        self._known = {folded(word, options) for word in _spellings(words)} if is_folded else set()
        is_asked = listed is not None and options.listed_words == "left_out"
        self._listed = {folded(word, options) for word in listed} if is_asked else set()
        self._refused: dict[str, set[str]] = {}

    @property
    def refused(self) -> Mapping[str, int]:
        return Counter({reason: len(strings) for reason, strings in self._refused.items()})

    def __call__(self, pseudoword: str) -> bool:
        reason = self._reason(pseudoword)
        if reason is not None:
            self._refused.setdefault(reason, set()).add(pseudoword)
        return reason is None

    def _reason(self, pseudoword: str) -> str | None:
        key = folded(pseudoword, self._options)
        if self._options.words == "spelled" and not pseudoword.isalpha():
            return "other characters than letters"
        if self._options.normalization == "nfc" and not unicodedata.is_normalized("NFC", pseudoword):
            return "letters that melt into one"
        if key in self._known:
            return "words of the lexicon in another spelling"
        return "words of the frequency list" if key in self._listed else None


def folded(text: str, options: PseudoOptions) -> str:
    """Returns what is compared of a string."""
    if options.compared == "as_written":
        return text
    return lower_cased(unicodedata.normalize("NFC", text), options.case)


def _named(words: LexiconWords, options: PseudoOptions) -> tuple[list[str], list[Step]]:
    named = list(dict.fromkeys(options.seed_words))
    if options.normalization == "nfc":
        named = list(dict.fromkeys(unicodedata.normalize("NFC", word) for word in named))
    for word in named:
        words.lexicon.segments(word)
    return named, [Step("not among the seed words", _UNIT, len(words.by_frequency) - len(named), len(named))]


def _filters(words: LexiconWords, options: PseudoOptions) -> dict[str, Callable[[str], bool]]:
    filters: dict[str, Callable[[str], bool]] = {}
    if options.words == "spelled":
        filters["other characters than letters"] = str.isalpha
        filters["not spelled by its syllables"] = lambda word: spelled(words, word)
    if options.compared == "lower_cased":
        first: dict[str, str] = {}
        filters["another spelling of a word before"] = lambda word: (
            first.setdefault(folded(word, options), word) == word
        )
    return filters


def _spellings(words: LexiconWords) -> Iterable[str]:
    for word in words.by_frequency:
        yield word
        yield _HOMOGRAPH_MARK.sub("", word)
        yield letters(words.lexicon.segments(word))
