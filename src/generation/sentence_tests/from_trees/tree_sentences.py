"""Sentences with a constituency tree, in the shape that the tests ask for.

Empty elements go, and with them every constituent that is empty then (craft: `(-NONE- *T*)`). Labels keep their
function tags; `category` cuts them off. The outermost constituent counts as the root whatever it is called (ROOT,
nothing). The layers that craft puts around headings and captions are left out, so that what is below them is the top
constituent, as elsewhere. Words are written as the text has them: `(` for -LRB-, `"` for `` and ''.

A document is what stands before a `#` of its name: snli's 4705552913.jpg#2 and 4705552913.jpg#3 are captions of one
picture, and what was written about them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from src.formats.reading.malformed import OnMalformed
from src.formats.treebanks import constituency_trees
from src.formats.treebanks.constituency_trees import Constituent

_EMPTY = "-NONE-"
_LAYERS = ("CAPTION", "CIT", "HEADING", "TITLE")  # of craft, around S or NP
_FUNCTIONS = re.compile(r"[-=|]")
_BRACKETS = re.compile(r"-(?:LRB|RRB|LSB|RSB|LCB|RCB)-")
_WRITTEN = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_QUOTES = ("``", "''")


@dataclass(frozen=True, slots=True)
class TreeSentence:
    """A sentence and its tree.

    Attributes:
        words: as the text has them.
        tags: part of speech of each word.
        top: the constituent below the root, without empty elements; it is the root itself where that has several
            constituents.
        document: see above.
        place: file, line and full name of the document.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    top: Constituent
    document: str
    place: Mapping[str, Any]

    @property
    def depth(self) -> int:
        """Constituents from the root to the deepest part of speech, both counted, as SentEval counts them."""
        return 1 + depth(self.top)


def read_trees(paths: Sequence[Path], on_malformed: OnMalformed) -> Iterator[TreeSentence]:
    """Reads the sentences of files one after the other; trees without a word are passed over.

    Raises:
        MalformedLine: as `constituency_trees.read`.
    """
    for path in paths:
        name = f"{path.parent.name}/{path.name}"
        for tree in constituency_trees.read(path, on_malformed):
            place = {"file": name, "line": tree.line, "document": tree.document}
            sentence = tree_sentence(tree.root, tree.document, place)
            if sentence is not None:
                yield sentence


def tree_sentence(root: Constituent, document: str, place: Mapping[str, Any]) -> TreeSentence | None:
    """Makes a sentence of a tree; None where the tree has no word."""
    full = _without_empty(root)
    if full is None:
        return None
    tagged = list(leaves(full))
    words, tags = (tuple(written(word) for _, word in tagged), tuple(tag for tag, _ in tagged))
    return TreeSentence(words, tags, _top(full), document.partition("#")[0] or document, place)


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


def depth(constituent: Constituent) -> int:
    """Counts the constituents from this one to the deepest part of speech, both included."""
    return 1 + max(map(depth, constituents(constituent)), default=0)


def written(word: str) -> str:
    """Returns a word of a tree as the text has it."""
    return '"' if word in _QUOTES else _BRACKETS.sub(lambda found: _WRITTEN[found.group()], word)


def _without_empty(constituent: Constituent) -> Constituent | None:
    if constituent.label == _EMPTY:
        return None
    children = [_without_empty(one) if isinstance(one, Constituent) else one for one in constituent.children]
    left = tuple(child for child in children if child is not None)
    return Constituent(constituent.label, left) if left else None


def _top(root: Constituent) -> Constituent:
    top = root
    while (top is root or category(top) in _LAYERS) and len(top.children) == 1 and not is_tag(top):
        top = constituents(top)[0]
    return top
