"""Universal PropBank 2.0 (CoNLL-U Plus), joined with the words of its treebank or stand-off.

A predicate's row names its sense and its arguments, each as label:ID of the head word:

    3   alkoi   …   begin.01   A1:2|A2:5   A1:1-2|A2:5-7
    ID  FORM        UP:PRED    UP:ARGHEADS UP:ARGSPANS

Joined files have the ten columns of CoNLL-U before these three, stand-off files only the ID.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import FileToLabel, written_back
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition, check_writable
from polyprobe.formats.treebanks import conllu
from polyprobe.formats.treebanks.conllu import ConlluSentence, Row, Table

PREDICATE, HEADS, SPANS = "UP:PRED", "UP:ARGHEADS", "UP:ARGSPANS"
JOINED_COLUMNS = (*conllu.COLUMNS, PREDICATE, HEADS, SPANS)
STANDOFF_COLUMNS = ("ID", PREDICATE, HEADS, SPANS)
Propositions = Sequence[Proposition]


def universal_propbank_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[LabelledSentence]:
    """Reads a joined file; multiword tokens and empty nodes are not words.

    Raises:
        MalformedLine: as `conllu.read`; where the columns of the roles are missing; and, where `on_malformed` raises,
            at an argument that points to no word. If it does not raise, only that argument is skipped.
    """
    for sentence in conllu.read(path, on_malformed):
        _check_columns(path, sentence)
        pred, heads = (sentence.columns.index(name) - len(conllu.COLUMNS) for name in (PREDICATE, HEADS))
        cells = [(row.id, row.extra[pred], row.extra[heads]) for row in sentence.rows]
        with Omission(on_malformed):
            yield _labelled(path, sentence.identifier, sentence.first_row_line, sentence.words, cells, on_malformed)


def universal_propbank_standoff_sentences(
    path: Path, treebank: Path, on_malformed: OnMalformed
) -> Iterator[LabelledSentence]:
    """Reads a stand-off file and joins it by `sent_id` with the treebank that has the words.

    Both files are streamed: a treebank sentence that comes too early is kept until it is needed, so that files in the
    same order need no memory and files in any order work.

    Raises:
        MalformedLine: as `universal_propbank_sentences` and, where `on_malformed` raises, at a sentence that the
            treebank lacks or in which it has other IDs.
    """
    treebank_sentence = _Lookup(conllu.read(treebank, on_malformed))
    for table in read_standoff(path, on_malformed):
        with Omission(on_malformed):
            words = _joined(path, table, treebank, treebank_sentence(table.identifier)).words
            cells = [row[:3] for row in table.rows]
            yield _labelled(path, table.identifier, table.first_row_line, words, cells, on_malformed)


def read_standoff(path: Path, on_malformed: OnMalformed) -> Iterator[Table]:
    """Reads a stand-off file by itself, without words."""
    for table in conllu.read_tables(path, on_malformed):
        if table.columns != STANDOFF_COLUMNS:
            found = f"the columns are {' '.join(table.columns)}"
            raise MalformedLine(path, table.line, found, " ".join(STANDOFF_COLUMNS))
        yield table


def write(sentences: Iterable[LabelledSentence], path: Path) -> None:
    """Writes a joined file with FORM, UPOS and roles; other columns, the spans of arguments too, are `_`.

    A file that was read with `conllu.read` is written back byte for byte by `conllu.write`.
    """
    conllu.write((_unlabelled(number, sentence) for number, sentence in enumerate(sentences, start=1)), path)


def write_standoff(tables: Iterable[Table], path: Path) -> None:
    """Writes a stand-off file; what `read_standoff` yielded is written byte for byte."""
    conllu.write_tables(tables, path)


class _Lookup:
    """Finds sentences by identifier in a stream; keeps those that came before they were needed."""

    def __init__(self, sentences: Iterator[ConlluSentence]):
        self._sentences = sentences
        self._passed_by: dict[str, ConlluSentence] = {}

    def __call__(self, identifier: str) -> ConlluSentence | None:
        if identifier in self._passed_by:
            return self._passed_by.pop(identifier)
        for sentence in self._sentences:
            if sentence.identifier == identifier:
                return sentence
            self._passed_by[sentence.identifier] = sentence
        return None


def _joined(path: Path, table: Table, treebank: Path, sentence: ConlluSentence | None) -> ConlluSentence:
    if sentence is None:
        found = f'sent_id "{table.identifier}" is not in {treebank}, or is here a second time'
        raise MalformedLine(path, table.line, found, "each sent_id of the treebank at most once")
    ids, treebank_ids = [cells[0] for cells in table.rows], [row.id for row in sentence.rows]
    if ids != treebank_ids:
        at = next((n for n, pair in enumerate(zip(ids, treebank_ids, strict=False)) if pair[0] != pair[1]), None)
        n = min(len(ids), len(treebank_ids)) - 1 if at is None else at
        found = f'the rows up to ID "{ids[n]}" are not those of sentence {table.identifier} in {treebank}'
        expected = f"its {len(treebank_ids)} rows, here the ID {treebank_ids[n]}"
        raise MalformedLine(path, table.first_row_line + n, found, expected)
    return sentence


def _check_columns(path: Path, sentence: ConlluSentence) -> None:
    missing = [name for name in (PREDICATE, HEADS) if name not in sentence.columns]
    if missing:
        found = f"the file has no column {' and no '.join(missing)}"
        expected = f'the first line "{conllu.columns_comment(JOINED_COLUMNS)}"'
        raise MalformedLine(path, sentence.line, found, expected)


def _labelled(
    path: Path,
    identifier: str,
    line: int,
    words: Sequence[Row],
    cells: Sequence[tuple[str, str, str]],
    on_malformed: OnMalformed,
) -> LabelledSentence:
    """Reads (ID, sense, heads) of every row; an argument that points to no word goes to `on_malformed`."""
    positions = {word.id: position for position, word in enumerate(words)}
    propositions = []
    for row_line, (row_id, sense, heads) in enumerate(cells, start=line):
        if sense == "_" and heads == "_":
            continue
        _check_predicate(path, row_line, row_id, sense, heads)
        arguments = _arguments(path, row_line, heads, positions, on_malformed)
        propositions.append(Proposition(positions[row_id], sense, arguments))
    forms, upos = tuple(word.form for word in words), tuple(word.upos for word in words)
    return LabelledSentence(identifier, line, forms, upos, tuple(propositions))


def _check_predicate(path: Path, line: int, row_id: str, sense: str, heads: str) -> None:
    if sense == "_":
        raise MalformedLine(path, line, f'{HEADS} is "{heads}" on a row without {PREDICATE}', '"_"')
    if not row_id.isdecimal():
        raise MalformedLine(path, line, f'the row "{row_id}" has the predicate "{sense}"', "predicates on words only")
    unlabelled = next((item for item in heads.split("|") if heads != "_" and not item.rpartition(":")[0]), None)
    if unlabelled is not None:
        raise MalformedLine(path, line, f'{HEADS} has the item "{unlabelled}"', "items like A1:2, separated by |")


def _arguments(
    path: Path, line: int, heads: str, positions: Mapping[str, int], on_malformed: OnMalformed
) -> tuple[Argument, ...]:
    """Reads `A1:2|A2:5`, in the order of the words."""
    arguments = []
    for item in heads.split("|") if heads != "_" else ():
        role, _, target = item.rpartition(":")
        if target in positions:
            arguments.append(Argument(positions[target], role))
        else:
            found = f'the argument "{item}" points to no word; the sentence has {len(positions)} words'
            on_malformed(MalformedLine(path, line, found, f"an ID of 1 to {len(positions)} after the colon"))
    return tuple(sorted(arguments, key=lambda argument: argument.word))


def _unlabelled(number: int, sentence: LabelledSentence) -> ConlluSentence:
    check_writable(sentence)
    header = (conllu.columns_comment(JOINED_COLUMNS),) if number == 1 else ()
    rows = [(str(n), form, upos) for n, (form, upos) in enumerate(zip(sentence.words, sentence.upos, strict=True), 1)]
    roles = {str(p.predicate + 1): (p.sense, heads_cell(p.arguments), "_") for p in sentence.propositions}
    return ConlluSentence(
        number=number,
        line=sentence.line,
        comments=(*header, f"# sent_id = {sentence.identifier}"),
        rows=tuple(Row(n, form, upos=upos, extra=roles.get(n, ("_",) * 3)) for n, form, upos in rows),
        columns=JOINED_COLUMNS,
    )


def heads_cell(arguments: Sequence[Argument]) -> str:
    """Writes arguments in the form of UP:ARGHEADS."""
    return "|".join(f"{argument.role}:{argument.word + 1}" for argument in arguments) or "_"


def universal_propbank_sentences_to_label(path: Path, on_malformed: OnMalformed) -> FileToLabel:
    """Reads a joined file; an answer is the propositions of a sentence.

    UP:ARGHEADS of the predicates is replaced, UP:ARGSPANS becomes `_` (models find the heads of arguments, not their
    spans), all else stays byte for byte. A sentence that the reader leaves out is not in the written file. Raises as
    the reader.
    """
    examples = list(universal_propbank_sentences(path, on_malformed))
    return _to_label(path, examples, conllu.read, _with_roles, conllu.write)


def universal_propbank_standoff_sentences_to_label(
    path: Path, treebank: Path, on_malformed: OnMalformed
) -> FileToLabel:
    """Reads a stand-off file with the words of its treebank; otherwise as `universal_propbank_sentences`."""
    examples = list(universal_propbank_standoff_sentences(path, treebank, on_malformed))
    return _to_label(path, examples, read_standoff, _table_with_roles, write_standoff)


def _to_label(
    path: Path,
    examples: Sequence[LabelledSentence],
    read: Callable[[Path, OnMalformed], Iterable[ConlluSentence]],
    with_roles: Callable[[ConlluSentence, Propositions], ConlluSentence],
    write: Callable[[Iterable[ConlluSentence], Path], None],
) -> FileToLabel:
    lines = {one.line for one in examples}
    # The reader of the examples has reported all malformed lines.
    sentences = [one for one in read(path, lambda place: None) if one.first_row_line in lines]

    def write_answers(answers: Sequence[Propositions], path: Path) -> None:
        write(map(with_roles, sentences, answers), path)

    return FileToLabel(examples, written_back(write_answers, path, conllu.line_numbers(sentences)))


def _with_roles(sentence: ConlluSentence, propositions: Propositions) -> ConlluSentence:
    cells = _cells_of_predicates(propositions)
    names = sentence.columns[len(conllu.COLUMNS) :]
    rows = (replace(row, extra=_replaced(row.extra, names, cells.get(row.id))) for row in sentence.rows)
    return replace(sentence, rows=tuple(rows))


def _table_with_roles(table: Table, propositions: Propositions) -> Table:
    cells = _cells_of_predicates(propositions)
    return replace(table, rows=tuple(_replaced(row, table.columns, cells.get(row[0])) for row in table.rows))


def _cells_of_predicates(propositions: Propositions) -> dict[str, Mapping[str, str]]:
    """Returns the new cells of every predicate's row, by its ID."""
    return {str(one.predicate + 1): {HEADS: heads_cell(one.arguments), SPANS: "_"} for one in propositions}


def _replaced(cells: Sequence[str], names: Sequence[str], by_name: Mapping[str, str] | None) -> tuple[str, ...]:
    return tuple((by_name or {}).get(name, cell) for name, cell in zip(names, cells, strict=True))
