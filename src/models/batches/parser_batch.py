"""Sentences with trees as tensors: a node for the artificial root of each sentence and one for each word."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from polyprobe.formats.treebanks.dependencies import DependencySentence
from polyprobe.models.base.task_coder import TaskCoder
from polyprobe.models.inputs.word_batch import NO_LOSS, Coder, WordBatch, label_ids_of
from polyprobe.models.layers.packing import Batch

NO_TAG = 0
"""Number of a tag that train lacks, and of none."""


@dataclass(frozen=True, slots=True)
class CodedTree:
    """A sentence as integers, `[words]` each."""

    numbers: np.ndarray
    """Of the words, in the coder's list."""
    upos_ids: np.ndarray
    """Of the tags; `NO_TAG` is possible."""
    heads: np.ndarray
    """1-based, 0 at the root; `NO_LOSS` where the word takes no part in the loss."""
    relation_ids: np.ndarray
    """Below 0 where the model does not know the relation or the word takes no part in the loss."""
    sentence: DependencySentence | None
    """The gold sentence for the scores; None for none."""


@dataclass(frozen=True, slots=True)
class ParserBatch(Batch):
    """The input of the parser. Nodes are ordered sentence after sentence, the root first; padded, a sentence is a row.

    cells     a1 a2 b1          nodes  r a1 a2 r b1          padded  r a1 a2
                                                                     r b1 -
    """

    words: WordBatch
    upos_ids: Tensor
    """`[cells]`."""
    sentence_of_node: Tensor
    """`[nodes]`."""
    node_of_cell: Tensor
    """`[cells]`."""
    root_of_cell: Tensor
    """`[cells]`, the node of its sentence's root."""
    place_of_node: Tensor
    """`[nodes]`, in the padded nodes, counted through all rows."""
    heads: Tensor
    """`[cells]`."""
    relation_ids: Tensor
    """`[cells]`."""
    sentences: tuple[DependencySentence, ...]
    """The gold sentences for the scores; empty for none."""
    n_items: float
    """Words: what the loss is divided by."""

    @property
    def padded_shape(self) -> tuple[int, int]:
        """Sentences and nodes of the longest."""
        return len(self.words.lengths), max(self.words.lengths) + 1

    @property
    def sentence_of_cell(self) -> Tensor:
        """Which sentence a cell belongs to: `[cells]`."""
        return self.sentence_of_node[self.node_of_cell]


class TreeCoder(TaskCoder):
    """Turns sentences into batches.

    Args:
        upos: tags; the k-th has number k + 1. Empty for a parser that reads no tags.
        relations: the k-th has number k.
    """

    words: Coder

    def __init__(self, words: Coder, upos: Sequence[str], relations: Sequence[str]):
        super().__init__(words)
        self._number_of_tag = {tag: number for number, tag in enumerate(upos, start=NO_TAG + 1)}
        self._number_of_relation = {relation: number for number, relation in enumerate(relations)}

    def coded(self, sentence: DependencySentence) -> CodedTree:
        """Codes a sentence with its tree."""
        bare = self.bare(sentence)
        relation_ids = label_ids_of(sentence.relations, self._number_of_relation)
        return replace(bare, heads=np.array(sentence.heads), relation_ids=relation_ids, sentence=sentence)

    def bare(self, sentence: DependencySentence) -> CodedTree:
        return self.without_tree(sentence.words, sentence.upos)

    def without_tree(self, words: Sequence[str], upos: Sequence[str]) -> CodedTree:
        """Codes a sentence without a tree; tags may be missing."""
        upos_ids = [self._number_of_tag.get(tag, NO_TAG) for tag in upos] or [NO_TAG] * len(words)
        unknown = np.full(len(words), NO_LOSS)
        return CodedTree(self.words.numbers(words), np.array(upos_ids), unknown, unknown, None)

    def batch(self, trees: Sequence[CodedTree], n_items: float) -> ParserBatch:
        lengths = np.array([len(tree.numbers) for tree in trees])
        n_nodes = lengths + 1
        sentence_of_node = np.repeat(np.arange(len(trees)), n_nodes)
        roots = np.cumsum(n_nodes) - n_nodes
        node_of_cell = np.delete(np.arange(n_nodes.sum()), roots)
        place_in_row = np.arange(n_nodes.sum()) - np.repeat(roots, n_nodes)
        columns = [
            np.concatenate([tree.upos_ids for tree in trees]),
            sentence_of_node,
            node_of_cell,
            np.repeat(roots, lengths),
            sentence_of_node * n_nodes.max() + place_in_row,
            np.concatenate([tree.heads for tree in trees]),
            np.concatenate([tree.relation_ids for tree in trees]),
        ]
        counted = tuple(tree.sentence for tree in trees if tree.sentence is not None)
        words = self.words.batch([tree.numbers for tree in trees])
        return ParserBatch(words, *map(torch.from_numpy, columns), counted, n_items)

    def uncounted(self, one: CodedTree) -> CodedTree:
        nothing = np.full_like(one.heads, NO_LOSS)
        return replace(one, heads=nothing, relation_ids=nothing, sentence=None)

    def length(self, one: CodedTree) -> int:
        return len(one.numbers)
