"""Parallel text: two files of running text, line i of one the translation of line i of the other.

    train.en  A girl climbs.            train.fr  Une fille grimpe.

Only a line feed ends a line: a next line (U+0085) or a no-break space stands inside of lines of the WMT test sets.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from src.errors import BadValue, MalformedLine
from src.formats.file_to_label import FileToLabel
from src.formats.reading.lines import lines_together
from src.formats.reading.malformed import OnMalformed
from src.formats.reading.tokenised import MOSES, tokeniser, words_of_line
from src.formats.texts.sentence_lines import FILES, TargetedSentence, text_to_generate_from

UNNAMED = ("", "")


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
        tokenised_by: see `src.formats.reading.tokenised.tokeniser`.
        languages: codes of the two; "": of none that Moses knows.

    Raises:
        BadValue: `languages` are not two codes.
        MalformedLine: at an empty file, and at the first line of one file that has no counterpart in the other; and,
            where `on_malformed` raises, at the first line without a word or without clean UTF-8 text.
    """
    check_languages(languages)
    cuts = [tokeniser(tokenised_by, language) for language in languages]
    files = (path, target)
    for lines in lines_together(files):
        try:
            words, translation = (
                words_of_line(file, *line, cut) for file, line, cut in zip(files, lines, cuts, strict=True)
            )
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield TargetedSentence(words, translation, lines[0][0])


def check_languages(languages: object) -> None:
    """Checks that two languages are named."""
    if not isinstance(languages, list | tuple) or [type(code) for code in languages] != [str, str]:
        raise BadValue("languages", languages, "two codes, that of the file and that of its target, such as [en, fi]")


def parallel_sentences_to_label(
    path: Path, on_malformed: OnMalformed, tokenised_by: str = MOSES, languages: Sequence[str] = UNNAMED
) -> FileToLabel:
    """Reads one file of sentences; an answer is the words of a translation, written one a line.

    Raises as `text_to_generate_from`.
    """
    check_languages(languages)
    return text_to_generate_from(path, on_malformed, tokenised_by, languages[0], FILES)
