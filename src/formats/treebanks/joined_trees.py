"""One file of constituency trees out of the files of its documents, which may spread a tree over several lines."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from src.errors import MalformedLine
from src.formats.reading.closed_lines import closed_lines
from src.formats.reading.lines import text_of

_BLANKS = re.compile(r"[ \t]+")


def joined_trees(parts: Sequence[Path]) -> Iterator[str]:
    """Writes each tree in a line, after the name of its document, which is that of its file without the ending.

        (ROOT                               GUM_news_asylum <tab> (ROOT (NP (NNP Asylum)))
          (NP (NNP Asylum)))

    Blanks and ends of lines between brackets and words become one blank each; words and brackets stay as they are.

    Yields:
        `document TAB tree`, without line feeds, in the order of the parts.

    Raises:
        MalformedLine: a bracket is closed that is not open, or the file ends within a tree.
    """
    for part in parts:
        for tree in _trees(part):
            yield f"{part.stem}\t{tree}"


def _trees(part: Path) -> Iterator[str]:
    number, lines, n_open = 0, [], 0
    for number, content in closed_lines(part):
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
