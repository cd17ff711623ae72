"""What a constituency tree says without empty elements, indices and function tags.

Empty elements (craft: `(-NONE- *T*)`) go, and with them every constituent that is empty then. A label is cut at the
first `-`, `=` or `|`. Words are written as the text has them: `(` for -LRB-, `"` for `` and ''.
"""

import re
from collections.abc import Iterator

from src.formats.treebanks.constituency_trees import Constituent

_EMPTY = "-NONE-"
_FUNCTIONS = re.compile(r"[-=|]")
_BRACKETS = re.compile(r"-(?:LRB|RRB|LSB|RSB|LCB|RCB)-")
_WRITTEN = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_QUOTES = ("``", "''")


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
