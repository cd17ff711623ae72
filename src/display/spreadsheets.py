"""Text in cells of CSV and TSV files, which spreadsheets open: a label such as =1+1 is text there, no formula."""

import re
from typing import Any

_FORMULA = re.compile(r"""['"]*[=+\-@\t\r＝＋－＠]""")  # quotes, since some take them off and compute what is left
_MARKED = re.compile(r"""'['"]*[=+\-@\t\r＝＋－＠]""")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def cell_of(value: Any) -> Any:
    """Returns what is written for a value: text that a spreadsheet would compute has an apostrophe before it.

    Numbers stay as they are, those that are text, too.

    >>> [cell_of(value) for value in ("=1+1", "Case", -0.5, "-0.5", "-")]
    ["'=1+1", 'Case', -0.5, '-0.5', "'-"]
    """
    is_computed = isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value)
    return f"'{value}" if is_computed else value


def text_of_cell(cell: str) -> str:
    """Returns the text for which `cell_of` wrote a cell."""
    return cell[1:] if _MARKED.match(cell) else cell
