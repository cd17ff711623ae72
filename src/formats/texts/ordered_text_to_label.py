"""A text, a sentence a line, from whose sentences the next ones, or the sentences themselves, are generated."""

from pathlib import Path

from src.formats.file_to_label import FileToLabel
from src.formats.reading.malformed import OnMalformed
from src.formats.reading.tokenised import MOSES
from src.formats.texts.sentence_lines import EMPTY_LINES, text_to_generate_from


def next_sentences(
    path: Path, on_malformed: OnMalformed, tokenised_by: str = MOSES, language: str = "", borders: str = EMPTY_LINES
) -> FileToLabel:
    """Reads the sentences; an answer is the words of the next one. Raises as `text_to_generate_from`."""
    return text_to_generate_from(path, on_malformed, tokenised_by, language, borders)


def repeated_sentences(
    path: Path, on_malformed: OnMalformed, tokenised_by: str = MOSES, language: str = "", borders: str = EMPTY_LINES
) -> FileToLabel:
    """Reads the sentences; an answer is the words of the same one. Raises as `text_to_generate_from`."""
    return text_to_generate_from(path, on_malformed, tokenised_by, language, borders)
