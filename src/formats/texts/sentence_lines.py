"""Running text, a sentence a line, in its order, and what is to be generated from each sentence.

Empty lines stand at borders of chapters or documents, if at all. A sentence with its target is the data of every
objective that trains a sentence encoder by generating.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from src.errors import MalformedLine, check_choice
from src.formats.file_to_label import FileToLabel
from src.formats.reading.lines import numbered_bytes, write_lines, written_back
from src.formats.reading.malformed import OnMalformed
from src.formats.reading.tokenised import tokeniser, words_of_line

EMPTY_LINES, FILES = "empty_lines", "files"
BORDERS = (EMPTY_LINES, FILES)
_EMPTY = (b"\n", b"")


@dataclass(frozen=True, slots=True)
class TargetedSentence:
    """A sentence and its target."""

    words: tuple[str, ...]
    """Of the sentence that is encoded."""
    target: tuple[str, ...]
    """What is generated from it: words, or symbols of a tree, before they are cut into subword units. Empty where it is
    not known: in a file that a model is to label.
    """
    line: int
    """Of the file, from 1."""


def sentence_lines(
    path: Path, on_malformed: OnMalformed, tokenised_by: str, language: str, borders: str
) -> Iterator[tuple[int, tuple[str, ...] | None]]:
    """Reads the sentences of a text with their places between borders.

    Args:
        tokenised_by, language: see `src.formats.reading.tokenised.tokeniser`.
        borders: "empty_lines": an empty line is a border; "files": the file is a whole, and an empty line is malformed.

    Yields:
        The number of the line, from 1, and its words: () at a border, None where the line is left out.

    Raises:
        UnknownChoice: `borders` is neither.
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line without a word or without
            clean UTF-8 text.
    """
    check_choice("borders", borders, BORDERS)
    cut = tokeniser(tokenised_by, language)
    for number, content in numbered_bytes(path):
        if borders == EMPTY_LINES and content in _EMPTY:
            yield number, ()
            continue
        try:
            words = words_of_line(path, number, content, cut)
        except MalformedLine as place:
            on_malformed(place)
            words = None
        yield number, words


def text_to_generate_from(
    path: Path, on_malformed: OnMalformed, tokenised_by: str, language: str, borders: str
) -> FileToLabel:
    """Reads sentences that have no targets; an answer is what was generated from one, with a blank between any two.

    Borders, and sentences that are left out, have no line in the written file; its lines end as those of the sentences
    do. Arguments and errors as for `sentence_lines`.
    """
    lines = sentence_lines(path, on_malformed, tokenised_by, language, borders)
    return answered_by_lines(path, [TargetedSentence(words, (), number) for number, words in lines if words])


def answered_by_lines(path: Path, sentences: Sequence[TargetedSentence]) -> FileToLabel:
    """Returns sentences of a file whose answers are written one a line, with one blank between words or symbols."""
    return FileToLabel(sentences, written_back(_write, path, (one.line for one in sentences)))


def _write(answers: Sequence[Sequence[str]], path: Path) -> None:
    write_lines(map(" ".join, answers), path)
