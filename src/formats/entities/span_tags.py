"""Spans and the tags that write them: `B-PER I-PER O`. All conversions of tag schemes are here.

scheme  a span starts with              ORG of one word, PER of three, PER of two
IOB1    I-, B- after one of its type    I-ORG I-PER I-PER I-PER B-PER I-PER
IOB2    B-                              B-ORG B-PER I-PER I-PER B-PER I-PER
BIOUL   B-, or U- where it is alone     U-ORG B-PER I-PER L-PER B-PER L-PER
IOBES   B-, or S- where it is alone     S-ORG B-PER I-PER E-PER B-PER E-PER
BMES    the same, with M- for I-        S-ORG B-PER M-PER E-PER B-PER E-PER

Files also write `b-per`, `B_PER`, `PER-B`, `PER_B`, and `B` where all spans are of one type.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

OUTSIDE = "O"
ONLY_TYPE = "ENTITY"
"""The type of spans whose tags have none: `B I O`."""
CHUNKS = frozenset(["ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP", "NC", "PC", "VC"])
"""Types of syntactic chunks, of CoNLL-2000 and of the German data of CoNLL-2003: no entities."""
_SCHEMES_BY_NAME = {"BIO": "BI", "IOBES": "BIES", "BILOU": "BILU", "BMES": "BMESW"}
_ENOUGH = 200  # different tags of a file, to know its scheme
_NEARLY_ALL = 0.98  # of the tags: some S- among many B- and I- are bad tags, not another scheme
_STARTING, _ENDING = "BSUW", "ELSUW"  # letters of a first word, of a last one
_SPELLINGS = {
    "B-PER": "(?P<letter>[{}])-(?P<type>.+)",
    "B_PER": "(?P<letter>[{}])_(?P<type>.+)",
    "PER-B": "(?P<type>.+)-(?P<letter>[{}])",
    "PER_B": "(?P<type>.+)_(?P<letter>[{}])",
    "B": "(?P<letter>[{}])(?P<type>)",
}


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The words `[start, end)` of a sentence, 0-based, and what they are."""

    start: int
    end: int
    type: str


def spans_of(tags: Sequence[str]) -> list[Span]:
    """Reads spans from IOB1, IOB2 or any mixture, as conlleval does.

    A span starts at B-, and at I- after O or after another type; so an I- without a B- is a span and never lost.
    """
    starts = [number for number, tag in enumerate(tags) if _starts(tags[number - 1] if number else OUTSIDE, tag)]
    return [Span(start, _end(tags, start), type_of(tags[start])) for start in starts]


def type_of(tag: str) -> str:
    """Returns the type of a tag, cut at its first hyphen: `WORK-OF-ART` of `B-WORK-OF-ART`; `O` has none: ""."""
    return tag.partition("-")[2]


@dataclass(frozen=True, slots=True)
class TagScheme:
    """How the tags of a file are written."""

    name: str
    """For messages: "BIO" (IOB1 and IOB2), "IOBES", "BIO written as PER-B"."""
    pattern: re.Pattern[str]
    """Of a tag; it has a `letter` and a `type` where the tag is not that for no span."""

    def is_tag(self, text: str) -> bool:
        """Whether a text is a tag of this scheme."""
        return self.pattern.fullmatch(text) is not None

    def iob(self, tags: Iterable[str]) -> list[str]:
        """Writes the tags of a sentence with B-, I- and O, so that `spans_of` reads their spans.

        An I- that follows no B- stays what it is.
        """
        written, before = [], OUTSIDE
        for tag in tags:
            parts = self.pattern.fullmatch(tag)
            letter = (parts["letter"] or OUTSIDE).upper()
            prefix = "B" if letter in _STARTING or before in _ENDING else "I"
            written.append(OUTSIDE if letter == OUTSIDE else f"{prefix}-{parts['type'] or ONLY_TYPE}")
            before = letter
        return written


def _schemes() -> Iterator[TagScheme]:
    """Yields the schemes, those that most files have first."""
    for (spelling, pattern), is_lower, (name, letters) in product(
        _SPELLINGS.items(), (False, True), _SCHEMES_BY_NAME.items()
    ):
        known = f"[Oo]|{pattern.format(letters.lower())}" if is_lower else f"O|{pattern.format(letters)}"
        written = spelling.lower() if is_lower else spelling
        yield TagScheme(name if written == "B-PER" else f"{name} written as {written}", re.compile(known))


_SCHEMES = tuple(_schemes())
BIO = _SCHEMES[0]


def scheme_of(counts: Counter[str]) -> TagScheme:
    """Returns the plainest scheme in which the tags of a file are written, but for some bad ones."""
    inside = [(tag, n) for tag, n in counts.most_common(_ENOUGH) if tag.upper() != OUTSIDE]
    n_tags = {scheme: sum(n for tag, n in inside if scheme.is_tag(tag)) for scheme in _SCHEMES}
    return next(scheme for scheme, n in n_tags.items() if n >= _NEARLY_ALL * max(n_tags.values()))


def n_without_b(tags: Sequence[str]) -> int:
    """Counts the spans that start with I-: all but neighbours in IOB1, faults in IOB2."""
    return sum(tags[span.start].startswith("I-") for span in spans_of(tags))


def bioul_tags(types: Iterable[str]) -> list[str]:
    """Returns all tags of BIOUL over some types, `O` first, then four for each type."""
    return [OUTSIDE, *(f"{prefix}-{kind}" for kind in types for prefix in "BILU")]


def bioul(spans: Iterable[Span], n_words: int) -> list[str]:
    """Writes spans that do not overlap as B-, I- and L- (last), or U- (a single word)."""
    tags = [OUTSIDE] * n_words
    for span in spans:
        length = span.end - span.start
        prefixes = "U" if length == 1 else f"B{'I' * (length - 2)}L"
        tags[span.start : span.end] = [f"{prefix}-{span.type}" for prefix in prefixes]
    return tags


def spans_of_bioul(tags: Sequence[str]) -> list[Span]:
    """Reads spans from well-formed BIOUL tags: those of `bioul`, or of a decoder that allows no others."""
    starts, lasts = ([number for number, tag in enumerate(tags) if tag[0] in prefixes] for prefixes in ("BU", "LU"))
    return [Span(start, last + 1, type_of(tags[start])) for start, last in zip(starts, lasts, strict=True)]


def may_follow(before: str, after: str) -> bool:
    """Whether one BIOUL tag may stand directly behind another."""
    is_open = before[0] in "BI"
    goes_on = after[0] in "IL"
    return type_of(before) == type_of(after) if is_open and goes_on else is_open == goes_on


def may_start(tag: str) -> bool:
    """Whether a sentence may start with this BIOUL tag."""
    return tag[0] in "OBU"


def may_end(tag: str) -> bool:
    """Whether a sentence may end with this BIOUL tag."""
    return tag[0] in "OLU"


def _starts(before: str, tag: str) -> bool:
    return tag != OUTSIDE and (tag.startswith("B-") or before == OUTSIDE or type_of(before) != type_of(tag))


def _end(tags: Sequence[str], start: int) -> int:
    inside = f"I-{type_of(tags[start])}"
    return next((number for number in range(start + 1, len(tags)) if tags[number] != inside), len(tags))
