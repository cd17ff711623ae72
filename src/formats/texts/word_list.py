"""Word lists, such as the vocabulary of a language model: one word a line; the last line may lack its line feed."""

from collections.abc import Iterator
from pathlib import Path

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import numbered_bytes, text_of


def read(path: Path) -> frozenset[str]:
    """Reads the words of a list. Raises as `read_in_order`, but a word may stand there again."""
    return frozenset(word for _, word in _numbered(path))


def read_in_order(path: Path) -> list[str]:
    """Reads the words of a list, each of which stands there once.

    Raises:
        MalformedLine: at a word that an earlier line has, and
        MalformedLine: at an empty file, an empty line, a line with a blank or a tab (a list with counts, say), or text
            that is not clean UTF-8.
    """
    lines: dict[str, int] = {}
    for number, word in _numbered(path):
        if lines.setdefault(word, number) != number:
            raise MalformedLine(path, number, f'the line has "{word}", as line {lines[word]} has', "each word once")
    return list(lines)


def _numbered(path: Path) -> Iterator[tuple[int, str]]:
    for number, content in numbered_bytes(path):
        word = text_of(path, number, content)
        if not word or " " in word or "\t" in word:
            found = f'the line has "{word}"' if word else "the line is empty"
            raise MalformedLine(path, number, found, "one word per line, and nothing else")
        yield number, word
