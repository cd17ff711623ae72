"""CoNLL-2009: fourteen columns, then one column of roles for each predicate of the sentence, from top to bottom.

A derived word of the Turkish PropBank occupies several rows; all but the last have the FORM `_`:

    2   _           iste    …   Y   iste.01   _
    3   istediği    _       …   _   _         A1

Two readings are in use. *Rows*: every row is a token (the official scorer; published counts). *Words*: such a group is
one word with the FORM and POS of its last row, with the predicates and roles of all its rows (what models see).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import blocks
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition
from polyprobe.formats.treebanks.conllu import ConlluSentence

COLUMNS = (
    *("ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT"),
    *("HEAD", "PHEAD", "DEPREL", "PDEPREL", "FILLPRED", "PRED"),
)
Groups = Sequence[Sequence[int]]
"""For each word of a sentence its 0-based rows, the last with its form."""
NOTHING = ("_", "-")  # in PRED and in the columns of roles; the official scorer treats both as empty


@dataclass(frozen=True, slots=True)
class Row:
    """One row, all cells as in the file."""

    id: str
    form: str
    lemma: str = "_"
    plemma: str = "_"
    pos: str = "_"
    ppos: str = "_"
    feat: str = "_"
    pfeat: str = "_"
    head: str = "_"
    phead: str = "_"
    deprel: str = "_"
    pdeprel: str = "_"
    fillpred: str = "_"
    pred: str = "_"
    roles: tuple[str, ...] = ()
    """One cell for each predicate of the sentence; `|` joins the roles of a cell with several."""

    @property
    def is_predicate(self) -> bool:
        """Whether PRED names a sense; FILLPRED is ignored, as in the official scorer."""
        return self.pred not in NOTHING


Conll2009Sentence = ConlluSentence[Row]
"""Its rows are in the order of the file; there are no comments."""


def read(path: Path, on_malformed: OnMalformed) -> Iterator[Conll2009Sentence]:
    """Reads sentences with every column.

    The empty line after the last sentence may be missing.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first row with fewer than 14 columns,
            with another number of columns of roles than the sentence has predicates, with an empty cell, an ID out of
            order, a HEAD that is not an integer of 0 to the number of rows (or `_`), and at text that is not clean
            UTF-8. If `on_malformed` does not raise, surplus `_` cells at the end of a row are cut off; a sentence with
            any other fault is skipped.
    """
    for block in blocks(path, on_malformed):
        rows = [tuple(line.split("\t")) for line in block.lines]
        n_predicates = sum(cells[13] not in NOTHING for cells in rows if len(cells) >= len(COLUMNS))
        try:
            _check_cells(path, block.line, rows)
            _check_predicates(path, block.line, rows, n_predicates)
        except MalformedLine as place:
            on_malformed(place)
            continue
        due = len(COLUMNS) + n_predicates
        for line, cells in enumerate(rows, start=block.line):
            if len(cells) > due:
                on_malformed(_ragged(path, line, cells, n_predicates))
        whole = tuple(Row(*cells[:14], cells[14:due]) for cells in rows)
        yield ConlluSentence(block.number, block.line, (), whole, COLUMNS)


def conll2009_row_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[LabelledSentence]:
    """Reads sentences whose tokens are the rows, `_` forms included; `upos` is POS (column 5). Raises as `read`."""
    for sentence in read(path, on_malformed):
        yield _labelled(sentence, [(index,) for index in range(len(sentence.rows))])


def conll2009_word_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[LabelledSentence]:
    """Reads sentences whose tokens are words: the rows of a derived word are merged.

    A word that holds two predicates has a proposition for each.

    Raises:
        MalformedLine: as `read`, and at a sentence whose last row has the FORM `_`.
    """
    for sentence in read(path, on_malformed):
        if sentence.rows[-1].form == "_":
            line = sentence.line + len(sentence.rows) - 1
            on_malformed(MalformedLine(path, line, 'the last FORM of the sentence is "_"', "the form of the word"))
            continue
        yield _labelled(sentence, word_groups(sentence))


def word_groups(sentence: Conll2009Sentence) -> Groups:
    """Returns for each word the 0-based indices of its rows: rows with FORM `_` belong to the next row with a form."""
    ends = [index for index, row in enumerate(sentence.rows, start=1) if row.form != "_" or index == len(sentence.rows)]
    return [tuple(range(*span)) for span in pairwise([0, *ends])]


def _labelled(sentence: Conll2009Sentence, groups: Groups) -> LabelledSentence:
    word_of_row = {row: word for word, group in enumerate(groups) for row in group}
    predicates = [index for index, row in enumerate(sentence.rows) if row.is_predicate]
    last_rows = [sentence.rows[group[-1]] for group in groups]
    return LabelledSentence(
        identifier=str(sentence.number),
        line=sentence.line,
        words=tuple(row.form for row in last_rows),
        upos=tuple(row.pos for row in last_rows),
        propositions=tuple(
            Proposition(word_of_row[index], sentence.rows[index].pred, _arguments(sentence, column, word_of_row))
            for column, index in enumerate(predicates)
        ),
    )


def _arguments(sentence: Conll2009Sentence, column: int, word_of_row: dict[int, int]) -> tuple[Argument, ...]:
    cells = ((index, row.roles[column]) for index, row in enumerate(sentence.rows))
    return tuple(
        Argument(word_of_row[index], role)
        for index, cell in cells
        if cell not in NOTHING
        for role in dict.fromkeys(cell.split("|"))
    )


def _check_cells(path: Path, first_line: int, rows: list[tuple[str, ...]]) -> None:
    heads = {"_", *map(str, range(len(rows) + 1))}
    for number, cells in enumerate(rows, start=1):
        line = first_line + number - 1
        if len(cells) < len(COLUMNS):
            expected = f"at least {len(COLUMNS)} ({' '.join(COLUMNS)}), separated by tabs"
            raise MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected)
        if cells[0] != str(number):
            raise MalformedLine(path, line, f'ID is "{cells[0]}"', f"{number}")
        if "" in cells:
            found = f"column {cells.index('') + 1} is empty"
            raise MalformedLine(path, line, found, '"_" where there is nothing to say')
        if cells[8] not in heads:
            found = f'HEAD is "{cells[8]}", but the sentence has {len(rows)} rows'
            raise MalformedLine(path, line, found, f'0 (root) to {len(rows)}, or "_"')


def _check_predicates(path: Path, first_line: int, rows: list[tuple[str, ...]], n_predicates: int) -> None:
    """Refuses what cannot be repaired: all rows wrong, a row too short, a surplus cell that is not empty."""
    due = len(COLUMNS) + n_predicates
    widths = {len(cells) for cells in rows}
    if len(widths) == 1 and widths != {due}:
        found = f"the sentence has {n_predicates} predicates and {widths.pop() - len(COLUMNS)} columns of roles"
        raise MalformedLine(path, first_line, found, "one column of roles for each predicate")
    for line, cells in enumerate(rows, start=first_line):
        if len(cells) < due or set(cells[due:]) - {"_"}:
            raise _ragged(path, line, cells, n_predicates)


def _ragged(path: Path, line: int, cells: tuple[str, ...], n_predicates: int) -> MalformedLine:
    expected = f"{len(COLUMNS)} and one for each of the sentence's {n_predicates} predicates"
    return MalformedLine(path, line, f"the row has {plural(len(cells), 'column')}", expected)
