"""The text of a Wikipedia dump as WikiExtractor writes it: documents between marks, or as JSON, one a line.

    <doc id="12" url="https://en.wikipedia.org/wiki?curid=12" title="Anarchism">
    Anarchism                                      the title: no passage

    Anarchism is a political philosophy. It …      a passage
    </doc>

    {"id": "12", "url": "…", "title": "Anarchism", "text": "Anarchism is a political philosophy. It …\\n…"}

Lines that older versions mark as headings or items of lists (`Section::::`, `BULLET::::`) are passed over.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import value_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.texts.plain_text import Passage, lines_of_text

_START, _END = re.compile(r'<doc(?: .*?(?:title="(.*)")?)?>'), "</doc>"
_PASSED_OVER = ("Section::::", "BULLET::::")
_DOCUMENT = 'a document such as {"title": "…", "text": "…"}'
_CLOSED = f"{_END} at the end of every document"


def wikipedia_passages(path: Path, on_malformed: OnMalformed) -> Iterator[Passage]:
    """Reads the lines of all documents, without titles.

    Args:
        path: a file of either kind, known by its first character.
        on_malformed: called with every bad place: a bad line, a document without an end, an end without a beginning,
            text outside of documents. The document is then left out.

    Raises:
        MalformedLine: the file is empty.
    """
    lines = lines_of_text(path, on_malformed)
    first = next(lines)
    read = _objects if (first[1] or "").startswith("{") else _marked
    yield from read(path, chain([first], lines), on_malformed)


def _objects(path: Path, lines: Iterator[tuple[int, str | None]], on_malformed: OnMalformed) -> Iterator[Passage]:
    for number, line in lines:
        if line is None:
            continue
        with Omission(on_malformed):
            document = value_of(path, number, line, _DOCUMENT)
            if not isinstance(document, dict) or not isinstance(document.get("text"), str):
                raise MalformedLine(path, number, "the line has no text of a document", _DOCUMENT)
            if set("\r\0") & set(document["text"]):
                raise MalformedLine(path, number, "the text has a carriage return or a NUL", _DOCUMENT)
            numbered = [(number, text) for text in document["text"].split("\n")]
            yield from _passages(numbered, document.get("title"))


def _marked(path: Path, lines: Iterator[tuple[int, str | None]], on_malformed: OnMalformed) -> Iterator[Passage]:
    began: int | None = None  # the line where the document begins
    title, held, is_bad = None, [], False
    for number, line in lines:
        start = None if line is None else _START.fullmatch(line)
        if line is None:
            is_bad = True
        elif start:
            if began is not None and not is_bad:
                on_malformed(MalformedLine(path, began, "the document has no end", _CLOSED))
            began, title, held, is_bad = number, start[1], [], False
        elif line == _END:
            if began is not None and not is_bad:
                yield from _passages(held, title)
            elif not is_bad:
                on_malformed(MalformedLine(path, number, "a document ends that has not begun", '<doc id="…" …>'))
            began, held, is_bad = None, [], False
        elif began is not None:
            held.append((number, line))
        elif line.strip() and not is_bad:
            is_bad = True  # one place, however long the text is
            on_malformed(MalformedLine(path, number, "text stands outside of a document", '<doc id="…" …> before it'))
    if began is not None and not is_bad:
        on_malformed(MalformedLine(path, began, "the document has no end; the file may be truncated", _CLOSED))


def _passages(lines: Sequence[tuple[int, str]], title: str | None) -> Iterator[Passage]:
    """Yields the lines that are text; the first is none where it is the title."""
    texts = [(number, text.strip()) for number, text in lines if text.strip()]
    if texts and texts[0][1] == title:
        del texts[0]
    return (Passage(text, number) for number, text in texts if not text.startswith(_PASSED_OVER))
