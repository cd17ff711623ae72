"""One UniMorph table out of several files that were sampled from it, such as those of the SIGMORPHON shared tasks."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from src.formats.reading.closed_lines import closed_lines
from src.formats.reading.lines import text_of

_COLUMNS = 3


def joined_inflections(parts: Sequence[Path]) -> Iterator[str]:
    """Joins the rows of three columns of all files; others, such as forms that were to be guessed, are passed over.

    Rows with the same lemma, form and set of labels are one. A set of labels is written in its most frequent order,
    counted over all rows; of equally frequent ones in the smallest. Lines are sorted by their characters.

    Yields:
        `lemma TAB form TAB labels`, without line feeds.

    Raises:
        MalformedLine: a line is no text in UTF-8, or a file is empty.
    """
    rows = [row for part in parts for row in _rows(part)]
    orders: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
    for _, _, bundle in rows:
        orders[frozenset(bundle.split(";"))][bundle] += 1
    usual = {labels: min(counts, key=lambda one: (-counts[one], one)) for labels, counts in orders.items()}
    yield from sorted({f"{lemma}\t{form}\t{usual[frozenset(bundle.split(';'))]}" for lemma, form, bundle in rows})


def _rows(part: Path) -> Iterator[list[str]]:
    for number, line in closed_lines(part):
        cells = text_of(part, number, line).split("\t")
        if len(cells) == _COLUMNS:
            yield cells
