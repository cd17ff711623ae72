"""Text from files and servers on a terminal: what would steer the terminal is shown escaped."""

import logging
import unicodedata

# Formatting characters that turn the reading order of what follows, or hide text; joiners, which languages need, stay.
_STEERING = frozenset(
    [*range(0x202A, 0x202F), *range(0x2066, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)]
)
_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of surrogate pairs, ends of lines and paragraphs
_NAMED = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


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


def say(line: str) -> None:
    """Prints a line that names what comes from files, at once."""
    print(shown(line), flush=True)


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
