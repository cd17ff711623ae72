"""Attribute-varying grammars (Mueller et al. 2020, section 3, and the grammars released with it): one statement a line.

    vary: V[]                        what is varied: every V; V[1,s] those with both attributes; V[1]; V[s] with either
    S[] the N[sg] V[sg] | a N[sg]    templates: words and slots; a slot is a name with a set of attributes
    N[sg] baker | bus driver         a preterminal and its alternatives, each of one word or several

Statements come in any order. A slot names the preterminal of the same name and the same attributes, in any order. Two
definitions of one preterminal are joined. Lines that are empty or begin with `#` are left out. The file common.avg of a
folder is read before each other file of it.

Differs from the released generator, which silently drops words or makes up others: a rule may be indented, a
tab may follow its left-hand side, or an arrow (→ or ->), attributes may have blanks, several blanks count as one;
meaningless lines are refused. Lines may end in CR LF, the last one without either: published files do.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from polyprobe.errors import MalformedLine, PolyprobeError, nearest
from polyprobe.formats.reading.lines import numbered_bytes, text_of

_BLANKS = " \t"
_VARY = re.compile(r"vary[ \t]*:")
_START = re.compile(r"S(?=[ \t]|→|->|$)")  # the brackets of S[] may be left out
_SLOT = re.compile(r"([^ \t\[\]|;]*)\[([^\[\]]*)\]")
_TOKEN = re.compile(r"(?P<blanks>[ \t]+)|(?P<bar>\|)|(?P<slot>[^ \t\[\]|]*\[[^\[\]]*\])|(?P<word>[^ \t\[\]|]+)|[\[\]]")
_ARROW = re.compile(r"[ \t]*(→|->)")
COMMON = "common.avg"
SUFFIX = ".avg"


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


class Definition(NamedTuple):
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
    """Reads a file: its definitions, its templates and the items of its vary statements, in their order."""
    for number, content in numbered_bytes(path):
        text = text_of(path, number, content).strip(_BLANKS)
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
            raise place.malformed(
                f'"{item}" is not an item of a vary statement', "items such as V[] or V[1,s], ; between"
            )
        yield VaryItem(place, _slot(place, item))


def _rule(place: Place, text: str) -> Iterator[Template | Definition]:
    match = _SLOT.match(text) or _START.match(text)
    if match is None:
        first = text.split()[0]
        found = f'the line begins with "{first}", which has no list of attributes in brackets'
        found = f'a bracket of "{first}" is not closed' if "[" in first else found
        expected = "a rule such as N[sg] baker | miner, a template such as S[] the N[sg] V[sg], or vary: V[]"
        raise place.malformed(found, expected)
    left = Slot("S", frozenset(), "S") if match[0] == "S" else _slot(place, match[0])
    if left.name == "S" and left.attributes:
        raise place.malformed(f"{left.text} has attributes, but S begins a template", "S[]")
    right = _right_side(place, left, text[match.end() :])
    if left.name == "S":
        yield from (Template(place, tuple(parts)) for parts in _split(place, right, "template"))
    else:
        alternatives = (_alternative(place, left, parts) for parts in _split(place, right, "alternative"))
        yield Definition(left, tuple(alternatives))


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
                raise place.malformed(f'"{match[0]}" directly follows a bracket', "a blank between them")
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


@dataclass(frozen=True, slots=True)
class Grammar:
    """A whole grammar; every slot of its templates is defined."""

    path: Path
    templates: tuple[Template, ...]
    """In the order of the file, at least one."""
    preterminals: Mapping[Slot, tuple[Alternative, ...]]
    """The alternatives of each slot; slots in the order of their first definitions."""
    vary: tuple[VaryItem, ...]
    """Empty where there is no vary statement: then every sentence is grammatical."""

    def is_varied(self, slot: Slot) -> bool:
        return any(item.slot.name == slot.name for item in self.vary)

    def rivals(self, slot: Slot) -> list[Slot]:
        """Returns the preterminals whose forms make the slot ungrammatical, in the order of their definitions."""
        others = (one for one in self.preterminals if one.name == slot.name and one != slot)
        return [one for one in others if any(item.matches(one) for item in self.vary)]


def grammar_files(place: Path) -> list[Path]:
    """Returns a grammar's file, or those of a folder in the order of their names, without common.avg.

    Raises:
        PolyprobeError: there is no grammar at this path.
    """
    if place.is_file():
        return [place]
    files = sorted(file for file in place.glob(f"*{SUFFIX}") if file.name != COMMON)
    if not files:
        what = f"has no file *{SUFFIX} but {COMMON}" if place.is_dir() else "is not there"
        raise PolyprobeError(f"{place} {what}. Expected a grammar, or a folder of grammars.")
    return files


def files_behind(path: Path) -> list[Path]:
    """Returns the files of a grammar in the order of reading: first common.avg of its folder, if there is one."""
    common = path.with_name(COMMON)
    return [common, path] if common.is_file() and path.name != COMMON else [path]


def read(path: Path) -> Grammar:
    """Reads the grammar of one construction.

    Raises:
        MalformedLine: at the first line that is not a statement, at a slot that is not defined, at an item of a vary
            statement that no preterminal satisfies, and where forms that are paired by position differ in number.
        PolyprobeError: there is no template.
    """
    templates: list[Template] = []
    preterminals: dict[Slot, tuple[Alternative, ...]] = {}
    vary: list[VaryItem] = []
    for statement in (one for file in files_behind(path) for one in statements(file)):
        if isinstance(statement, Definition):
            preterminals[statement.slot] = (*preterminals.get(statement.slot, ()), *statement.alternatives)
        else:
            (templates if isinstance(statement, Template) else vary).append(statement)
    grammar = Grammar(path, tuple(templates), preterminals, tuple(vary))
    _check(grammar)
    return grammar


def _check(grammar: Grammar) -> None:
    if not grammar.templates:
        expected = "a line such as S[] the N[sg] V[sg]"
        raise PolyprobeError(f"{grammar.path}: the grammar has no template. Expected {expected}.")
    for item in grammar.vary:
        if not any(item.matches(slot) for slot in grammar.preterminals):
            found = f"vary item {item.slot.text} matches no preterminal{_near(item.slot, grammar)}"
            raise item.place.malformed(found, "the name of a preterminal with some of its attributes, or none")
    for template in grammar.templates:
        for slot in template.slots:
            if slot not in grammar.preterminals:
                found = f"preterminal {slot.text} is used in a template but not defined{_near(slot, grammar)}"
                raise template.place.malformed(found, "a slot with the very attributes of a definition")
            _check_lengths(grammar, slot)


def _near(slot: Slot, grammar: Grammar) -> str:
    known = list(grammar.preterminals)
    namesakes = [one.text for one in known if one.name == slot.name]
    hint = f"did you mean {' or '.join(namesakes[:4])}?" if namesakes else nearest(slot.text, [s.text for s in known])
    return f" ({hint.removesuffix('.')})"


def _check_lengths(grammar: Grammar, slot: Slot) -> None:
    """Refuses a varied slot if one of its rivals has more or fewer forms."""
    n_own = len(grammar.preterminals[slot])
    for rival in grammar.rivals(slot):
        forms = grammar.preterminals[rival]
        if len(forms) != n_own:
            lists = "1 form" if len(forms) == 1 else f"{len(forms)} forms"
            found = f"{rival.text} lists {lists}, but {slot.text} lists {n_own}"
            raise forms[0].place.malformed(found, "as many: forms are paired by position")
