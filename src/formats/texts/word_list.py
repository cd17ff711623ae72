"""Word lists, such as the vocabulary of a language model: one word a line; the last line may lack its line feed."""

from pathlib import Path

from src.errors import MalformedLine
from src.formats.reading.lines import numbered_bytes, text_of


def read(path: Path) -> frozenset[str]:
    """Reads the words of a list.

    Raises:
        MalformedLine: at an empty file, an empty line, a line with a blank or a tab (a list with counts, say), or text
            that is not clean UTF-8.
    """
    words = set()
    for number, content in numbered_bytes(path):
        word = text_of(path, number, content.removesuffix(b"\n") + b"\n")
        if not word or " " in word or "\t" in word:
            found = f'the line has "{word}"' if word else "the line is empty"
            raise MalformedLine(path, number, found, "one word a line, and nothing else")
        words.add(word)
    return frozenset(words)
