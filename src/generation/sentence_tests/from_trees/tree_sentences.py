"""Sentences with a constituency tree, in the shape that the tests ask for.

Empty elements go, and with them every constituent that is empty then. Labels keep their function tags. The outermost
constituent counts as the root whatever it is called (ROOT, nothing). The layers that craft puts around headings and
captions are left out, so that what is below them is the top constituent, as elsewhere. Words are written as the text
has them.

A document is what stands before a `#` of its name: snli's 4705552913.jpg#2 and 4705552913.jpg#3 are captions of one
picture, and what was written about them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyprobe.formats.reading.malformed import OnMalformed
from polyprobe.formats.treebanks import constituency_trees
from polyprobe.formats.treebanks.constituency_trees import (
    Constituent,
    category,
    constituents,
    is_tag,
    leaves,
    without_empty,
    written,
)
from polyprobe.generation.sentence_tests.labelled_sentences import AnalysedSentence

_LAYERS = ("CAPTION", "CIT", "HEADING", "TITLE")  # of craft, around S or NP


@dataclass(frozen=True, slots=True)
class TreeSentence(AnalysedSentence):
    """A sentence and its tree."""

    tags: tuple[str, ...]
    """Part of speech of each word."""
    top: Constituent
    """The constituent below the root, without empty elements; it is the root itself where that has several
    constituents.
    """

    @property
    def depth(self) -> int:
        """Constituents from the root to the deepest part of speech, both counted, as SentEval counts them."""
        return 1 + depth(self.top)


def read_trees(paths: Sequence[Path], on_malformed: OnMalformed) -> Iterator[TreeSentence]:
    """Reads the sentences of files one after the other; trees without a word are passed over."""
    for path in paths:
        name = f"{path.parent.name}/{path.name}"
        for tree in constituency_trees.read(path, on_malformed):
            place = {"file": name, "line": tree.line, "document": tree.document}
            sentence = tree_sentence(tree.root, tree.document, place)
            if sentence is not None:
                yield sentence


def tree_sentence(root: Constituent, document: str, place: Mapping[str, Any]) -> TreeSentence | None:
    """Makes a sentence of a tree; None where the tree has no word."""
    full = without_empty(root)
    if full is None:
        return None
    tagged = list(leaves(full))
    words, tags = (tuple(written(word) for _, word in tagged), tuple(tag for tag, _ in tagged))
    return TreeSentence(words, document.partition("#")[0] or document, place, tags, _top(full))


def depth(constituent: Constituent) -> int:
    """Counts the constituents from this one to the deepest part of speech, both included."""
    return 1 + max(map(depth, constituents(constituent)), default=0)


def _top(root: Constituent) -> Constituent:
    top = root
    while (top is root or category(top) in _LAYERS) and len(top.children) == 1 and not is_tag(top):
        top = constituents(top)[0]
    return top
