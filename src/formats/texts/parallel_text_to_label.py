"""A text to be translated: a sentence a line, of which the translations are written, one a line."""

from collections.abc import Sequence
from pathlib import Path

from src.formats.file_to_label import FileToLabel
from src.formats.reading.malformed import OnMalformed
from src.formats.reading.tokenised import MOSES
from src.formats.texts.parallel_text import UNNAMED, check_languages
from src.formats.texts.sentence_lines import FILES, text_to_generate_from


def parallel_sentences(
    path: Path, on_malformed: OnMalformed, tokenised_by: str = MOSES, languages: Sequence[str] = UNNAMED
) -> FileToLabel:
    """Reads the sentences; an answer is the words of a translation. Raises as `text_to_generate_from`."""
    check_languages(languages)
    return text_to_generate_from(path, on_malformed, tokenised_by, languages[0], FILES)
