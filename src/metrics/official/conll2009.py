"""The counts and percentages of the CoNLL-2009 scorer (version 0.4 of 2009-03-01), to the last printed digit.

The scorer reads two files side by side as bytes, splits rows at white space, counts a row as a predicate when its PRED
is neither `_` nor `-` (FILLPRED plays no part), compares only the part of PRED after the dot, and counts punctuation,
rows with FORM `_` and a predicate that is its own argument like any other.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import zip_longest
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.metrics.official.scorers import RefusedByScorer, printed
from polyprobe.metrics.tallies import Tally

N_FIXED_COLUMNS = 14
SCORER = "CoNLL-2009"

Row = Sequence[bytes]


def _pairs(gold: Path, system: Path) -> Iterator[tuple[Sequence[Row], Sequence[Row], bool]]:
    """Yields the rows of each sentence in both files, read side by side, and whether a blank line follows."""
    gold_rows, system_rows = [], []
    with open(gold, "rb") as gold_lines, open(system, "rb") as system_lines:
        for number, (gold_line, system_line) in enumerate(zip_longest(gold_lines, system_lines), start=1):
            _check_breaks(gold, system, number, gold_line, system_line)
            if gold_line.strip():
                gold_rows.append(_row(gold, number, gold_line, gold_rows))
                system_rows.append(_row(system, number, system_line, system_rows))
            elif gold_rows:
                yield gold_rows, system_rows, True
                gold_rows, system_rows = [], []
    if gold_rows:
        yield gold_rows, system_rows, False


def _check_breaks(gold: Path, system: Path, number: int, gold_line: bytes | None, system_line: bytes | None) -> None:
    if gold_line is None or system_line is None:
        shorter, longer = (gold, system) if gold_line is None else (system, gold)
        raise RefusedByScorer(SCORER, shorter, number, "the file ends", f"as many lines as in {longer}")
    if bool(gold_line.strip()) != bool(system_line.strip()):
        found, expected = ("a row", "a blank line") if system_line.strip() else ("a blank line", "a row")
        raise RefusedByScorer(SCORER, system, number, found, f"{expected}, as in {gold}")


def _row(path: Path, number: int, line: bytes, earlier: Sequence[Row]) -> Row:
    row = line.split()
    if earlier and len(row) != len(earlier[0]):
        expected = f"{len(earlier[0])}, as in the first row of the sentence"
        raise RefusedByScorer(SCORER, path, number, f"{len(row)} columns", expected)
    if len(row) < N_FIXED_COLUMNS:
        raise MalformedLine(path, number, f"{len(row)} columns", f"at least {N_FIXED_COLUMNS}")
    return row


FORM, PPOS, HEAD, DEPREL, PRED = 1, 5, 8, 10, 13
EMPTY = (b"_", b"-")
NONE = Tally()

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A sense and, for each word (0-based) with a role, its roles."""

    sense: bytes
    roles: dict[int, frozenset[bytes]]

    @property
    def n_arguments(self) -> int:
        """How many arguments the predicate has; two roles of one word are two."""
        return sum(map(len, self.roles.values()))


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of the printout: rows and sentences for syntax, predicates, arguments and sentences for semantics."""

    las: Tally = NONE
    uas: Tally = NONE
    label_accuracy: Tally = NONE
    exact_syntax: Tally = NONE
    labelled_arguments: Tally = NONE
    unlabelled_arguments: Tally = NONE
    labelled_predicates: Tally = NONE
    unlabelled_predicates: Tally = NONE
    propositions: Tally = NONE
    exact_semantics: Tally = NONE

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))


def score_files(gold: Path, system: Path) -> dict:
    """Scores a system file against a gold file.

    Returns:
        `syntactic`, `semantic` (percentages with the two decimals that the scorer prints) and `arguments_only`
        (role precision, recall and F1 in percent with four decimals), each with its counts.

    Raises:
        RefusedByScorer: a sentence ends in one file only, a file ends early, or the rows of a sentence differ in
            their number of columns.
        MalformedLine: a row has fewer than 14 columns.
    """
    total = Counts()
    has_differing_words = False
    for gold_rows, system_rows, is_closed in _pairs(Path(gold), Path(system)):
        # Without a blank line after a sentence the scorer leaves its last row out of the semantic counts.
        semantic = (_predicates(rows if is_closed else rows[:-1]) for rows in (gold_rows, system_rows))
        total += _count_syntax(gold_rows, system_rows) + _count_semantics(*semantic)
        has_differing_words |= _words(gold_rows) != _words(system_rows)
    if has_differing_words:
        log.warning("%s and %s differ in FORM or PPOS somewhere; the scores do not depend on it.", gold, system)
    return {"syntactic": _syntactic(total), "semantic": _semantic(total), "arguments_only": _arguments_only(total)}


def _words(rows: Sequence[Row]) -> list[tuple[bytes, bytes]]:
    return [(row[FORM], row[PPOS]) for row in rows]


def _count_syntax(gold: Sequence[Row], system: Sequence[Row]) -> Counts:
    both = list(zip(gold, system, strict=True))
    right_heads = [ours[HEAD] == theirs[HEAD] for ours, theirs in both]
    right_labels = [ours[DEPREL] == theirs[DEPREL] for ours, theirs in both]
    right_both = [head and label for head, label in zip(right_heads, right_labels, strict=True)]
    n = len(both)
    return Counts(
        las=Tally(sum(right_both), n, n),
        uas=Tally(sum(right_heads), n, n),
        label_accuracy=Tally(sum(right_labels), n, n),
        exact_syntax=Tally(int(all(right_both)), 1, 1),
    )


def _predicates(rows: Sequence[Row]) -> dict[int, Predicate]:
    """Returns the predicates by the index of their row; the k-th of them has the k-th argument column."""
    places = [place for place, row in enumerate(rows) if row[PRED] not in EMPTY]
    return {
        place: Predicate(_sense(rows[place][PRED]), _roles(rows, N_FIXED_COLUMNS + rank))
        for rank, place in enumerate(places)
    }


def _roles(rows: Sequence[Row], column: int) -> dict[int, frozenset[bytes]]:
    """Returns the roles of a column by row; `A0|AM-LOC` in a cell are two, a missing column has none."""
    return {
        place: frozenset(row[column].split(b"|"))
        for place, row in enumerate(rows)
        if column < len(row) and row[column] not in EMPTY
    }


def _sense(pred: bytes) -> bytes:
    """Returns what follows the only dot, else the whole; digits without leading zeros, since `01` equals `1`."""
    sense = pred.split(b".")[1] if pred.count(b".") == 1 else pred
    return b"%d" % int(sense) if sense.isdigit() else sense


def _count_semantics(gold: dict[int, Predicate], system: dict[int, Predicate]) -> Counts:
    matched = [(gold[place], system[place]) for place in gold.keys() & system.keys()]
    n_arguments = [sum(predicate.n_arguments for predicate in side.values()) for side in (system, gold)]
    n_predicates = [len(system), len(gold)]
    arguments = [
        (roles, theirs.roles.get(place, frozenset())) for ours, theirs in matched for place, roles in ours.roles.items()
    ]
    right_roles = sum(len(roles & found) for roles, found in arguments)
    right_places = sum(min(len(roles), len(found)) for roles, found in arguments)  # with any roles, one to one
    right_senses = sum(ours.sense == theirs.sense for ours, theirs in matched)
    return Counts(
        labelled_arguments=Tally(right_roles, *n_arguments),
        unlabelled_arguments=Tally(right_places, *n_arguments),
        labelled_predicates=Tally(right_senses, *n_predicates),
        unlabelled_predicates=Tally(len(matched), *n_predicates),
        propositions=Tally(sum(ours == theirs for ours, theirs in matched), *n_predicates),
        exact_semantics=Tally(int(gold == system), 1, 1),
    )


def _syntactic(counts: Counts) -> dict:
    return {
        "las": _share(counts.las),
        "uas": _share(counts.uas),
        "label_accuracy": _share(counts.label_accuracy),
        "exact": _share(counts.exact_syntax),
    }


def _semantic(counts: Counts) -> dict:
    labelled = counts.labelled_arguments, counts.labelled_predicates
    unlabelled = counts.unlabelled_arguments, counts.unlabelled_predicates
    propositions = counts.propositions
    return {
        "labeled_precision": _items(*labelled, "system"),
        "labeled_recall": _items(*labelled, "gold"),
        "labeled_f1": printed(100 * (labelled[0] + labelled[1]).f1),
        "unlabeled_precision": _items(*unlabelled, "system"),
        "unlabeled_recall": _items(*unlabelled, "gold"),
        "unlabeled_f1": printed(100 * (unlabelled[0] + unlabelled[1]).f1),
        "proposition_precision": _share(propositions),
        "proposition_recall": _share(Tally(propositions.correct, propositions.gold, propositions.gold)),
        "proposition_f1": printed(100 * propositions.f1),
        "exact": _share(counts.exact_semantics),
    }


def _arguments_only(counts: Counts) -> dict:
    arguments = counts.labelled_arguments
    correct, system, gold = astuple(arguments)
    scores = {"precision": arguments.precision, "recall": arguments.recall, "f1": arguments.f1}
    percentages = {name: printed(100 * score, decimals=4) for name, score in scores.items()}
    return {"correct": correct, "system": system, "gold": gold, **percentages}


def _items(arguments: Tally, predicates: Tally, side: str) -> dict:
    """Returns the numbers that the scorer prints as `(arguments + predicates) / (arguments + predicates)`."""
    both = arguments + predicates
    return {
        "correct_args": arguments.correct,
        "correct_preds": predicates.correct,
        "total_args": getattr(arguments, side),
        "total_preds": getattr(predicates, side),
        "percent": printed(100 * (both.precision if side == "system" else both.recall)),
    }


def _share(tally: Tally) -> dict:
    return {"correct": tally.correct, "total": tally.system, "percent": printed(100 * tally.precision)}
