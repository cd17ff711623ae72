"""CoNLL-2009: fourteen columns, then one column of roles for each predicate of the sentence, from top to bottom.

A derived word of the Turkish PropBank occupies several rows; all but the last have the FORM `_`:

    2   _           iste    …   Y   iste.01   _
    3   istediği    _       …   _   _         A1

Two readings are in use. *Rows*: every row is a token (the official scorer; published counts). *Words*: such a group is
one word with the FORM and POS of its last row, with the predicates and roles of all its rows (what models see).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polyprobe.display.shown import plural
from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import Block, blocks
from polyprobe.formats.reading.lines import FileToLabel, cells_to_line, write_lines, written_back
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition, check_writable

COLUMNS = (
    *("ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT"),
    *("HEAD", "PHEAD", "DEPREL", "PDEPREL", "FILLPRED", "PRED"),
)
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

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells from left to right."""
        names = (self.id, self.form, self.lemma, self.plemma, self.pos, self.ppos, self.feat, self.pfeat)
        syntax = (self.head, self.phead, self.deprel, self.pdeprel)
        return (*names, *syntax, self.fillpred, self.pred, *self.roles)


@dataclass(frozen=True, slots=True)
class Conll2009Sentence:
    """A sentence with every column."""

    number: int
    """Its number in the file, from 1; skipped sentences count."""
    line: int
    """The line of the file with its first row."""
    rows: tuple[Row, ...]
    """In the order of the file."""

    @property
    def word_groups(self) -> tuple[tuple[int, ...], ...]:
        """For each word the 0-based indices of its rows: rows with FORM `_` belong to the next row with a form."""
        groups, group = [], []
        for index, row in enumerate(self.rows):
            group.append(index)
            if row.form != "_":
                groups.append(tuple(group))
                group = []
        return tuple(groups) if not group else (*groups, tuple(group))


def read(path: Path, on_malformed: OnMalformed) -> Iterator[Conll2009Sentence]:
    """Reads sentences with every column. The empty line after the last sentence may be missing.

    Raises:
        MalformedLine: at an empty file and, where `on_malformed` raises, at the first row with fewer than 14 columns,
            with another number of columns of roles than the sentence has predicates, with an empty cell, an ID out of
            order, a HEAD that is not an integer of 0 to the number of rows (or `_`), and at text that is not clean
            UTF-8. If `on_malformed` does not raise, surplus `_` cells at the end of a row are cut off; a sentence with
            any other fault is skipped.
    """
    for block in blocks(path, on_malformed):
        with Omission(on_malformed):
            yield sentence_of(path, block, on_malformed)


def conll2009_row_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[LabelledSentence]:
    """Reads sentences whose tokens are the rows, `_` forms included; `upos` is POS (column 5). Raises as `read`."""
    for sentence in read(path, on_malformed):
        yield labelled(sentence, tuple((index,) for index in range(len(sentence.rows))))


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
        yield labelled(sentence, sentence.word_groups)


def native(sentence: LabelledSentence) -> Conll2009Sentence:
    """Returns the rows of a sentence, for files that the official scorer reads: forms, POS, predicates and roles."""
    check_writable(sentence)
    senses = {proposition.predicate: proposition.sense for proposition in sentence.propositions}
    roles = [_role_cells(proposition, len(sentence.words)) for proposition in sentence.propositions]
    rows = tuple(
        Row(
            id=str(index + 1),
            form=form,
            pos=upos,
            ppos=upos,
            fillpred="Y" if index in senses else "_",
            pred=senses.get(index, "_"),
            roles=tuple(cells[index] for cells in roles),
        )
        for index, (form, upos) in enumerate(zip(sentence.words, sentence.upos, strict=True))
    )
    return Conll2009Sentence(1, sentence.line, rows)


def write(sentences: Iterable[Conll2009Sentence], path: Path) -> None:
    """Writes sentences, whole or not at all; what was read is written byte for byte, with a last empty line."""
    write_lines((line for one in sentences for line in (*(cells_to_line(row.cells) for row in one.rows), "")), path)


def line_numbers(sentences: Iterable[Conll2009Sentence]) -> Iterator[int]:
    """Yields for each line that `write` writes its number in the file that the sentences were read from."""
    for one in sentences:
        yield from range(one.line, one.line + len(one.rows) + 1)


def _role_cells(proposition: Proposition, n_words: int) -> list[str]:
    cells = ["_"] * n_words
    for argument in proposition.arguments:
        before = cells[argument.word]
        cells[argument.word] = argument.role if before == "_" else f"{before}|{argument.role}"
    return cells


def labelled(sentence: Conll2009Sentence, groups: Sequence[Sequence[int]]) -> LabelledSentence:
    """Returns the words and propositions; `groups` are the 0-based rows of each word, the last with its form."""
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


def sentence_of(path: Path, block: Block, on_malformed: OnMalformed) -> Conll2009Sentence:
    """Reads one sentence; see `read`."""
    rows = [tuple(line.split("\t")) for line in block.lines]
    _check_cells(path, block.line, rows)
    n_predicates = sum(cells[13] not in NOTHING for cells in rows)
    _check_predicates(path, block.line, rows, n_predicates)
    due = len(COLUMNS) + n_predicates
    surplus = [(line, cells) for line, cells in enumerate(rows, start=block.line) if len(cells) > due]
    for line, cells in surplus:
        on_malformed(_ragged(path, line, cells, n_predicates))
    whole = tuple(Row(*cells[:14], cells[14:due]) for cells in rows)
    return Conll2009Sentence(block.number, block.line, whole)


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


Groups = Callable[[Conll2009Sentence], Sequence[Sequence[int]]]
"""Returns the rows of each word of a sentence, from 0."""


def conll2009_row_sentences_to_label(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads rows as words; an answer is the propositions of a sentence. Raises as `read`.

    The columns of roles are replaced, all else stays byte for byte. Predicates are those with a sense in PRED. A file
    without gold roles has `_` in their columns, or lacks the columns.
    """
    return _to_label(path, on_malformed, lambda sentence: [(row,) for row in range(len(sentence.rows))])


def conll2009_word_sentences_to_label(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads words that may have several rows; the role of a word is in its last one, which has the form.

    An answer is the propositions of a sentence. Raises as `conll2009.conll2009_word_sentences`.
    """
    return _to_label(path, on_malformed, lambda sentence: sentence.word_groups)


def _to_label(path: Path, on_malformed: OnMalformed, groups: Groups) -> FileToLabel:
    sentences = list(_read_without_roles(path, on_malformed))
    examples = [labelled(sentence, groups(sentence)) for sentence in sentences]

    def write_answers(answers: Sequence[Sequence[Proposition]], path: Path) -> None:
        pairs = zip(sentences, answers, strict=True)
        write((_with_propositions(one, groups(one), found) for one, found in pairs), path)

    return FileToLabel(examples, written_back(write_answers, path, line_numbers(sentences)))


def _read_without_roles(path: Path, on_malformed: OnMalformed) -> Iterator[Conll2009Sentence]:
    for block in blocks(path, on_malformed):
        with Omission(on_malformed):
            yield sentence_of(path, _with_columns_of_roles(block), on_malformed)


def _with_columns_of_roles(block: Block) -> Block:
    """Adds empty columns of roles where no row has any."""
    rows = [line.split("\t") for line in block.lines]
    n_columns = len(COLUMNS)
    if any(len(cells) != n_columns for cells in rows):
        return block
    missing = "\t_" * sum(cells[-1] not in NOTHING for cells in rows)
    return replace(block, lines=tuple(line + missing for line in block.lines))


def _with_propositions(
    sentence: Conll2009Sentence, groups: Sequence[Sequence[int]], propositions: Sequence[Proposition]
) -> Conll2009Sentence:
    cells = [["_"] * len(propositions) for _ in sentence.rows]
    for column, proposition in enumerate(propositions):
        for argument in proposition.arguments:
            cells[groups[argument.word][-1]][column] = argument.role
    rows = (replace(row, roles=tuple(roles)) for row, roles in zip(sentence.rows, cells, strict=True))
    return replace(sentence, rows=tuple(rows))
