"""Templates of an attribute-varying grammar with all fillers of their slots, and the number of sets."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from src.formats.grammars.avg import Alternative, Grammar, Place, Slot, Template
from src.formats.reading.case import with_capital

MOST_SENTENCES = 10_000_000  # of a grammar; all those published with CLAMS together have 670,910


@dataclass(frozen=True, slots=True)
class Lexeme:
    """One of the choices of a slot, with its forms."""

    name: str
    """The first defined of the forms ("laughs" for laughs and laugh)."""
    forms: tuple[Alternative, ...]
    """The grammatical one first; the others make a sentence ungrammatical."""

    @property
    def is_syncretic(self) -> bool:
        """Whether an ungrammatical form is spelt as the grammatical one."""
        return any(form.text == self.forms[0].text for form in self.forms[1:])


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a template: a slot, or words (one lexeme of one form, and no slot)."""

    slot: Slot | None
    lexemes: tuple[Lexeme, ...]
    is_varied: bool


@dataclass(frozen=True, slots=True)
class Pattern:
    """A template, ready to be turned into sentences."""

    place: Place
    """Of the template."""
    parts: tuple[Part, ...]
    """From left to right; never two stretches of words in a row."""

    @property
    def varied(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.is_varied)

    @property
    def n_sets(self) -> int:
        return math.prod(len(part.lexemes) for part in self.parts)

    @property
    def n_sentences(self) -> int:
        return self.n_sets * math.prod(len(part.lexemes[0].forms) for part in self.varied)

    @property
    def n_alone(self) -> int:
        """How many sets have no ungrammatical sentence."""
        return self.n_sets if self.n_sets == self.n_sentences else 0

    @property
    def n_identical(self) -> int:
        """How many sets have an ungrammatical sentence that is spelt as the grammatical one, slot by slot."""
        return self.n_sets - self.n_sets_without(lambda part, lexeme: lexeme.is_syncretic)

    def n_sets_without(self, is_meant: Callable[[Part, Lexeme], bool]) -> int:
        """Counts the sets without any of these lexemes."""
        return math.prod(sum(not is_meant(part, lexeme) for lexeme in part.lexemes) for part in self.parts)


def patterns(grammar: Grammar) -> list[Pattern]:
    """Returns the templates of a grammar in their order.

    Raises:
        MalformedLine: with a template the grammar has more than `MOST_SENTENCES`.
    """
    found, n_sentences = [], 0
    for template in grammar.templates:
        found.append(Pattern(template.place, tuple(_parts(grammar, template))))
        n_sentences += found[-1].n_sentences
        if n_sentences > MOST_SENTENCES:
            many = f"with this template the grammar has {n_sentences:,} sentences"
            expected = f"at most {MOST_SENTENCES:,}: fewer alternatives, or templates in grammars of their own"
            raise template.place.malformed(many, expected)
    return found


def capitalised(pattern: Pattern, dotless_i: bool) -> Pattern:
    """Upper-cases the first letter of every sentence, see `with_capital`.

    Args:
        dotless_i: whether i is written İ as a capital (Turkish).
    """
    first, *others = pattern.parts
    lexemes = tuple(
        replace(lexeme, forms=tuple(replace(form, text=with_capital(form.text, dotless_i)) for form in lexeme.forms))
        for lexeme in first.lexemes
    )
    return replace(pattern, parts=(replace(first, lexemes=lexemes), *others))


def ended(pattern: Pattern, end: str) -> Pattern:
    """Puts a word, such as a full stop, after every sentence."""
    return replace(pattern, parts=_joined([*pattern.parts, _words(pattern.place, end)]))


def _parts(grammar: Grammar, template: Template) -> tuple[Part, ...]:
    return _joined(
        [
            _slot_part(grammar, part) if isinstance(part, Slot) else _words(template.place, part)
            for part in template.parts
        ]
    )


def _words(place: Place, text: str) -> Part:
    return Part(None, (Lexeme(text, (Alternative(place, text),)),), is_varied=False)


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    """Joins neighbouring stretches of words."""
    joined: list[Part] = []
    for part in parts:
        if joined and part.slot is None and joined[-1].slot is None:
            before, here = (one.lexemes[0].forms[0] for one in (joined.pop(), part))
            part = _words(here.place, f"{before.text} {here.text}")
        joined.append(part)
    return tuple(joined)


def _slot_part(grammar: Grammar, slot: Slot) -> Part:
    """Pairs the forms of a varied slot by position with those of its rivals."""
    rivals = grammar.rivals(slot) if grammar.is_varied(slot) else []
    first = next(one for one in grammar.preterminals if one == slot or one in rivals)
    rows = zip(*(grammar.preterminals[one] for one in (first, slot, *rivals)), strict=True)
    lexemes = tuple(Lexeme(name.text, tuple(forms)) for name, *forms in rows)
    return Part(slot, lexemes, grammar.is_varied(slot))
