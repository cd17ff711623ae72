"""Sentences with a label at every word; universal parts of speech from CoNLL-U and from LINSPECTOR's tagged files.

In CoNLL-U, multiword tokens and empty nodes are ignored. LINSPECTOR's files have a sentence a line, items separated by
one blank, each `FORM##UPOS`:

    zum##_ zu##ADP dem##DET Standard##NOUN ###SYM

An item is split at its last `##`: the form of `###SYM` is `#`. Multiword tokens come before their words, with the tag
`_` (`NO_LABEL`); empty nodes are among the words, with their tag. Blanks inside a form became `_`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from polyprobe.errors import MalformedLine, check_choice
from polyprobe.formats.reading.cells import rows_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.treebanks import conllu

NO_LABEL = "_"
"""Label of an item that is not a word: a surface token such as "zum", which is followed by its words "zu" and "dem"."""
TAG_COLUMNS = ("upos", "xpos")
_SEPARATOR = "##"


@dataclass(frozen=True, slots=True)
class LabelledWords:
    """A sentence and the label of each of its words (part of speech, BIO tag)."""

    words: tuple[str, ...]
    """At least one, none empty."""
    labels: tuple[str, ...]
    """As many; `NO_LABEL` at items that are not words."""
    line: int
    """The line of the file on which the sentence starts, from 1."""

    def __post_init__(self):
        assert len(self.words) == len(self.labels), self


def has_no_words(sentence: LabelledWords) -> bool:
    """Says whether some items of a sentence are no words."""
    return NO_LABEL in sentence.labels


def without_no_words(sentence: LabelledWords) -> LabelledWords:
    """Returns a sentence without the items that are not words; it may have none left."""
    kept = [place for place, label in enumerate(sentence.labels) if label != NO_LABEL]
    words, labels = (tuple(cells[place] for place in kept) for cells in (sentence.words, sentence.labels))
    return replace(sentence, words=words, labels=labels)


def words_of(sentences: Iterable[LabelledWords]) -> Iterator[str]:
    """Yields all running words, without items that are none."""
    return (word for one in sentences for word in without_no_words(one).words)


def universal_pos_sentences(path: Path, on_malformed: OnMalformed, column: str = "upos") -> Iterator[LabelledWords]:
    """Reads the words of each sentence with their UPOS, or the tags of the treebank's own set.

    Args:
        column: "upos" or "xpos".

    Raises:
        UnknownChoice: `column` is neither.
        MalformedLine: as `conllu.read`, at a sentence without a word, and at a word without a tag.
    """
    check_choice("column", column, TAG_COLUMNS)
    for sentence in conllu.read_stripped(path, on_malformed):
        with Omission(on_malformed):
            if not (words := sentence.words):
                expected = "at least one row with an integer ID"
                raise MalformedLine(path, sentence.line, "the sentence has no word", expected)
            tags = tuple(getattr(row, column) for row in words)
            for line, row in enumerate(sentence.rows, start=sentence.first_row_line):
                if row.is_word and getattr(row, column) == "_":
                    found = f'the word "{row.form}" has no {column.upper()}'
                    raise MalformedLine(path, line, found, "a tag such as NOUN")
            yield LabelledWords(tuple(row.form for row in words), tags, sentence.line)


def linspector_pos_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[LabelledWords]:
    """Reads sentences in the order of the file; only a blank separates items (U+00A0 is a character of a form).

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first line with an item without `##`,
            without form or without tag (two blanks in a row, an empty line), or that is not clean UTF-8.
    """
    return rows_of(path, on_malformed, _sentence)


def _sentence(path: Path, line: int, text: str) -> LabelledWords:
    items = [item.rpartition(_SEPARATOR) for item in text.split(" ")]
    for number, (form, separator, tag) in enumerate(items, start=1):
        if not (form and separator and tag):
            found = f'item {number} is "{form}{separator}{tag}"'
            raise MalformedLine(path, line, found, "FORM##UPOS, with one blank between items")
    return LabelledWords(tuple(form for form, _, _ in items), tuple(tag for _, _, tag in items), line)
