"""Spans and the tags that write them: `B-PER I-PER O`. All conversions of tag schemes are here.

scheme  a span starts with              ORG of one word, PER of three, PER of two
IOB1    I-, B- after one of its type    I-ORG I-PER I-PER I-PER B-PER I-PER
IOB2    B-                              B-ORG B-PER I-PER I-PER B-PER I-PER
BIOUL   B-, or U- where it is alone     U-ORG B-PER I-PER L-PER B-PER L-PER
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

OUTSIDE = "O"


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


def is_tag(text: str) -> bool:
    """Whether a text is `O`, or `B-` or `I-` and a type."""
    return text == OUTSIDE or (text.startswith(("B-", "I-")) and len(text) > 2)


def n_without_b(tags: Sequence[str]) -> int:
    """Counts the spans that start with I-: all but neighbours in IOB1, faults in IOB2."""
    return sum(tags[span.start].startswith("I-") for span in spans_of(tags))


def bioul_tags(types: Iterable[str]) -> list[str]:
    """Returns all tags of BIOUL over some types, `O` first, then four for each type."""
    return [OUTSIDE, *(f"{prefix}-{kind}" for kind in types for prefix in "BILU")]


def bioul(spans: Iterable[Span], n_words: int) -> list[str]:
    """Writes spans that do not overlap as B-, I- and L- (last), or U- (a single word)."""
    return _written(spans, n_words, lambda n_words: "U" if n_words == 1 else f"B{'I' * (n_words - 2)}L")


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


def _written(spans: Iterable[Span], n_words: int, prefixes: Callable[[int], str]) -> list[str]:
    tags = [OUTSIDE] * n_words
    for span in spans:
        for number, prefix in enumerate(prefixes(span.end - span.start), start=span.start):
            tags[number] = f"{prefix}-{span.type}"
    return tags
