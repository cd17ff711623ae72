"""Premise, hypothesis and label as JSON objects, one a line (TERRa).

    {"premise": "Женщину доставили в больницу.", "hypothesis": "Её спасают врачи.", "label": "entailment", "idx": 0}

Further keys are kept. An object without a label is a pair of a test set whose labels are not published.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from src.errors import MalformedLine
from src.formats.pairs.pair_tables import check_sentence, label_of
from src.formats.reading.cells import value_of
from src.formats.reading.lines import numbered_bytes, text_of, write_lines
from src.formats.reading.malformed import OnMalformed

_SIDES = ("premise", "hypothesis")


@dataclass(frozen=True, slots=True)
class JsonPair:
    """A premise, a hypothesis and the label of the pair."""

    line: int
    """Of the file, from 1."""
    fields: Mapping[str, Any]
    label: str | None
    """One of `src.formats.pairs.pair_tables.LABELS`; None: it is not published."""

    @property
    def premise(self) -> str:
        return self.fields["premise"]

    @property
    def hypothesis(self) -> str:
        return self.fields["hypothesis"]

    def with_label(self, label: str) -> "JsonPair":
        """Returns the same pair with another label."""
        return replace(self, label=label, fields={**self.fields, "label": label})


def read(path: Path, on_malformed: OnMalformed, labels: Mapping[str, str | None] | None) -> Iterator[JsonPair]:
    """Reads the pairs of a file, those without a label too.

    Args:
        labels: what each spelling in the file means; None: labels are ignored.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line that is not a JSON object,
            whose premise or hypothesis is missing or empty, whose label is unknown, or that is not clean UTF-8.
    """
    for line, content in numbered_bytes(path):
        try:
            fields = _object(path, line, text_of(path, line, content))
            has_label = labels is not None and "label" in fields
            label = label_of(path, line, str(fields["label"]), labels) if has_label else None
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield JsonPair(line, fields, label)


def write(pairs: Iterable[JsonPair], path: Path) -> None:
    """Writes pairs, whole or not at all, with the blanks that Python puts between keys and values."""
    write_lines((json.dumps(dict(pair.fields), ensure_ascii=False) for pair in pairs), path)


def _object(path: Path, line: int, text: str) -> dict[str, Any]:
    expected = 'an object such as {"premise": "…", "hypothesis": "…", "label": "…"}'
    fields = value_of(path, line, text, expected)
    if not isinstance(fields, dict) or not all(isinstance(fields.get(side), str) for side in _SIDES):
        raise MalformedLine(path, line, "the line has no premise or no hypothesis", expected)
    for side in _SIDES:
        check_sentence(path, line, side, fields[side])
    return fields
