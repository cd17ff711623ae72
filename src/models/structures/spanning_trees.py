"""Maximum spanning trees: the best dependency tree, non-projective, exact (Chu-Liu, Edmonds), with one root or any.

If one root is asked for and several words are attached to the root, the search is repeated among trees with one root:
the root's arcs are ranked below all others first, and only then by their scores, so that no penalty has to be large
enough. If the best heads of all words are such a tree already, nothing is searched.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from polyprobe.errors import PolyprobeError
from polyprobe.formats.treebanks.dependencies import word_on_cycle


class ScoresAreNoNumbers(PolyprobeError):
    """Among the scores of arcs is NaN or infinity."""

    def __init__(self):
        super().__init__("Scores of arcs are not numbers below infinity: the parser's weights have diverged.")


def best_trees(scores: np.ndarray, lengths: Sequence[int]) -> list[np.ndarray]:
    """Finds the best tree of each sentence.

    Args:
        scores: `[sentences, dependent, head]`; node 0 is the artificial root, words count from 1.
        lengths: of the sentences, in words; what lies beyond is not read.

    Returns:
        For each sentence the heads of its words, `[words]`.
    """
    return [best_tree(of_sentence[: n + 1, : n + 1]) for of_sentence, n in zip(scores, lengths, strict=True)]


def best_tree(scores: np.ndarray) -> np.ndarray:
    """Finds the tree with the highest sum among those with exactly one word attached to the root.

    Arcs of minus infinity are taken only if there is no tree without them; then as few as possible.

    Args:
        scores: `[dependent, head]`, of at least one word; node 0 is the artificial root. Neither NaN nor infinity.

    Returns:
        The heads of the words, `[words]`, of which exactly one is 0. Among equally good trees any.
    """
    heads = _best_heads(scores)
    if heads.count(0) == 1 and word_on_cycle(heads) is None:
        arcs = scores[np.arange(1, len(scores)), heads]
        if np.isfinite(arcs).all():
            return np.array(heads)
    return _searched(scores.astype(np.float64))


def _best_heads(scores: np.ndarray) -> list[int]:
    """Returns for each word the head that scores highest, whether or not that makes a tree."""
    weights = scores.flatten()
    weights[:: len(scores) + 1] = -np.inf
    return weights.reshape(scores.shape)[1:].argmax(1).tolist()


def _searched(scores: np.ndarray) -> np.ndarray:
    is_forbidden = np.isneginf(scores)
    if not np.isfinite(scores[~is_forbidden]).all():
        raise ScoresAreNoNumbers
    weights, ranks = np.where(is_forbidden, 0.0, scores), -is_forbidden.astype(np.float64)
    heads = _best_arcs(_ranked(ranks, weights) if is_forbidden[1:].any() else weights)
    if np.count_nonzero(heads == 0) > 1:
        ranks[:, 0] -= len(scores)  # more than all forbidden arcs of a tree together
        heads = _best_arcs(_ranked(ranks, weights))
    return heads


def _ranked(ranks: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Joins ranks and scores into numbers that add up and are compared by rank first, as NumPy does complex ones."""
    return ranks + 1j * scores


class _Contraction(NamedTuple):
    """A cycle that became one node, under the name of its first member."""

    members: np.ndarray
    """`[members]`, nodes."""
    heads: np.ndarray
    """Of the members, within the cycle."""
    entered: np.ndarray
    """`[nodes]`, the member that an arc from a node into the cycle leads to."""
    left: np.ndarray
    """`[nodes]`, the member that an arc from the cycle to a node comes from."""


class _Search:
    """Follows best heads up to the root and makes every cycle on the way one node."""

    def __init__(self, weights: np.ndarray):
        self.weights = weights.copy()
        np.fill_diagonal(self.weights, -np.inf)
        self.nodes = np.arange(len(weights))
        self.heads = self.weights.argmax(1)
        self.stands_for = self.nodes.tolist()
        self.contractions: list[_Contraction] = []

    def arcs(self) -> np.ndarray:
        """Returns the head of every node; that of the root has no meaning."""
        leads_to_root = [True] + [False] * (len(self.nodes) - 1)
        for start in range(1, len(self.nodes)):
            path: list[int] = []
            node = self.node_of(start)
            while not leads_to_root[node]:
                if node in path:
                    cycle = path[path.index(node) :]
                    del path[-len(cycle) :]
                    self.contract(cycle)
                path.append(node)
                node = self.node_of(int(self.heads[node]))
            for one in path:
                leads_to_root[one] = True
        self.expand()
        return self.heads

    def node_of(self, node: int) -> int:
        """Returns the node into which a node was contracted."""
        while self.stands_for[node] != node:
            node = self.stands_for[node]
        return node

    def contract(self, cycle: Sequence[int]) -> None:
        """Contracts a cycle to one node; an arc into it costs the arc that it replaces."""
        members, name = np.array(cycle), cycle[0]
        heads = np.array([*cycle[1:], name])  # each member's head is the next on the way up
        inside = self.weights[members, heads]
        gains = self.weights[members] - inside[:, None]
        entered = gains.argmax(0)
        from_members = self.weights[:, members]
        left = from_members.argmax(1)
        self.contractions.append(_Contraction(members, heads, members[entered], members[left]))
        self.weights[name] = gains[entered, self.nodes]
        self.weights[:, members] = -np.inf
        self.weights[:, name] = from_members[self.nodes, left]
        self.weights[name, members] = -np.inf
        self.heads[name] = self.weights[name].argmax()
        for member in cycle:
            self.stands_for[member] = name

    def expand(self) -> None:
        """Undoes the contractions, last one first."""
        for members, heads, entered, left in reversed(self.contractions):
            name = members[0]
            outside = self.heads[name]
            of_cycle = self.heads == name
            self.heads[of_cycle] = left[of_cycle]
            self.heads[members] = heads
            self.heads[entered[outside]] = outside


def _best_arcs(weights: np.ndarray) -> np.ndarray:
    """Returns the heads of the words in the best tree, whatever the number of its roots."""
    return _Search(weights).arcs()[1:]
