"""Minimal pairs as JSON objects, one a line, as BLiMP has them (Warstadt et al. 2020), and SLING and ZhoBLiMP.

    {"sentence_good": "Lucille's sisters are confused by Amy.", "sentence_bad": "Lucille's sisters …", "pairID": "0"}

Other keys than these two are read where a suite asks for them, such as the phenomenon. Words are separated by blanks
alone, a full stop is part of its word; in a language without blanks every character is a word.
"""

from collections.abc import Iterator
from pathlib import Path

from src.errors import MalformedLine
from src.formats.minimal_sets.clams import MinimalSet, check_sentence
from src.formats.minimal_sets.pair_rows import AS_IN_BLIMP, PairReading, set_of_row
from src.formats.reading.json_lines import value_of
from src.formats.reading.lines import numbered_bytes, text_of
from src.formats.reading.malformed import OnMalformed


def read(path: Path, on_malformed: OnMalformed, reading: PairReading = AS_IN_BLIMP) -> Iterator[MinimalSet]:
    """Reads pairs; a set's number is its line. The last line may lack its line feed.

    Args:
        path: the file.
        on_malformed: called with every bad line, which is then left out.
        reading: which keys are meant.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line that is not a JSON object
            with both sentences, has a sentence with surplus blanks, or is not clean UTF-8.
    """
    for line, content in numbered_bytes(path):
        try:
            row = _row(path, line, text_of(path, line, content.removesuffix(b"\n") + b"\n"), reading)
            pair = set_of_row(path, line, line, row, reading)
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield pair


def _row(path: Path, line: int, text: str, reading: PairReading) -> dict[str, str]:
    columns = reading.columns
    expected = f'an object such as {{"{columns.good}": "…", "{columns.bad}": "…"}}'
    fields = value_of(path, line, text, expected)
    absent = [key for key in columns.needed if not isinstance(fields, dict) or not isinstance(fields.get(key), str)]
    if absent:
        raise MalformedLine(path, line, f"the line has no {' and no '.join(absent)}", expected)
    if reading.between:
        for key in (columns.good, columns.bad):
            check_sentence(path, line, fields[key], f"{expected}, with single blanks between words")
    return {key: value for key, value in fields.items() if isinstance(value, str)}
