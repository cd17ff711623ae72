"""Sentences whose trees a model is to write, as symbols, one tree a line.

A file whose name ends in .txt is a text, a sentence a line, its words separated by blanks as those of the treebanks
are. Any other has the format of the treebank; its own trees are passed over.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from src.formats.file_to_label import FileToLabel
from src.formats.reading.malformed import OnMalformed
from src.formats.texts.sentence_lines import FILES, answered_by_lines, text_to_generate_from
from src.formats.texts.targeted_sentences import TargetedSentence
from src.formats.treebanks import linearised_trees as trees

_LANGUAGE = "en"  # changes nothing where words are separated by blanks


def linearised_trees(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads a text or constituency trees; an answer is the symbols of a tree. Raises as the reader of either."""
    return _to_label(path, on_malformed, trees.linearised_trees)


def linearised_dependency_trees(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads a text or CoNLL-U; an answer is the symbols of a tree. Raises as the reader of either."""
    return _to_label(path, on_malformed, trees.linearised_dependency_trees)


def _to_label(
    path: Path, on_malformed: OnMalformed, read: Callable[[Path, OnMalformed], Iterator[TargetedSentence]]
) -> FileToLabel:
    if path.suffix == ".txt":
        return text_to_generate_from(path, on_malformed, "blanks", _LANGUAGE, FILES)
    return answered_by_lines(path, [replace(one, target=()) for one in read(path, on_malformed)])
