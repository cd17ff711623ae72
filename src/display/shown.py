"""How things are shown: text on a terminal and in cells of CSV and TSV files, counts with their nouns, short paths.

Text from files and servers may steer a terminal: what would is shown escaped. Spreadsheets compute a cell such as =1+1:
a label of this kind is written so that it is text there.
"""

import logging
import math
import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TextIO

# Formatting characters that turn the reading order of what follows, or hide text; joiners, which languages need, stay.
_STEERING = frozenset(
    [*range(0x202A, 0x202F), *range(0x2066, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)]
)
_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of surrogate pairs, ends of lines and paragraphs
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_FORMULA = re.compile(r"""['"]*[=+\-@\t\r＝＋－＠]""")  # quotes, since some take them off and compute what is left
_MARKED = re.compile(r"""'['"]*[=+\-@\t\r＝＋－＠]""")
_SIZES = {"TB": 10**12, "GB": 10**9, "MB": 10**6, "kB": 10**3}
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def shown(text: str) -> str:
    r"""Escapes what a terminal would obey: control characters, line breaks, turned reading order, hidden text.

    Letters of all scripts, combining marks, joiners and emoji stay as they are. What is shown is shown again the same.

    >>> shown("Ca\x1b[31mse")
    'Ca\\x1b[31mse'
    """
    if text.isprintable():
        return text
    return "".join(one if is_shown_as_it_is(one) else _escaped(one) for one in text)


def shown_lines(text: str) -> str:
    """Escapes as `shown` does, except line feeds: for text with lines of our own making."""
    return "\n".join(map(shown, text.split("\n")))


def is_shown_as_it_is(character: str) -> bool:
    """Says whether a character is only seen, and steers nothing."""
    return unicodedata.category(character) not in _CATEGORIES and ord(character) not in _STEERING


def cut(text: str, longest: int) -> str:
    """Cuts text to so many characters, the last of which says that it was cut."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


_is_quiet = ContextVar("is_quiet", default=False)


@contextmanager
def quietly(is_quiet: bool = True) -> Iterator[None]:
    """Lets nothing be printed in a block, in this thread: no line, no progress; False changes nothing.

    Warnings of the log go to handlers that the caller has set up, not to the terminal by themselves.
    """
    before = _is_quiet.set(is_quiet or _is_quiet.get())
    log, nowhere = logging.getLogger("polyprobe"), logging.NullHandler()
    if is_quiet:
        log.addHandler(nowhere)
    try:
        yield
    finally:
        log.removeHandler(nowhere)
        _is_quiet.reset(before)


def is_quiet() -> bool:
    """Whether nothing is to be printed, see `quietly`."""
    return _is_quiet.get()


def say(line: str, out: TextIO | None = None) -> None:
    """Prints a line that names what comes from files, at once, to standard output or elsewhere."""
    if not is_quiet():
        print(shown(line), file=out, flush=True)


def leave_unread() -> None:
    """Lets what is printed from now on go nowhere: the reader of standard output has gone, as in `… | head`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains once more as it ends


class ShownRecord(logging.LogRecord):
    """A line of the log in which nothing steers the terminal."""

    def getMessage(self) -> str:  # noqa: N802 - logging's own name
        return shown_lines(super().getMessage())


def show_logs_escaped() -> None:
    """Makes every line of the log of this process a `ShownRecord`."""
    logging.setLogRecordFactory(ShownRecord)


def _escaped(character: str) -> str:
    number = ord(character)
    if number < 0x100:
        return _NAMED.get(character, f"\\x{number:02x}")
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


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


def plural(n: int, noun: str) -> str:
    """Writes a count with its noun, in the plural unless it is one.

    >>> [plural(n, "set") for n in (0, 1, 2)]
    ['0 sets', '1 set', '2 sets']
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def size_shown(n_bytes: int) -> str:
    """Writes a number of bytes with three digits and its unit, in powers of 1,000.

    >>> [size_shown(n) for n in (0, 999, 1_234, 56_780_000, 10**12, 3 * 10**15)]
    ['0 B', '999 B', '1.23 kB', '56.8 MB', '1 TB', '3000 TB']
    """
    unit, size = next(((unit, size) for unit, size in _SIZES.items() if n_bytes >= size), ("B", 1))
    return f"{round(n_bytes / size, max(0, 2 - int(math.log10(max(n_bytes, 1) / size)))):g} {unit}"


def last_parts(path: str | Path) -> str:
    """Returns a file or folder with the folder around it: "vectors/wiki.fi.bin"."""
    return "/".join(part for part in Path(path).absolute().parts[-2:] if part != "/")


def short_path(path: Path) -> str:
    """Writes a path from the current folder where it lies below it."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative
