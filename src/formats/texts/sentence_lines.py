"""Running text, a sentence a line, in its order, and what is to be generated from each sentence.

Empty lines stand at borders of chapters or documents, if at all. A sentence with its target is the data of every
objective that trains a sentence encoder by generating. The target of a sentence is the next one, or itself:

It rained.        It rained. → He left.       (next_sentences)
He left.          It rained. → It rained.     (repeated_sentences)
                  a border: an empty line, or the end of the file
Years went.       nothing is next to "He left."

or its translation, line i of another file (parallel_sentences):

    train.en  A girl climbs.            train.fr  Une fille grimpe.

Only a line feed ends a line: a next line (U+0085) or a no-break space stands inside of lines of the WMT test sets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyprobe.errors import BadValue, MalformedLine, check_choice
from polyprobe.formats.reading.lines import lines_together, numbered_bytes
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.reading.tokenised import MOSES, tokeniser, words_of_line

EMPTY_LINES, FILES = "empty_lines", "files"
BORDERS = (EMPTY_LINES, FILES)
_EMPTY = (b"\n", b"")
UNNAMED = ("", "")


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
        tokenised_by, language: see `polyprobe.formats.reading.tokenised.tokeniser`.
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
        words = () if borders == EMPTY_LINES and content in _EMPTY else None
        if words is None:
            with Omission(on_malformed):
                words = words_of_line(path, number, content, cut)
        yield number, words


def next_sentences(
    path: Path, on_malformed: OnMalformed, tokenised_by: str = MOSES, language: str = "", borders: str = EMPTY_LINES
) -> Iterator[TargetedSentence]:
    """Reads each sentence with the next one, never across a border.

    Args:
        tokenised_by, language, borders: see `sentence_lines`.

    Raises:
        MalformedLine: as `sentence_lines`, and at the end of a text whose borders are empty lines and that has none:
            it may be shuffled, or several texts in one.
    """
    previous, number, has_border = None, 0, False
    for line, words in sentence_lines(path, on_malformed, tokenised_by, language, borders):
        if previous and words:
            yield TargetedSentence(previous, words, number)
        has_border |= words == ()
        previous, number = words, line
    if borders == EMPTY_LINES and not has_border:
        found = f"the text ends after {number:,} lines in a row, with no border between them"
        expected = (
            "an empty line at every border of a chapter or document, as nothing is next across it; where every file "
            "is one document in its order, reader_options: {borders: files} says so"
        )
        raise MalformedLine(path, number, found, expected)


def repeated_sentences(
    path: Path, on_malformed: OnMalformed, tokenised_by: str = MOSES, language: str = "", borders: str = EMPTY_LINES
) -> Iterator[TargetedSentence]:
    """Reads each sentence with itself as its target; errors as for `sentence_lines`.

    Args:
        tokenised_by, language, borders: see `sentence_lines`.
    """
    for number, words in sentence_lines(path, on_malformed, tokenised_by, language, borders):
        if words:
            yield TargetedSentence(words, words, number)


def parallel_sentences(
    path: Path,
    on_malformed: OnMalformed,
    target: Path,
    tokenised_by: str = MOSES,
    languages: Sequence[str] = UNNAMED,
) -> Iterator[TargetedSentence]:
    """Reads sentences with their translations.

    Args:
        path: the file of the sentences that are encoded.
        target: the file of their translations.
        tokenised_by: see `polyprobe.formats.reading.tokenised.tokeniser`.
        languages: codes of the two, such as [en,fr]; "": of none that Moses knows.

    Raises:
        BadValue: `languages` are not two codes.
        MalformedLine: at an empty file, and at the first line of one file that has no counterpart in the other; and,
            where `on_malformed` raises, at the first line without a word or without clean UTF-8 text.
    """
    if not isinstance(languages, list | tuple) or [type(code) for code in languages] != [str, str]:
        raise BadValue("languages", languages, "two codes, that of the file and that of its target, such as [en, fi]")
    cuts = [tokeniser(tokenised_by, language) for language in languages]
    files = (path, target)
    for lines in lines_together(files):
        with Omission(on_malformed):
            words, translation = (
                words_of_line(file, *line, cut) for file, line, cut in zip(files, lines, cuts, strict=True)
            )
            yield TargetedSentence(words, translation, lines[0][0])
