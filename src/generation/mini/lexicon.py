"""The words of the miniature Turkish, from the tables in `data/`: nouns, names, adjectives, verbs with their frames.

Classes (person, thing, place, ...) say which nouns make sense where; they are coarse, so that odd sentences occur.
"""

import functools
from dataclasses import dataclass

from src.generation.mini.data_files import rules, table
from src.generation.mini.phonology import Stem, joined, stem_of


@dataclass(frozen=True, slots=True)
class Nominal:
    """A noun, a name or an adjective; its lemma is its form without suffix. Adjectives have the kind `quality`."""

    lemma: str
    kind: str
    stem: Stem


@dataclass(frozen=True, slots=True)
class Complement:
    """A place in a frame: the role, the case that marks it, the kinds of nouns that fill it, whether it is optional."""

    role: str
    case: str
    kinds: tuple[str, ...]
    is_optional: bool


@dataclass(frozen=True, slots=True)
class Sense:
    """A sense of a verb (`ver.01`) with its frame."""

    name: str
    frame: tuple[Complement, ...]


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: `lemma` is the infinitive (UniMorph), `root` the lemma in treebanks; `aorist` is its aorist suffix."""

    lemma: str
    root: str
    stem: Stem
    aorist: str
    senses: tuple[Sense, ...]


@functools.cache
def nouns() -> tuple[Nominal, ...]:
    """The nouns, in the order of the table."""
    return tuple(Nominal(row["lemma"], row["class"], stem_of(row["lemma"], _flags(row))) for row in table("nouns"))


@functools.cache
def names() -> tuple[Nominal, ...]:
    """Names of persons and places; their spelling never softens."""
    return tuple(Nominal(row["lemma"], row["class"], stem_of(row["lemma"], ())) for row in table("names"))


@functools.cache
def adjectives() -> tuple[Nominal, ...]:
    """The adjectives, in the order of the table."""
    return tuple(Nominal(row["lemma"], "quality", stem_of(row["lemma"], _flags(row))) for row in table("adjectives"))


@functools.cache
def verbs() -> tuple[Verb, ...]:
    """The verbs, in the order of the table."""
    return tuple(_verb(row) for row in table("verbs"))


def _verb(row: dict[str, str]) -> Verb:
    stem = stem_of(row["stem"], _flags(row))
    lemma = joined(stem, rules("verb")["citation"]).form
    aorist = rules("verb")["aorist_suffix"][row["aorist"]]
    return Verb(lemma, row["stem"], stem, aorist, tuple(_sense(row["stem"], text) for text in row["senses"].split("|")))


def _sense(root: str, text: str) -> Sense:
    number, *places = text.split(" ")
    return Sense(f"{root}.{number}", tuple(_complement(place) for place in places))


def _complement(place: str) -> Complement:
    """Reads `A2?=DAT=person/place`; the question mark says that it is optional."""
    role, case, kinds = place.split("=")
    return Complement(role.removesuffix("?"), case, tuple(kinds.split("/")), role.endswith("?"))


def _flags(row: dict[str, str]) -> list[str]:
    return [] if row["flags"] == "_" else row["flags"].split(",")
