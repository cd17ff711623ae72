"""Sentences of an attribute-varying grammar, in the order of the sets published with CLAMS (Mueller et al. 2020).

A pattern is a template with all fillers of its slots; the number of its sets is known before any of them is made.

A template is processed from left to right with a list of partial sentences. A slot that is not varied multiplies the
whole list by its alternatives, each in turn; a varied one puts, for every partial sentence and lexeme, the grammatical
form and then the others. So of the slots that are not varied the leftmost changes fastest, and the varied ones change
faster still, the last of them fastest. That order is a nest of loops: nothing but the grammar is in memory.

Unlike the released generator, but as in the article: a variant is never the grammatical form again; a
sentence is grammatical only if every varied slot is; a slot whose own form satisfies no item of the vary statement
still has its grammatical sentence.
"""

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice, pairwise, product
from pathlib import Path

from polyprobe.formats.files.atomic import written_atomically
from polyprobe.formats.grammars.avg import Alternative, Grammar, Place, Slot
from polyprobe.formats.minimal_sets.clams import MinimalSet, Variant
from polyprobe.formats.reading.case import with_capital

MOST_SENTENCES = 10_000_000  # of a grammar; all those published with CLAMS together have 670,910
_BLOCK = 4096  # sentences that are made together, and blocks that are written together
_log = logging.getLogger(__name__)


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
        parts = [
            _slot_part(grammar, part) if isinstance(part, Slot) else _words(template.place, part)
            for part in template.parts
        ]
        found.append(Pattern(template.place, _joined(parts)))
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


def classic_blocks(templates: Iterable[Pattern]) -> Iterator[str]:
    """Yields lines `True<tab>sentence` and `False<tab>sentence` as published, each with its line feed, in blocks.

    If a template has two varied slots, the sentences of a set are not next to each other; in `minimal_sets` they are.
    """
    for pattern in templates:
        first, *others = _stretches(pattern)
        n_endings = math.prod(len(part.lexemes) * len(part.lexemes[0].forms) for part in pattern.varied)
        for after in _combinations(others):
            kept = list(_joints(pattern.varied, after)) if n_endings <= _BLOCK else None
            for before in _texts(*first):
                for joints in kept or _joints(pattern.varied, after):
                    yield before.join(joints)


def write_published(templates: Iterable[Pattern], path: Path, advance: Callable[[int], None]) -> None:
    """Writes the same lines, whole or not at all; `advance` is called now and then with the number of further lines."""
    blocks = classic_blocks(templates)
    with written_atomically(path) as neighbour, open(neighbour, "wb") as file:
        while text := "".join(islice(blocks, _BLOCK)):
            file.write(text.encode("utf-8"))
            advance(text.count("\n"))


def minimal_sets(templates: Iterable[Pattern]) -> Iterator[MinimalSet]:
    """Yields the sets of a grammar, each whole; in the classic order where every template has one varied slot."""
    numbers = count(1)
    for pattern in templates:
        constant = [part.lexemes for part in pattern.parts if not part.is_varied]
        for from_right in product(*reversed(constant)):
            chosen = iter(from_right[::-1])
            filled = tuple(part if part.is_varied else replace(part, lexemes=(next(chosen),)) for part in pattern.parts)
            texts = [next(_texts(*stretch)) for stretch in _stretches(replace(pattern, parts=filled))]
            between = [(text, sum(map(bool, text.split(" ")))) for text in texts]
            slots = [part for part in filled if part.slot is not None]
            for lexemes in product(*(part.lexemes for part in pattern.varied)):
                first, *others = [_variant(between, forms) for forms in product(*(one.forms for one in lexemes))]
                varied = iter(lexemes)
                names = tuple((next(varied) if part.is_varied else part.lexemes[0]).name for part in slots)
                yield MinimalSet(next(numbers), first, tuple(others), pattern.place.line, names)


def warn(grammar: Grammar, templates: Sequence[Pattern]) -> None:
    """Warns of sets without variants and of variants that cannot be distinguished."""
    used = {slot.name for template in grammar.templates for slot in template.slots}
    for item in grammar.vary:
        if item.slot.name not in used:
            place = f"{item.place.path}, line {item.place.line}"
            _log.warning("%s: no template has %s, so it makes no variants.", place, item.slot.text)
    if n_identical := sum(pattern.n_identical for pattern in templates):
        n_sets = sum(pattern.n_sets for pattern in templates)
        found = "have a variant identical to the grammatical sentence"
        _log.warning("%s: %d of %d sets %s.", grammar.path, n_identical, n_sets, found)


_Stretch = tuple[tuple[Part, ...], str, str]
"""The parts before, between or after varied slots; the blanks to these on the left and on the right."""


def _texts(parts: tuple[Part, ...], left: str, right: str) -> Iterator[str]:
    """Yields all possible texts of a stretch, the leftmost slot changing fastest."""
    if not parts:
        yield left and right
        return
    options = [[lexeme.forms[0].text for lexeme in part.lexemes] for part in reversed(parts)]
    for chosen in product(*options):
        yield f"{left}{' '.join(chosen[::-1])}{right}"


def _stretches(pattern: Pattern) -> list[_Stretch]:
    """Cuts a template at its varied slots: one stretch more than there are slots."""
    cuts = [-1, *(n for n, part in enumerate(pattern.parts) if part.is_varied), len(pattern.parts)]
    between = [pattern.parts[start + 1 : end] for start, end in pairwise(cuts)]
    last = len(between) - 1
    return [(parts, "" if n == 0 else " ", "" if n == last else " ") for n, parts in enumerate(between)]


def _combinations(stretches: Sequence[_Stretch]) -> Iterator[tuple[str, ...]]:
    """Yields all texts of some stretches together, the first of them changing fastest."""
    if not stretches:
        yield ()
        return
    for text in _texts(*stretches[-1]):
        for others in _combinations(stretches[:-1]):
            yield (*others, text)


def _joints(varied: Sequence[Part], after: Sequence[str]) -> Iterator[list[str]]:
    """Yields the text between the beginnings of sentences that begin alike: `"True\\t"`, `"laughs\\nFalse\\t"`, …

    A beginning put between them gives a block of lines. `after` is what follows each varied slot.
    """
    endings = _endings(varied, after)
    while block := list(islice(endings, _BLOCK)):
        labels = [f"{label}\t" for label, _ in block]
        lines = [f"{words}\n" for _, words in block]
        yield [labels[0], *(line + label for line, label in zip(lines, labels[1:], strict=False)), lines[-1]]


def _endings(varied: Sequence[Part], after: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """Yields each sentence from its first varied slot on: whether it is grammatical, and its words."""
    options = [[(n == 0, form.text) for lex in part.lexemes for n, form in enumerate(lex.forms)] for part in varied]
    for chosen in product(*options):
        words = "".join(text + following for (_, text), following in zip(chosen, after, strict=True))
        yield all(is_grammatical for is_grammatical, _ in chosen), words


def _variant(between: Sequence[tuple[str, int]], forms: Sequence[Alternative]) -> Variant:
    """Makes a sentence of the forms of varied slots, and what is before, between and after them with its words."""
    sentence, position = between[0]
    positions = []
    for form, (after, n_after) in zip(forms, between[1:], strict=True):
        sentence += form.text + after
        positions.append(position)
        position += form.text.count(" ") + 1 + n_after
    return Variant(sentence, tuple(positions), tuple(form.text for form in forms))
