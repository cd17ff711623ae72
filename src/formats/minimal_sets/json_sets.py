"""Minimal sets as JSON lines, which keep what comes from the grammar: template, lexemes, varied slots.

An object for each sentence, the sentences of a set together, sets numbered upwards.

    {"set": 1, "label": true, "sentence": "the author laughs", "template": 3, "lexemes": ["author", "laughs"],
     "positions": [2], "forms": ["laughs"]}

Only the first three keys are needed; the others are those of `MinimalSet` and `Variant`.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from polyprobe.errors import MalformedLine
from polyprobe.formats.minimal_sets.clams import MinimalSet, Variant, check_sentence
from polyprobe.formats.reading.cells import value_of
from polyprobe.formats.reading.lines import numbered_bytes, text_of, write_lines
from polyprobe.formats.reading.malformed import OnMalformed

_OBJECT = 'an object such as {"set": 1, "label": true, "sentence": "…"}'
_ENCODER = json.JSONEncoder(ensure_ascii=False)  # made once: json.dumps would make one for every line


def read(path: Path, on_malformed: OnMalformed) -> Iterator[MinimalSet]:
    """Reads JSON lines; a set with a bad line is left out as a whole.

    An empty line ends a set. A bad line that names a later set belongs to that one, any other to the set before it.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line that is not an object with
            the three keys, at a set with no grammatical sentence or with two, and at a number of a set below the last.
    """
    rows: list[_Row] | None = []  # of the set being read; None: the set is left out
    number = 0
    for line, content in numbered_bytes(path):
        try:
            row = _json_row(path, line, content)
            of_row = row.of_set.number
            if of_row < number:
                raise MalformedLine(path, line, f"set {of_row} comes after set {number}", "sets numbered upwards")
        except MalformedLine as place:
            is_empty, named = not content.strip(), _named_set(content)
            if is_empty or named > number:
                yield from _whole(path, rows, on_malformed)
            on_malformed(place)
            number, rows = max(number, named), [] if is_empty else None
            continue
        if of_row != number:
            yield from _whole(path, rows, on_malformed)
            number, rows = of_row, []
        if rows is not None:
            rows.append(row)
    yield from _whole(path, rows, on_malformed)


def write(sets: Iterable[MinimalSet], path: Path) -> None:
    """Writes JSON lines, whole or not at all."""

    def objects(one: MinimalSet) -> Iterator[dict[str, Any]]:
        origin = {} if one.lexemes is None else {"template": one.template, "lexemes": one.lexemes}
        for variant in one.variants:
            slots = {"positions": variant.positions, "forms": variant.forms}
            label = variant is one.grammatical
            yield {"set": one.number, "label": label, "sentence": variant.sentence, **origin, **slots}

    write_lines((_ENCODER.encode(fields) for one in sets for fields in objects(one)), path)


class _Row(NamedTuple):
    line: int
    is_grammatical: bool
    of_set: MinimalSet
    """What it says of its set, its sentence as the grammatical one."""


def _named_set(content: bytes) -> int:
    """Returns the number of the set that a bad line names, 0 where it names none."""
    try:
        number = json.loads(content)["set"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return 0
    return number if isinstance(number, int) else 0


def _json_row(path: Path, line: int, content: bytes) -> _Row:
    text = text_of(path, line, content)
    fields = value_of(path, line, text, _OBJECT)
    try:
        number, label = fields["set"], fields["label"]
        variant = Variant(fields["sentence"], tuple(fields.get("positions", ())), tuple(fields.get("forms", ())))
        lexemes = fields.get("lexemes")
        origin = fields.get("template"), None if lexemes is None else tuple(lexemes)
        of_set = MinimalSet(number, variant, (), *origin)
    except (LookupError, TypeError) as error:
        found = f"the line is no such object ({type(error).__name__}: {error})"
        raise MalformedLine(path, line, found, _OBJECT) from None
    if not isinstance(label, bool) or isinstance(number, bool) or not isinstance(number, int):
        raise MalformedLine(path, line, "the set is no integer, or the label neither true nor false", _OBJECT)
    if not isinstance(variant.sentence, str):
        raise MalformedLine(path, line, "the sentence is not text", _OBJECT)
    check_sentence(path, line, variant.sentence, _OBJECT)
    return _Row(line, label, of_set)


def _whole(path: Path, rows: Sequence[_Row] | None, on_malformed: OnMalformed) -> Iterator[MinimalSet]:
    """Yields the set of some rows, if there are any and they make a whole set."""
    if not rows:
        return
    grammatical = [row for row in rows if row.is_grammatical]
    if len(grammatical) != 1:
        place = (grammatical[1:] or rows)[0].line
        count = "two grammatical sentences" if grammatical else "no grammatical sentence"
        on_malformed(MalformedLine(path, place, f"set {rows[0].of_set.number} has {count}", "one in each set"))
        return
    others = tuple(row.of_set.grammatical for row in rows if not row.is_grammatical)
    yield replace(grammatical[0].of_set, ungrammatical=others)
