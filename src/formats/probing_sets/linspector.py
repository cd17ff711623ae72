"""The probing files of LINSPECTOR: one row a line, cells separated by tabs, no header, no comments.

    taloissa    Essive+In                       one form
    talossa     taloissa    Number              two forms
    Talo paloi .    0   Nominative              a token in context: 0-based index into the words

A line that starts with `#` is a row. Labels may have blanks (`Third person Singular`); they are kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import read_cells
from polyprobe.formats.reading.malformed import OnMalformed


@dataclass(frozen=True, slots=True)
class FormRow:
    """A form, or two of a pair, and the label; `line` is its line of the file, from 1."""

    line: int
    forms: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class TokenRow:
    """The label of the word at `index` (0-based) of a sentence; `line` is its line of the file, from 1."""

    line: int
    words: tuple[str, ...]
    index: int
    label: str


def read_forms(path: Path, on_malformed: OnMalformed, names: tuple[str, ...] = ("form",)) -> Iterator[FormRow]:
    """Reads rows of a form and a label, or of as many forms as have names; raises as `read_cells`."""
    return read_cells(path, (*names, "label"), on_malformed, lambda _, line, *row: FormRow(line, row[:-1], row[-1]))


read_form_pairs = partial(read_forms, names=("first form", "second form"))


def read_tokens(path: Path, on_malformed: OnMalformed) -> Iterator[TokenRow]:
    """Reads rows of a sentence, an index and a label.

    Raises:
        MalformedLine: as `read_cells`, and at an index that is not a word of its sentence.
    """
    return read_cells(path, ("sentence", "index", "label"), on_malformed, _token)


def _token(path: Path, line: int, sentence: str, index: str, label: str) -> TokenRow:
    words = tuple(sentence.split(" "))
    if "" in words:
        raise MalformedLine(path, line, "the sentence has an empty word", "words separated by single blanks")
    known = {str(n): n for n in range(len(words))}
    if index not in known:
        found = f'the index is "{index}", and the sentence has {len(words)} words'
        raise MalformedLine(path, line, found, f"0 to {len(words) - 1}")
    return TokenRow(line, words, known[index], label)
