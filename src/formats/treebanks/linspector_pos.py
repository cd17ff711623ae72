"""LINSPECTOR's files of tagged sentences: a sentence a line, items separated by one blank, each `FORM##UPOS`.

    zum##_ zu##ADP dem##DET Standard##NOUN ###SYM

An item is split at its last `##`: the form of `###SYM` is `#`. Multiword tokens come before their words, with the tag
`_` (`NO_LABEL`); empty nodes are among the words, with their tag. Blanks inside a form became `_`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from src.errors import MalformedLine
from src.formats.file_to_label import FileToLabel
from src.formats.reading.lines import UnwritableText, numbered_bytes, text_of, write_lines, written_back
from src.formats.reading.malformed import OnMalformed
from src.formats.treebanks.labelled_words import LabelledWords

_SEPARATOR = "##"


def linspector_pos_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[LabelledWords]:
    """Reads sentences in the order of the file; only a blank separates items (U+00A0 is a character of a form).

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line with an item without `##`,
            without form or without tag (two blanks in a row, an empty line), or that is not clean UTF-8.
    """
    for line, content in numbered_bytes(path):
        try:
            sentence = _sentence(path, line, text_of(path, line, content))
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield sentence


def write(sentences: Iterable[LabelledWords], path: Path) -> None:
    """Writes sentences, whole or not at all; what was read is written byte for byte."""
    write_lines(map(_line, sentences), path)


def _sentence(path: Path, line: int, text: str) -> LabelledWords:
    items = [item.rpartition(_SEPARATOR) for item in text.split(" ")]
    for number, (form, separator, tag) in enumerate(items, start=1):
        if not (form and separator and tag):
            found = f'item {number} is "{form}{separator}{tag}"'
            raise MalformedLine(path, line, found, "FORM##UPOS, with one blank between items")
    return LabelledWords(tuple(form for form, _, _ in items), tuple(tag for _, _, tag in items), line)


def _line(sentence: LabelledWords) -> str:
    for form, tag in zip(sentence.words, sentence.labels, strict=True):
        if not form or not tag or " " in form + tag or f"{form}{_SEPARATOR}{tag}".rpartition(_SEPARATOR)[2] != tag:
            raise UnwritableText(f'"{form}" with the tag "{tag}" cannot be an item of a line: it has no form, no tag, '
                                 f'a blank, or a tag with "{_SEPARATOR}".')  # fmt: skip
    if not sentence.words:
        raise UnwritableText("A sentence has no word. A line holds at least one item.")
    return " ".join(f"{form}{_SEPARATOR}{tag}" for form, tag in zip(sentence.words, sentence.labels, strict=True))


def linspector_pos_sentences_to_label(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads the items; an answer is a tag for each. Raises as `linspector_pos_sentences`.

    Every item gets its predicted tag, multiword tokens too: a model of these files has learned the tag `_`, and the
    score over all items counts them. In a file without gold tags every item has the tag `_`.
    """
    sentences = list(linspector_pos_sentences(path, on_malformed))
    return FileToLabel(
        sentences, written_back(partial(_write_answers, sentences), path, (one.line for one in sentences))
    )


def _write_answers(sentences: Sequence[LabelledWords], answers: Sequence[Sequence[str]], path: Path) -> None:
    tagged = (replace(one, labels=tuple(tags)) for one, tags in zip(sentences, answers, strict=True))
    write(tagged, path)
