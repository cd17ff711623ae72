"""Plain text: one sentence a line, its tokens separated by one blank. For word vectors and language models.

Sentences for language models know their line and the folder of their file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.lines import numbered_bytes, text_of
from polyprobe.formats.reading.malformed import Omission, OnMalformed
from polyprobe.formats.reading.table_rows import Quotes, TableLayout, object_rows, table_rows

MOST_TOKENS = 10_000
"""Of a sentence. gensim leaves out what comes after them, without a word."""
END = "<eos>"
"""The mark of a sentence's end in some published texts."""


def corpus_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[tuple[str, ...]]:
    """Reads sentence by sentence. Only the blank U+0020 separates tokens; other white space is part of a token.

    Raises:
        MalformedLine: the file is empty.
    """
    return (tokens for _, tokens in numbered_sentences(path, on_malformed))


def sentences_of_chapters(path: Path, on_malformed: OnMalformed) -> Iterator[tuple[str, ...]]:
    """Reads a text with empty lines between its chapters, which are passed over; else as `corpus_sentences`."""
    for number, content in numbered_bytes(path):
        if content.rstrip(b"\r\n"):
            with Omission(on_malformed):
                yield _tokens(path, number, content)


def numbered_sentences(path: Path, on_malformed: OnMalformed) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yields the number of its line, from 1, with every sentence; see `corpus_sentences`."""
    for number, content in numbered_bytes(path):
        with Omission(on_malformed):
            yield number, _tokens(path, number, content)


def _tokens(path: Path, number: int, content: bytes) -> tuple[str, ...]:
    tokens = tuple(text_of(path, number, content).split(" "))
    if tokens == ("",):
        raise MalformedLine(path, number, "the line is empty", "a sentence")
    if "" in tokens:
        cure = f"tr -s ' ' < {quote(str(path))} | sed 's/^ //; s/ $//'"
        raise MalformedLine(path, number, "a token is empty", f"one blank between tokens, none at the ends: `{cure}`")
    if len(tokens) > MOST_TOKENS:
        raise MalformedLine(path, number, f"the sentence has {len(tokens):,} tokens", f"at most {MOST_TOKENS:,}")
    return tokens


@dataclass(frozen=True, slots=True)
class TextSentence:
    """A sentence of a text."""

    words: tuple[str, ...]
    """As written, without the mark of the end."""
    line: int
    """Of the file, from 1."""
    folder: str
    """The name of the file's folder. Texts of several languages lie in several folders."""


def text_sentences(
    path: Path,
    on_malformed: OnMalformed,
    column: str | None = None,
    separator: str | None = None,
    quotes: Quotes = "csv",
    columns: Sequence[str] | None = None,
) -> Iterator[TextSentence]:
    """Reads a text, a sentence a line, words between blanks; `<eos>` may end a line and is dropped there.

    Equal words are one object, so that a word costs eight bytes where it occurs again.

    Args:
        column: of a table, or the key of JSON objects, one per line, that has the text; None: the lines are the text.
        separator: of the columns, one of those of `table_rows`; None: the file has JSON objects.
        quotes: of cells, as there.
        columns: names of all columns of a table; None: its first line has them.
    """
    lines = numbered_sentences(path, on_malformed)
    if column is not None:
        lines = _sentences_of_rows(
            path,
            on_malformed,
            TableLayout([column], separator, quotes, columns, key="data.corpora.mine.reader_options"),
        )
    distinct: dict[str, str] = {}
    for number, tokens in lines:
        words = tokens[:-1] if tokens[-1] == END else tokens
        if not words or END in words:
            found = f"{END} stands inside the sentence" if words else f"there is nothing but {END}"
            on_malformed(MalformedLine(path, number, found, f"words, with {END} at most at the end"))
        else:
            yield TextSentence(tuple(distinct.setdefault(word, word) for word in words), number, path.parent.name)


def _sentences_of_rows(
    path: Path, on_malformed: OnMalformed, layout: TableLayout
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yields the number of its line with every sentence of a column: a cell may have several, a line each."""
    (column,) = layout.needed
    rows = table_rows(path, on_malformed, layout) if layout.separator else object_rows(path, on_malformed, [column])
    for row in rows:
        sentences = [tokens for line in row.cells[column].split("\n") if (tokens := tuple(line.split()))]
        if not sentences:
            on_malformed(MalformedLine(path, row.line, f"the {column} is empty", "a sentence"))
        yield from ((row.line, tokens) for tokens in sentences)
