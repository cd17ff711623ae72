"""A CoNLL-U file as the CoNLL-2018 evaluation reads it: one line of characters, cut into tokens and words."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyprobe.formats.treebanks.dependencies import word_on_cycle
from polyprobe.metrics.official.scorers import RefusedByScorer

CONTENT_RELATIONS = frozenset((
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
))  # fmt: skip
FUNCTION_RELATIONS = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
UNIVERSAL_FEATURES = frozenset((
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
))  # fmt: skip


def universal(relation: str) -> str:
    """Returns a relation without its subtype: `nmod` of `nmod:poss`."""
    return relation.split(":")[0]


ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL = range(8)
N_COLUMNS = 10
SCORER = "CoNLL-2018"

Span = tuple[int, int]
"""Characters `[start, end)` of the text without spaces."""


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """A word with the properties that are compared."""

    span: Span
    """Of its token."""
    is_multiword: bool
    """Its token has several words."""
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    """Universal features alone, sorted."""
    head: int | None
    """The index of its head among all words of the file; None at a root."""
    relation: str
    """DEPREL up to its first colon."""
    function_words: tuple[int, ...]
    """The indices of the words that depend on it by a function relation."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a word, the number of its line, its token and whether that has several words."""

    line: int
    cells: Sequence[str]
    span: Span
    is_multiword: bool


class ScoredText:
    """A file: its characters without spaces, the spans of tokens and sentences, its words; sentences are added."""

    def __init__(self, path: Path):
        self.path = path
        self._forms: list[str] = []
        self._n_characters = 0
        self.tokens: list[Span] = []
        self.sentences: list[Span] = []
        self.words: list[ScoredWord] = []

    @property
    def characters(self) -> str:
        """Those of all forms, one after the other."""
        return "".join(self._forms)

    def add(self, lines: Sequence[tuple[int, str]], closing_line: int) -> None:
        """Adds the lines of a sentence, without its comments."""
        start = self._n_characters
        rows = list(self._rows(iter(lines)))
        heads = _heads(self.path, rows, closing_line)
        self.words += _words(rows, heads, len(self.words))
        self.sentences.append((start, self._n_characters))

    def _rows(self, lines: Iterator[tuple[int, str]]) -> Iterator[Row]:
        n_words = 0
        for number, line in lines:
            cells = self._cells(number, line)
            if "." in cells[ID]:
                continue
            span = self._token(number, cells[FORM])
            if "-" in cells[ID]:
                inner = self._inner_lines(number, cells[ID], lines)
                yield from (Row(place, self._cells(place, text), span, True) for place, text in inner)
                n_words += len(inner)
            else:
                n_words += 1
                if not _is_integer(cells[ID]) or int(cells[ID]) != n_words:
                    raise self._refused(number, f'ID is "{cells[ID]}"', str(n_words))
                yield Row(number, cells, span, False)

    def _cells(self, number: int, line: str) -> list[str]:
        cells = line.split("\t")
        if len(cells) != N_COLUMNS:
            raise self._refused(number, f"{len(cells)} columns", f"{N_COLUMNS}, separated by tabs")
        return cells

    def _token(self, number: int, form: str) -> Span:
        characters = _without_spaces(form)
        if not characters:
            raise self._refused(number, "FORM is empty", "a form with more than spaces")
        self._forms.append(characters)
        span = (self._n_characters, self._n_characters + len(characters))
        self._n_characters = span[1]
        self.tokens.append(span)
        return span

    def _inner_lines(self, number: int, identifier: str, lines: Iterator[tuple[int, str]]) -> list[tuple[int, str]]:
        """Takes as many lines as the range has words, without a look at them, as the scorer does."""
        try:
            first, last = map(int, identifier.split("-"))
        except ValueError as error:
            raise self._refused(number, f'ID is "{identifier}"', "a range such as 3-4") from error
        inner = [line for _, line in zip(range(first, last + 1), lines, strict=False)]
        if len(inner) < last + 1 - first:
            raise self._refused(number, f"the sentence ends before the words of {identifier} do", "all its words")
        return inner

    def _refused(self, number: int, found: str, expected: str) -> RefusedByScorer:
        return RefusedByScorer(SCORER, self.path, number, found, expected)


def read_text(path: Path) -> ScoredText:
    """Reads a file; empty nodes, DEPS and comments are skipped.

    Raises:
        RefusedByScorer: a row does not have ten columns, an ID is out of order, a HEAD is not a word of its sentence, a
            sentence does not have exactly one root, has a cycle or no empty line after it, or the text is not UTF-8.
    """
    text, lines, number = ScoredText(path), [], 0
    for number, line in _lines(path):
        if not line:
            text.add(lines, number)
            lines = []
        elif lines or not line.startswith("#"):
            lines.append((number, line))
    if lines:
        raise RefusedByScorer(SCORER, path, number + 1, "the file ends in a sentence", "an empty line behind it")
    return text


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    number = 0
    with open(path, encoding="utf-8") as file:
        try:
            for number, line in enumerate(file, start=1):
                yield number, line.rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise RefusedByScorer(SCORER, path, number + 1, "the text is not UTF-8", "UTF-8") from error


def _heads(path: Path, rows: Sequence[Row], closing_line: int) -> list[int]:
    """Returns the head of each word, 1-based, 0 at the root, after all checks."""
    for row in rows:
        head = row.cells[HEAD]
        if not _is_integer(head) or not 0 <= int(head) <= len(rows):
            raise RefusedByScorer(SCORER, path, row.line, f'HEAD is "{head}"', f"0 (root) to {len(rows)}")
    heads = [int(row.cells[HEAD]) for row in rows]
    if on_cycle := word_on_cycle(heads):
        found = f"the heads of word {on_cycle} lead back to it"
        raise RefusedByScorer(SCORER, path, rows[on_cycle - 1].line, found, "a tree")
    if heads.count(0) != 1:
        found = f"the sentence before it has {heads.count(0)} roots"
        raise RefusedByScorer(SCORER, path, closing_line, found, "one root in every sentence")
    return heads


def _words(rows: Sequence[Row], heads: Sequence[int], offset: int) -> list[ScoredWord]:
    relations = [universal(row.cells[DEPREL]) for row in rows]
    function_words: list[list[int]] = [[] for _ in rows]
    for place, (head, relation) in enumerate(zip(heads, relations, strict=True)):
        if head and relation in FUNCTION_RELATIONS:
            function_words[head - 1].append(offset + place)
    return [
        ScoredWord(
            span=row.span,
            is_multiword=row.is_multiword,
            # By these, words around multiword tokens are aligned: spaces stay where a word is a part of a token.
            form=(row.cells[FORM] if row.is_multiword else _without_spaces(row.cells[FORM])).lower(),
            lemma=row.cells[LEMMA],
            upos=row.cells[UPOS],
            xpos=row.cells[XPOS],
            feats="|".join(
                sorted(one for one in row.cells[FEATS].split("|") if one.split("=", 1)[0] in UNIVERSAL_FEATURES)
            ),
            head=offset + head - 1 if head else None,
            relation=relation,
            function_words=tuple(function_words[place]),
        )
        for place, (row, head, relation) in enumerate(zip(rows, heads, relations, strict=True))
    ]


def _without_spaces(form: str) -> str:
    return "".join(one for one in form if unicodedata.category(one) != "Zs")


def _is_integer(cell: str) -> bool:
    try:
        int(cell)
    except ValueError:
        return False
    return True
