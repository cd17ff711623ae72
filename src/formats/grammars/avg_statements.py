"""The lines of attribute-varying grammars (`src.formats.grammars.avg`), each by itself."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from src.errors import MalformedLine
from src.formats.reading.lines import numbered_bytes, text_of

_BLANKS = " \t"
_VARY = re.compile(r"vary[ \t]*:")
_START = re.compile(r"S(?=[ \t]|→|->|$)")  # the brackets of S[] may be left out
_SLOT = re.compile(r"([^ \t\[\]|;]*)\[([^\[\]]*)\]")
_TOKEN = re.compile(r"(?P<blanks>[ \t]+)|(?P<bar>\|)|(?P<slot>[^ \t\[\]|]*\[[^\[\]]*\])|(?P<word>[^ \t\[\]|]+)|[\[\]]")
_ARROW = re.compile(r"[ \t]*(→|->)")


@dataclass(frozen=True, slots=True)
class Slot:
    """A name with a set of attributes; `text` is how it is written, and plays no part in comparisons."""

    name: str
    attributes: frozenset[str]
    text: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, from 1."""

    path: Path
    line: int

    def malformed(self, found: str, expected: str) -> MalformedLine:
        """Returns the error that names this place."""
        return MalformedLine(self.path, self.line, found, expected)


@dataclass(frozen=True, slots=True)
class Template:
    """A pattern of sentences: words and slots, at least one."""

    place: Place
    parts: tuple[str | Slot, ...]

    @property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(part for part in self.parts if isinstance(part, Slot))


@dataclass(frozen=True, slots=True)
class Alternative:
    """One word or several that may fill a slot, separated by single blanks."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Definition:
    """One line that lists alternatives of a preterminal."""

    slot: Slot
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class VaryItem:
    """One of the items of a vary statement: all preterminals of its name that have its attributes."""

    place: Place
    slot: Slot

    def matches(self, slot: Slot) -> bool:
        return self.slot.name == slot.name and self.slot.attributes <= slot.attributes


def statements(path: Path) -> Iterator[Template | Definition | VaryItem]:
    """Reads a file: its definitions, its templates and the items of its vary statements, in their order.

    Raises:
        MalformedLine: at the first line that is not a statement, or not clean UTF-8.
    """
    for number, content in numbered_bytes(path):
        text = text_of(path, number, content.removesuffix(b"\n") + b"\n").strip(_BLANKS)
        if not text or text.startswith("#"):
            continue
        if opening := _VARY.match(text):
            yield from _vary_items(Place(path, number), text[opening.end() :])
        else:
            yield from _rule(Place(path, number), text)


def _vary_items(place: Place, text: str) -> Iterator[VaryItem]:
    items = [item.strip(_BLANKS) for item in text.split(";")]
    if items == [""]:
        raise place.malformed("the vary statement names nothing", "vary: V[], vary: V[1,s] or vary: V[1]; D[]")
    for item in items:
        if not _SLOT.fullmatch(item):
            raise place.malformed(f'"{item}" is no item of a vary statement', "items such as V[] or V[1,s], ; between")
        yield VaryItem(place, _slot(place, item))


def _rule(place: Place, text: str) -> Iterator[Template | Definition]:
    match = _SLOT.match(text) or _START.match(text)
    if match is None:
        raise place.malformed(*_bad_left_side(text))
    left = Slot("S", frozenset(), "S") if match[0] == "S" else _slot(place, match[0])
    if left.name == "S" and left.attributes:
        raise place.malformed(f"{left.text} has attributes, but S begins a template", "S[]")
    right = _right_side(place, left, text[match.end() :])
    if left.name == "S":
        yield from (Template(place, tuple(parts)) for parts in _split(place, right, "template"))
    else:
        alternatives = (_alternative(place, left, parts) for parts in _split(place, right, "alternative"))
        yield Definition(left, tuple(alternatives))


def _bad_left_side(text: str) -> tuple[str, str]:
    first = text.split()[0]
    expected = "a rule such as N[sg] baker | miner, a template such as S[] the N[sg] V[sg], or vary: V[]"
    if "[" in first:
        return f'a bracket of "{first}" is not closed', expected
    return f'the line begins with "{first}", which has no list of attributes in brackets', expected


def _right_side(place: Place, left: Slot, rest: str) -> str:
    arrow = _ARROW.match(rest)
    if rest and not arrow and rest[0] not in _BLANKS:
        raise place.malformed(f'"{rest.split()[0]}" stands right after {left.text}', "a blank between the two sides")
    right = rest[arrow.end() if arrow else 0 :].strip(_BLANKS)
    if not right:
        what = "template" if left.name == "S" else "list of alternatives"
        raise place.malformed(f"{left.text} has no right-hand side: an empty {what}", "at least one word")
    return right


def _split(place: Place, right: str, what: str) -> list[list[str | Slot]]:
    """Cuts a right-hand side into alternatives or templates, and each into words and slots."""
    parts: list[list[str | Slot]] = [[]]
    may_start = True
    for match in _TOKEN.finditer(right):
        if match["bar"]:
            parts.append([])
        elif match["slot"] or match["word"]:
            if not may_start:
                raise place.malformed(f'"{match[0]}" stands right after a bracket', "a blank between them")
            parts[-1].append(_slot(place, match[0]) if match["slot"] else match[0])
        elif not match["blanks"]:
            wrong = "is not closed" if match[0] == "[" else "closes nothing"
            raise place.malformed(f'a "{match[0]}" {wrong}', "slots such as N[sg], and words without brackets")
        may_start = bool(match["blanks"] or match["bar"])
    if [] in parts:
        raise place.malformed(f"empty {what}", "at least one word before and after each |")
    return parts


def _slot(place: Place, text: str) -> Slot:
    name, _, listed = text.removesuffix("]").partition("[")
    attributes = [" ".join(attribute.split()) for attribute in listed.split(",")] if listed.strip() else []
    if not name or "" in attributes:
        raise place.malformed(f'"{text}" lacks a name or an attribute', "a slot such as N[], N[sg] or N[3,sg]")
    return Slot(name, frozenset(attributes), text)


def _alternative(place: Place, left: Slot, parts: Sequence[str | Slot]) -> Alternative:
    inner = next((part for part in parts if isinstance(part, Slot)), None)
    if inner is not None:
        found = f"the right-hand side of {left.text} holds the preterminal {inner.text}"
        raise place.malformed(found, "words alone: preterminals have no slots")
    return Alternative(place, " ".join(parts))
