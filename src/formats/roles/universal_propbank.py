"""Universal PropBank 2.0 (CoNLL-U Plus), joined with the words of its treebank or stand-off.

A predicate's row names its sense and its arguments, each as label:ID of the head word:

    3   alkoi   …   begin.01   A1:2|A2:5   A1:1-2|A2:5-7
    ID  FORM        UP:PRED    UP:ARGHEADS UP:ARGSPANS

Joined files have the ten columns of CoNLL-U before these three, stand-off files only the ID.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.roles.propositions import Argument, LabelledSentence, Proposition, labelled
from polyprobe.formats.treebanks import conllu
from polyprobe.formats.treebanks.conllu import ConlluSentence, Row, Table, cells_of

PREDICATE, HEADS, SPANS = "UP:PRED", "UP:ARGHEADS", "UP:ARGSPANS"
JOINED_COLUMNS = (*conllu.COLUMNS, PREDICATE, HEADS, SPANS)
STANDOFF_COLUMNS = ("ID", PREDICATE, HEADS, SPANS)


def universal_propbank_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[LabelledSentence]:
    """Reads a joined file; multiword tokens and empty nodes are not words.

    Raises:
        MalformedLine: as `conllu.read`; where the columns of the roles are missing; and, where `on_malformed` raises,
            at an argument that points to no word. If it does not raise, only that argument is skipped.
    """
    for sentence in conllu.read(path, on_malformed):
        if missing := [name for name in (PREDICATE, HEADS) if name not in sentence.columns]:
            found = f"the file has no column {' and no '.join(missing)}"
            expected = f'the first line "# global.columns = {" ".join(JOINED_COLUMNS)}"'
            raise MalformedLine(path, sentence.line, found, expected)
        yield from _labelled(path, sentence, sentence.words, on_malformed)


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
        sentence = treebank_sentence(table.identifier)
        try:
            words = _joined(path, table, treebank, sentence).words
        except MalformedLine as place:
            on_malformed(place)
        else:
            yield from _labelled(path, table, words, on_malformed)


def read_standoff(path: Path, on_malformed: OnMalformed) -> Iterator[Table]:
    """Reads a stand-off file by itself, without words."""
    for table in conllu.read_tables(path, on_malformed):
        if table.columns != STANDOFF_COLUMNS:
            found = f"the columns are {' '.join(table.columns)}"
            raise MalformedLine(path, table.line, found, " ".join(STANDOFF_COLUMNS))
        yield table


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


def _labelled(
    path: Path, sentence: ConlluSentence, words: Sequence[Row], on_malformed: OnMalformed
) -> Iterator[LabelledSentence]:
    """Yields a sentence with its propositions, or tells of a bad predicate; an argument of no word is left out."""
    columns = [sentence.columns.index(name) for name in ("ID", PREDICATE, HEADS)]
    of_rows = [[cells_of(row, sentence.columns)[column] for column in columns] for row in sentence.rows]
    predicates = [
        (line, *cells) for line, cells in enumerate(of_rows, start=sentence.first_row_line) if cells[1:] != ["_", "_"]
    ]
    try:
        for predicate in predicates:
            _check_predicate(path, *predicate)
    except MalformedLine as place:
        on_malformed(place)
        return
    positions = {word.id: position for position, word in enumerate(words)}
    propositions = tuple(
        Proposition(positions[row_id], sense, _arguments(path, line, heads, positions, on_malformed))
        for line, row_id, sense, heads in predicates
    )
    yield labelled(sentence, words, propositions)


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
