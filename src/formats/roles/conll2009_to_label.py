"""Roles into CoNLL-2009: the columns of roles are replaced, all else stays byte for byte.

Predicates are those with a sense in PRED. A file without gold roles has `_` in their columns, or lacks the columns.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from src.errors import MalformedLine
from src.formats.file_to_label import FileToLabel
from src.formats.reading.blocks_of_lines import Block, blocks
from src.formats.reading.line_ends import written_back
from src.formats.reading.malformed import OnMalformed
from src.formats.roles import conll2009
from src.formats.roles.conll2009 import Conll2009Sentence
from src.formats.roles.propositions import Proposition

Groups = Callable[[Conll2009Sentence], Sequence[Sequence[int]]]
"""Returns the rows of each word of a sentence, from 0."""


def conll2009_row_sentences(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads rows as words; an answer is the propositions of a sentence. Raises as `conll2009.read`."""
    return _to_label(path, on_malformed, lambda sentence: [(row,) for row in range(len(sentence.rows))])


def conll2009_word_sentences(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads words that may have several rows; the role of a word is in its last one, which has the form.

    An answer is the propositions of a sentence. Raises as `conll2009.conll2009_word_sentences`.
    """
    return _to_label(path, on_malformed, lambda sentence: sentence.word_groups)


def _to_label(path: Path, on_malformed: OnMalformed, groups: Groups) -> FileToLabel:
    sentences = list(_read(path, on_malformed))
    examples = [conll2009.labelled(sentence, groups(sentence)) for sentence in sentences]
    write = partial(_write, sentences, groups)
    return FileToLabel(examples, written_back(write, path, conll2009.line_numbers(sentences)))


def _read(path: Path, on_malformed: OnMalformed) -> Iterator[Conll2009Sentence]:
    for block in blocks(path, on_malformed):
        try:
            yield conll2009.sentence_of(path, _with_columns_of_roles(block), on_malformed)
        except MalformedLine as place:
            on_malformed(place)


def _with_columns_of_roles(block: Block) -> Block:
    """Adds empty columns of roles where no row has any."""
    rows = [line.split("\t") for line in block.lines]
    n_columns = len(conll2009.COLUMNS)
    if any(len(cells) != n_columns for cells in rows):
        return block
    missing = "\t_" * sum(cells[-1] not in conll2009.NOTHING for cells in rows)
    return replace(block, lines=tuple(line + missing for line in block.lines))


def _write(
    sentences: Sequence[Conll2009Sentence], groups: Groups, answers: Sequence[Sequence[Proposition]], path: Path
) -> None:
    pairs = zip(sentences, answers, strict=True)
    conll2009.write((_with_roles(one, groups(one), found) for one, found in pairs), path)


def _with_roles(
    sentence: Conll2009Sentence, groups: Sequence[Sequence[int]], propositions: Sequence[Proposition]
) -> Conll2009Sentence:
    cells = [["_"] * len(propositions) for _ in sentence.rows]
    for column, proposition in enumerate(propositions):
        for argument in proposition.arguments:
            cells[groups[argument.word][-1]][column] = argument.role
    rows = (replace(row, roles=tuple(roles)) for row, roles in zip(sentence.rows, cells, strict=True))
    return replace(sentence, rows=tuple(rows))
