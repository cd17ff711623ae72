"""Constituency trees in brackets, as the Penn Treebank writes them: a document, a tab and a tree a line.

    GUM_news_asylum <tab> (ROOT (S (NP (PRP They)) (VP (VBD left)) (. .)))
    17194222 <tab> ( (S (NP-SBJ-1 (-NONE- *)) (VP (VBN Shown))) )

The outermost constituent may have no label. A constituent has constituents, words or, in a few published trees, both.
Brackets in a text are `-LRB-` and `-RRB-`; nothing is translated or left out in reading.

What a tree says without empty elements, indices and function tags: empty elements (craft: `(-NONE- *T*)`) go, and with
them every constituent that is empty then. A label is cut at the first `-`, `=` or `|`. Words are written as the text
has them: `(` for -LRB-, `"` for `` and ''.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from polyprobe.errors import MalformedLine
from polyprobe.formats.reading.cells import read_cells
from polyprobe.formats.reading.malformed import OnMalformed

_DEEPEST = 200  # brackets; published trees have at most some forty, and walks over a tree are recursive
_PARTS = re.compile(r"(\()[ ]*([^() ]*)|(\))|([^() ]+)")
_EMPTY = "-NONE-"
_FUNCTIONS = re.compile(r"[-=|]")
_BRACKETS = re.compile(r"-(?:LRB|RRB|LSB|RSB|LCB|RCB)-")
_WRITTEN = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_QUOTES = ("``", "''")


@dataclass(frozen=True, slots=True)
class Constituent:
    """A constituent; `label` is as written, "" where there is none; `children` are constituents and words."""

    label: str
    children: tuple[Union["Constituent", str], ...]


@dataclass(frozen=True, slots=True)
class TreeOfDocument:
    """A tree, the name of its document, and its line of the file, from 1."""

    line: int
    document: str
    root: Constituent


def read(path: Path, on_malformed: OnMalformed) -> Iterator[TreeOfDocument]:
    """Reads the trees of a file in their order.

    Raises:
        MalformedLine: as `read_cells`, and at a bracket that is not closed or not opened, text before or after the
            tree, a constituent without a word, and brackets deeper than 200.
    """
    return read_cells(path, ("document", "tree"), on_malformed, _tree)


def _tree(path: Path, line: int, document: str, bracketing: str) -> TreeOfDocument:
    """Reads one bracketing with a stack: a hostile one must not end in a RecursionError."""
    open_ones: list[tuple[str, list[Constituent | str]]] = []
    root: Constituent | None = None
    for opening, label, closing, word in _PARTS.findall(bracketing):
        if root is not None:
            raise MalformedLine(path, line, f'"{opening or closing or word}" follows the tree', "one tree per line")
        if opening:
            open_ones.append((label, []))
            if len(open_ones) > _DEEPEST:
                raise MalformedLine(path, line, f"brackets are open {_DEEPEST + 1} deep", f"at most {_DEEPEST}")
        elif not open_ones:
            found = f'"{closing or word}" precedes the first bracket'
            raise MalformedLine(path, line, found, "a tree in brackets such as (S (NP (NN Rain)) (VP (VBZ falls)))")
        elif word:
            open_ones[-1][1].append(word)
        else:
            root = _closed(path, line, open_ones)
    if root is None:
        found = f"{len(open_ones)} of its brackets are not closed"
        raise MalformedLine(path, line, found, "as many closing brackets as opening ones; the line may be truncated")
    return TreeOfDocument(line, document, root)


def _closed(path: Path, line: int, open_ones: list[tuple[str, list[Constituent | str]]]) -> Constituent | None:
    """Closes the innermost open constituent; returns it if it is the outermost."""
    label, children = open_ones.pop()
    if not children:
        raise MalformedLine(path, line, f"the constituent ({label}) has no word", "a label and a word: (NN rain)")
    constituent = Constituent(label, tuple(children))
    if not open_ones:
        return constituent
    open_ones[-1][1].append(constituent)
    return None


def without_empty(constituent: Constituent) -> Constituent | None:
    """Returns the tree without empty elements and the constituents that are empty then; None where nothing is left."""
    if constituent.label == _EMPTY:
        return None
    children = [without_empty(one) if isinstance(one, Constituent) else one for one in constituent.children]
    left = tuple(child for child in children if child is not None)
    return Constituent(constituent.label, left) if left else None


def category(constituent: Constituent) -> str:
    """Returns the label without function tags and indices: NP of NP-SBJ-1; -LRB- stays."""
    label = constituent.label
    return label if label.startswith("-") else _FUNCTIONS.split(label, maxsplit=1)[0]


def functions(constituent: Constituent) -> set[str]:
    """Returns the function tags of a label: SBJ and 1 of NP-SBJ-1."""
    label = constituent.label
    return set() if label.startswith("-") else set(_FUNCTIONS.split(label)[1:])


def constituents(constituent: Constituent) -> list[Constituent]:
    """Returns the children that are no words."""
    return [child for child in constituent.children if isinstance(child, Constituent)]


def is_tag(constituent: Constituent) -> bool:
    """Says whether there are words alone below: whether the label is a part of speech."""
    return not constituents(constituent)


def leaves(constituent: Constituent) -> Iterator[tuple[str, str]]:
    """Yields the part of speech of every word, and the word as the tree has it."""
    for child in constituent.children:
        if isinstance(child, Constituent):
            yield from leaves(child)
        else:
            yield category(constituent), child


def written(word: str) -> str:
    """Returns a word of a tree as the text has it."""
    return '"' if word in _QUOTES else _BRACKETS.sub(lambda found: _WRITTEN[found.group()], word)
