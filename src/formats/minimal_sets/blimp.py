"""Minimal pairs as JSON objects, one a line, as BLiMP has them (Warstadt et al. 2020).

    {"sentence_good": "Lucille's sisters are confused by Amy.", "sentence_bad": "Lucille's sisters …", "pairID": "0"}

Only the two sentences are read. Their words are separated by blanks alone: a full stop is part of its word.
"""

from collections.abc import Iterator
from pathlib import Path

from src.errors import MalformedLine
from src.formats.minimal_sets.clams import MinimalSet, check_sentence, set_of_sentences
from src.formats.reading.json_lines import value_of
from src.formats.reading.lines import numbered_bytes, text_of
from src.formats.reading.malformed import OnMalformed

_KEYS = ("sentence_good", "sentence_bad")
_OBJECT = 'an object such as {"sentence_good": "…", "sentence_bad": "…"}'


def read(path: Path, on_malformed: OnMalformed) -> Iterator[MinimalSet]:
    """Reads pairs; a set's number is its line. The last line may lack its line feed.

    Args:
        path: the file.
        on_malformed: called with every bad line, which is then left out.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line that is not a JSON object
            with both sentences, has a sentence with surplus blanks, or is not clean UTF-8.
    """
    for line, content in numbered_bytes(path):
        try:
            sentences = _sentences(path, line, text_of(path, line, content.removesuffix(b"\n") + b"\n"))
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield set_of_sentences(line, sentences)


def _sentences(path: Path, line: int, text: str) -> list[str]:
    fields = value_of(path, line, text, _OBJECT)
    absent = [key for key in _KEYS if not isinstance(fields, dict) or not isinstance(fields.get(key), str)]
    if absent:
        raise MalformedLine(path, line, f"the line has no {' and no '.join(absent)}", _OBJECT)
    for key in _KEYS:
        check_sentence(path, line, fields[key], f"{_OBJECT}, with single blanks between words")
    return [fields[key] for key in _KEYS]
