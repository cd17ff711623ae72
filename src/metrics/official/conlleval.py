"""The counts and percentages of conlleval (the Perl script of CoNLL-2000 to 2003), to the last printed digit.

The scorer reads bytes, cuts a line at every separator and drops empty fields at its end. A line without fields, or
whose first field is `-X-`, lies between sentences; a `-DOCSTART-` line is a token. Only the last two fields count, the
tags of gold and system, each cut at its first hyphen into its prefix and a type. Tags of IOBES are not separate spans
here: two neighbours `S-PER S-PER` are one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from polyprobe.metrics.official.scorers import RefusedByScorer, printed
from polyprobe.metrics.tallies import LabelCounts, Tally

BOUNDARY, OUTSIDE = b"-X-", b"O"
STARTS = frozenset([(b"B", b"B"), (b"I", b"B"), (b"O", b"B"), (b"O", b"I"), (b"E", b"E"), (b"E", b"I"), (b"O", b"E")])
ENDS = frozenset([(b"B", b"B"), (b"B", b"O"), (b"I", b"B"), (b"I", b"O"), (b"E", b"E"), (b"E", b"I"), (b"E", b"O")])
BRACKETS = b"[", b"]"

Tag = tuple[bytes, bytes]
"""What stands before the first hyphen, and the type behind it: `(b"B", b"PER")`."""

NO_TAG: Tag = OUTSIDE, b""


class SpanCounts(LabelCounts[bytes]):
    """The counts of the printout: spans by type, correct those with the edges and the type of gold.

    Args:
        n_tokens: lines between boundaries.
        n_right_tags: of them those with the same tag in gold and system.
    """

    def __init__(self, n_tokens: int = 0, n_right_tags: int = 0):
        super().__init__()
        self.n_tokens, self.n_right_tags = n_tokens, n_right_tags

    @property
    def types(self) -> list[bytes]:
        """The types that gold or system have, in the order of the printout."""
        return sorted(+(self.gold + self.system))

    @property
    def total(self) -> Tally:
        """The counts of all types together."""
        return sum(map(self.of, self.types), start=Tally())


def score_files(path: Path, separator: str | None = None, raw_outside: str | None = None) -> dict:
    """Scores a file whose last two columns are the tags of gold and system.

    Args:
        separator: of the columns (the scorer's `-d`); None: a tab where the first line has one, else a space.
        raw_outside: None, or, where tags are types without B- and I- and each token is a span (`-r`), the word for no
            span (`-o`).

    Returns:
        Counts and percentages, with the two decimals that the scorer prints, of all types and, under `types`, of each.

    Raises:
        RefusedByScorer: a line has another number of fields than the first, or fewer than two.
    """
    path = Path(path)
    with open(path, "rb") as lines:
        return _table(count(_rows(path, lines, separator), raw_outside and raw_outside.encode()))


def score_side_by_side(gold: Path, system: Path) -> dict:
    """Scores the last column of one file against the last column of another, line by line; see `score_files`.

    Raises:
        RefusedByScorer: as `score_files`, a sentence ends in one file only, or a file ends early.
    """
    sides = []
    for path in map(Path, (gold, system)):
        with open(path, "rb") as lines:
            sides.append(list(_rows(path, lines, None)))
    return _table(count(_joined(Path(system), *sides), None))


def count(rows: Iterable[Sequence[bytes]], raw_outside: bytes | None) -> SpanCounts:
    """Counts spans; a row is the fields of a line, none at a boundary."""
    counts = SpanCounts()
    gold_before, system_before = NO_TAG, NO_TAG
    is_same_span = False
    for row in (*rows, ()):
        is_boundary = not row or row[0] == BOUNDARY
        gold, system = (NO_TAG, NO_TAG) if is_boundary else (_tag(one, raw_outside) for one in row[-2:])
        ends = _ends(gold_before, gold), _ends(system_before, system)
        if is_same_span and all(ends) and gold_before[1] == system_before[1]:
            counts.correct[gold_before[1]] += 1
        starts = _starts(gold_before, gold), _starts(system_before, system)
        is_same_span = ((is_same_span and not any(ends)) or all(starts)) and gold[1] == system[1]
        counts.gold[gold[1]] += starts[0]
        counts.system[system[1]] += starts[1]
        counts.n_tokens += not is_boundary
        counts.n_right_tags += not is_boundary and gold == system
        gold_before, system_before = gold, system
    return counts


def _rows(path: Path, lines: Iterable[bytes], separator: str | None) -> Iterator[list[bytes]]:
    n_fields = None
    for number, line in enumerate(lines, start=1):
        if separator is None and line.strip():
            separator = "\t" if b"\t" in line else " "
        row = _fields(line, separator)
        n_fields = n_fields or len(row)
        if row and len(row) != n_fields:
            found = f"the row has {len(row)} fields"
            raise RefusedByScorer("conlleval", path, number, found, f"{n_fields}, as in the first row")
        if row and len(row) < 2 and row[0] != BOUNDARY:
            raise RefusedByScorer(
                "conlleval", path, number, "the row has 1 field", "a gold tag and a system tag at its end"
            )
        yield row


def _fields(line: bytes, separator: str | None) -> list[bytes]:
    fields = line.removesuffix(b"\n").split((separator or " ").encode())
    while fields and not fields[-1]:
        fields.pop()
    return fields


def _joined(
    path: Path, gold: Sequence[Sequence[bytes]], system: Sequence[Sequence[bytes]]
) -> Iterator[tuple[bytes, ...]]:
    for number, (ours, theirs) in enumerate(zip(gold, system, strict=False), start=1):
        if bool(ours) != bool(theirs):
            found, expected = ("a row", "an empty line") if theirs else ("an empty line", "a row")
            raise RefusedByScorer("conlleval", path, number, found, f"{expected}, as in the gold file")
        yield (ours[0], ours[-1], theirs[-1]) if ours else ()
    if len(gold) != len(system):
        number = min(len(gold), len(system)) + 1
        found = f"the file has {len(system)} lines"
        raise RefusedByScorer("conlleval", path, number, found, f"{len(gold)}, as in the gold file")


def _tag(text: bytes, raw_outside: bytes | None) -> Tag:
    if raw_outside is not None:
        return NO_TAG if text == raw_outside else (b"B", text)
    action, hyphen, kind = text.partition(b"-")
    return (action, kind) if hyphen else (text, b"")


def _starts(before: Tag, now: Tag) -> bool:
    has_new_type = now[0] not in (OUTSIDE, b".") and before[1] != now[1]
    return (before[0], now[0]) in STARTS or has_new_type or now[0] in BRACKETS


def _ends(before: Tag, now: Tag) -> bool:
    had_other_type = before[0] not in (OUTSIDE, b".") and before[1] != now[1]
    return (before[0], now[0]) in ENDS or had_other_type or before[0] in BRACKETS


def _table(counts: SpanCounts) -> dict:
    total = counts.total
    accuracy = 100 * counts.n_right_tags / counts.n_tokens if counts.n_tokens else 0.0
    return {
        "tokens": counts.n_tokens,
        "gold_phrases": total.gold,
        "found_phrases": total.system,
        "correct_phrases": total.correct,
        "accuracy": printed(accuracy),
        **_percentages(total),
        "types": {kind.decode("utf-8", "replace"): _of_type(counts.of(kind)) for kind in counts.types},
    }


def _of_type(tally: Tally) -> Mapping[str, float | int]:
    return {**_percentages(tally), "found": tally.system, "correct": tally.correct, "gold": tally.gold}


def _percentages(tally: Tally) -> Mapping[str, float]:
    """Returns the three percentages; F1 comes from precision and recall, as in the scorer, in double precision."""
    precision = 100 * tally.correct / tally.system if tally.system else 0.0
    recall = 100 * tally.correct / tally.gold if tally.gold else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"precision": printed(precision), "recall": printed(recall), "f1": printed(f1)}
