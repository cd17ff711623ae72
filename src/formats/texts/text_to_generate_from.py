"""A text whose sentences have no targets yet: one a line, for each of which a line of the answer is written."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from src.errors import MalformedLine
from src.formats.file_to_label import FileToLabel
from src.formats.reading.line_ends import written_back
from src.formats.reading.lines import numbered_bytes, write_lines
from src.formats.reading.malformed import OnMalformed
from src.formats.texts.targeted_sentences import TargetedSentence
from src.formats.texts.tokenised import tokeniser, words_of_line


def text_to_generate_from(path: Path, on_malformed: OnMalformed, tokenised_by: str, language: str) -> FileToLabel:
    """Reads sentences; an answer is the words or symbols that were generated, written with one blank between any two.

    A sentence that is left out has no line in the written file; lines end as those of the sentences do.

    Args:
        path: the file.
        on_malformed: called with every bad line, which is then left out.
        tokenised_by, language: see `src.formats.texts.tokenised.tokeniser`.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line without a word or without
            clean UTF-8 text.
    """
    sentences = list(_sentences(path, on_malformed, tokenised_by, language))
    return FileToLabel(sentences, written_back(_write, path, (one.line for one in sentences)))


def _sentences(path: Path, on_malformed: OnMalformed, tokenised_by: str, language: str) -> Iterator[TargetedSentence]:
    cut = tokeniser(tokenised_by, language)
    for number, content in numbered_bytes(path):
        try:
            words = words_of_line(path, number, content, cut)
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield TargetedSentence(words, (), number)


def _write(answers: Sequence[Sequence[str]], path: Path) -> None:
    write_lines(map(" ".join, answers), path)
