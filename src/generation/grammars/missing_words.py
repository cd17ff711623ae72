"""Words of minimal sets that a vocabulary lacks, and the sets they cost, counted without enumerating them."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from src.generation.grammars.patterns import Lexeme, Part, Pattern


@dataclass(frozen=True, slots=True)
class MissingWord:
    """A word that the vocabulary lacks.

    Attributes:
        word: as in the sentences.
        slots: names of the preterminals that have it, "" for the words of a template.
        places: file names and lines (`common.avg:12`).
        is_focus: whether it is in a varied slot: then it can decide a set.
        n_sets: how many sets have it in at least one sentence.
    """

    word: str
    slots: tuple[str, ...]
    places: tuple[str, ...]
    is_focus: bool
    n_sets: int


@dataclass(frozen=True, slots=True)
class MissingSets:
    """How many sets have a missing word: in a varied slot, elsewhere, and at all."""

    focus: int
    other: int
    any: int


def missing_words(patterns: Iterable[Pattern], known: Collection[str]) -> list[MissingWord]:
    """Lists the unknown words, those that cost most sets first."""
    n_sets: Counter[str] = Counter()
    parts: dict[str, list[Part]] = {}
    for pattern in patterns:
        holding = [(part, _holding(part)) for part in pattern.parts]
        for word in dict.fromkeys(word for _, counts in holding for word in counts if word not in known):
            n_sets[word] += pattern.n_sets - math.prod(len(part.lexemes) - counts[word] for part, counts in holding)
            parts.setdefault(word, []).extend(part for part, counts in holding if counts[word])
    return [_missing(word, parts[word], count) for word, count in n_sets.most_common()]


def missing_sets(patterns: Sequence[Pattern], known: Collection[str]) -> MissingSets:
    """Counts the sets that have at least one unknown word."""
    n_sets = sum(pattern.n_sets for pattern in patterns)

    def counted(is_looked_at: dict[bool, bool]) -> int:
        def is_meant(part: Part, lexeme: Lexeme) -> bool:
            return is_looked_at[part.is_varied] and not _words(lexeme) <= known

        return n_sets - sum(pattern.n_sets_without(is_meant) for pattern in patterns)

    focus, other = {True: True, False: False}, {True: False, False: True}
    return MissingSets(counted(focus), counted(other), counted({True: True, False: True}))


def _words(lexeme: Lexeme) -> set[str]:
    return {word for form in lexeme.forms for word in form.text.split(" ")}


def _holding(part: Part) -> Counter[str]:
    """Counts for every word the lexemes that have it."""
    return Counter(word for lexeme in part.lexemes for word in sorted(_words(lexeme)))


def _missing(word: str, parts: Sequence[Part], n_sets: int) -> MissingWord:
    forms = [form for part in parts for lexeme in part.lexemes for form in lexeme.forms if word in form.text.split(" ")]
    slots = dict.fromkeys(part.slot.name if part.slot else "" for part in parts)
    places = dict.fromkeys(f"{form.place.path.name}:{form.place.line}" for form in forms)
    return MissingWord(word, tuple(slots), tuple(places), any(part.is_varied for part in parts), n_sets)
