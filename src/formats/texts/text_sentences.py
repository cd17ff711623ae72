"""Plain text for language models: sentences that know their line and the folder of their file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from src.errors import MalformedLine
from src.formats.reading.malformed import OnMalformed
from src.formats.texts.text_corpus import numbered_sentences

END = "<eos>"
"""The mark of a sentence's end in some published texts."""


@dataclass(frozen=True, slots=True)
class TextSentence:
    """A sentence of a text.

    Attributes:
        words: as written, without the mark of the end.
        line: of the file, from 1.
        folder: the name of the file's folder. Texts of several languages lie in several folders.
    """

    words: tuple[str, ...]
    line: int
    folder: str


def text_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[TextSentence]:
    """Reads a text as `src.formats.texts.text_corpus` describes it; `<eos>` may end a line and is dropped there.

    Equal words are one object, so that a word costs eight bytes where it occurs again.

    Args:
        path: the file.
        on_malformed: called with every bad line, which is then left out.
    """
    distinct: dict[str, str] = {}
    for number, tokens in numbered_sentences(path, on_malformed):
        words = tokens[:-1] if tokens[-1] == END else tokens
        if not words or END in words:
            found = f"{END} stands inside the sentence" if words else f"there is nothing but {END}"
            on_malformed(MalformedLine(path, number, found, f"words, with {END} at most at the end"))
        else:
            yield TextSentence(tuple(distinct.setdefault(word, word) for word in words), number, path.parent.name)
