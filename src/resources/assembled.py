"""Files that are published in parts: how the rules that the table `assembled.tsv` names join these to one file."""

import gzip
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from polyprobe.errors import MalformedLine, PolyprobeError
from polyprobe.formats.reading.lines import numbered_bytes, text_of

_BLANKS = re.compile(r"[ \t]+")
_COLUMNS = 3


def unpacked_lines(parts: Sequence[Path]) -> Iterator[str]:
    """Yields the lines of packed files one after the other, without their line feeds."""
    for part in parts:
        try:
            with gzip.open(part, "rb") as file:
                for line in file:
                    yield line.decode("utf-8").removesuffix("\n")
        except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
            raise PolyprobeError(f"{part} cannot be unpacked: {error}. Expected text in UTF-8, by gzip.") from error


def joined_trees(parts: Sequence[Path]) -> Iterator[str]:
    """Writes each tree in a line, after the name of its document, which is that of its file without the ending.

        (ROOT                               GUM_news_asylum <tab> (ROOT (NP (NNP Asylum)))
          (NP (NNP Asylum)))

    Blanks and ends of lines between brackets and words become one blank each; words and brackets stay as they are.

    Yields:
        `document TAB tree`, without line feeds, in the order of the parts.
    """
    for part in parts:
        for tree in _trees(part):
            yield f"{part.stem}\t{tree}"


def _trees(part: Path) -> Iterator[str]:
    number, lines, n_open = 0, [], 0
    for number, content in numbered_bytes(part):
        line = _BLANKS.sub(" ", text_of(part, number, content)).strip(" ")
        if not line:
            continue
        lines.append(line)
        n_open += line.count("(") - line.count(")")
        if n_open < 0:
            raise MalformedLine(part, number, "more brackets are closed than are open", "trees in brackets")
        if n_open == 0:
            yield " ".join(lines)
            lines = []
    if lines:
        raise MalformedLine(
            part, number, f"the file ends with {n_open} brackets open", "as many closing as opening ones"
        )


def joined_inflections(parts: Sequence[Path]) -> Iterator[str]:
    """Joins the rows of three columns of all files; others, such as forms that were to be guessed, are passed over.

    Rows with the same lemma, form and set of labels are one. A set of labels is written in its most frequent order,
    counted over all rows; of equally frequent ones in the smallest. Lines are sorted by their characters.

    Yields:
        `lemma TAB form TAB labels`, without line feeds.
    """
    rows = [row for part in parts for row in _rows(part)]
    orders: dict[frozenset[str], Counter[str]] = defaultdict(Counter)
    for _, _, bundle in rows:
        orders[frozenset(bundle.split(";"))][bundle] += 1
    usual = {labels: min(counts, key=lambda one: (-counts[one], one)) for labels, counts in orders.items()}
    yield from sorted({f"{lemma}\t{form}\t{usual[frozenset(bundle.split(';'))]}" for lemma, form, bundle in rows})


def _rows(part: Path) -> Iterator[list[str]]:
    for number, line in numbered_bytes(part):
        cells = text_of(part, number, line).split("\t")
        if len(cells) == _COLUMNS:
            yield cells


RULES: Mapping[str, Callable[[Sequence[Path]], Iterator[str]]] = {
    "joined_inflections": joined_inflections,
    "joined_trees": joined_trees,
    "unpacked": unpacked_lines,
}
"""Each returns the lines of the file, without line feeds."""
