"""Text in its order as data of objectives: each sentence with the next one, or with itself.

It rained.        It rained. → He left.       (next_sentences)
He left.          It rained. → It rained.     (repeated_sentences)
                  a border: an empty line, or the end of the file
Years went.       nothing is next to "He left."
"""

from collections.abc import Iterator
from pathlib import Path

from src.errors import MalformedLine
from src.formats.file_to_label import FileToLabel
from src.formats.reading.malformed import OnMalformed
from src.formats.reading.tokenised import MOSES
from src.formats.texts.sentence_lines import EMPTY_LINES, TargetedSentence, sentence_lines, text_to_generate_from


def next_sentences(
    path: Path, on_malformed: OnMalformed, tokenised_by: str = MOSES, language: str = "", borders: str = EMPTY_LINES
) -> Iterator[TargetedSentence]:
    """Reads each sentence with the next one, never across a border; arguments as for `sentence_lines`.

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
    """Reads each sentence with itself as its target; arguments and errors as for `sentence_lines`."""
    for number, words in sentence_lines(path, on_malformed, tokenised_by, language, borders):
        if words:
            yield TargetedSentence(words, words, number)


def next_sentences_to_label(
    path: Path, on_malformed: OnMalformed, tokenised_by: str = MOSES, language: str = "", borders: str = EMPTY_LINES
) -> FileToLabel:
    """Reads the sentences; an answer is the words of the next one. Raises as `text_to_generate_from`."""
    return text_to_generate_from(path, on_malformed, tokenised_by, language, borders)


def repeated_sentences_to_label(
    path: Path, on_malformed: OnMalformed, tokenised_by: str = MOSES, language: str = "", borders: str = EMPTY_LINES
) -> FileToLabel:
    """Reads the sentences; an answer is the words of the same one. Raises as `text_to_generate_from`."""
    return text_to_generate_from(path, on_malformed, tokenised_by, language, borders)
