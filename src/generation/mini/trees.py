"""Growing sentences: trees of words that are put into order, numbered and given their roles at the end.

Trees are projective; a word's dependents come before or after it in the given order.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from src.formats.roles.propositions import Argument, Proposition


@dataclass(slots=True, eq=False)
class Node:
    """A word while its sentence grows.

    Attributes:
        bundle: UniMorph codes joined by `;`, "" at punctuation.
        relation: to its head (UD).
        before, after: its dependents, in their order.
        sense: of a predicate, else None.
        arguments: (role, word) pairs of a predicate.
    """

    form: str
    lemma: str
    upos: str
    bundle: str
    relation: str
    feats: str = "_"
    before: list["Node"] = field(default_factory=list)
    after: list["Node"] = field(default_factory=list)
    sense: str | None = None
    arguments: list[tuple[str, "Node"]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a finished sentence; `head` is 1-based, 0 is the root; `end` closes the span of its subtree."""

    form: str
    lemma: str
    upos: str
    bundle: str
    feats: str
    head: int
    relation: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """A finished sentence: words with analyses and heads, and its propositions in the order of their predicates."""

    words: tuple[Word, ...]
    propositions: tuple[Proposition, ...]

    @property
    def forms(self) -> tuple[str, ...]:
        """The words as written."""
        return tuple(word.form for word in self.words)

    @property
    def text(self) -> str:
        """The sentence as running text: no blank before full stop and comma."""
        return " ".join(self.forms).replace(" .", ".").replace(" ,", ",")


def finished(root: Node) -> TaggedSentence:
    """Orders and numbers a tree; the first word gets its capital."""
    nodes = list(_in_order(root))
    place = {id(node): n for n, node in enumerate(nodes)}
    heads = {id(child): place[id(node)] + 1 for node in nodes for child in (*node.before, *node.after)}
    words = [_word(node, place, heads.get(id(node), 0)) for node in nodes]
    words[0] = replace(words[0], form=capitalised(words[0].form))
    return TaggedSentence(tuple(words), tuple(_proposition(node, place) for node in nodes if node.sense))


def n_words(root: Node) -> int:
    """Counts the words of a tree."""
    return 1 + sum(n_words(child) for child in (*root.before, *root.after))


def capitalised(form: str) -> str:
    """Writes the first letter as a capital, by the rules of Turkish: i becomes İ."""
    return ("İ" if form[0] == "i" else form[0].upper()) + form[1:]


def _in_order(node: Node) -> Iterator[Node]:
    for child in node.before:
        yield from _in_order(child)
    yield node
    for child in node.after:
        yield from _in_order(child)


def _word(node: Node, place: dict[int, int], head: int) -> Word:
    subtree = [place[id(below)] for below in _in_order(node)]
    span = (min(subtree), max(subtree) + 1)
    return Word(node.form, node.lemma, node.upos, node.bundle, node.feats, head, node.relation, *span)


def _proposition(node: Node, place: dict[int, int]) -> Proposition:
    assert node.sense is not None
    arguments = sorted((place[id(word)], role) for role, word in node.arguments)
    return Proposition(place[id(node)], node.sense, tuple(Argument(word, role) for word, role in arguments))
