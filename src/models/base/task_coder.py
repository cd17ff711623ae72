"""The contract of coders: what turns the examples of a task into batches, to learn from, to score and to label."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np


class InputCoder:
    """What codes the words of sentences; by itself that of a model with its own vectors, which need no preparation.

    Others are a `Coder` (src/models/inputs/word_batch.py).
    """

    def meet(self, sentences: Sequence[Sequence[str]]) -> None:
        """Prepares for sentences that are to be coded, all at once where that is cheaper."""

    def forget(self) -> None:
        """Numbers inputs anew from now on, if it numbers any; what was coded before is of no use any more."""

    def known(self, words: Sequence[str]) -> np.ndarray | None:
        """Says which words a given vocabulary has: bool `[words]`; None where there is none, or it is that of train."""
        return None

    def counts(self) -> dict[str, int]:
        """Returns the sizes that a run prints and records."""
        return {}


class TaskCoder(InputCoder, ABC):
    """Turns the examples of a task into integers, and these into batches.

    A datamodule and its model have one each, made from the same plain values (`model_inputs`): what is learned from,
    scored and labelled is coded in one way.
    """

    def __init__(self, words: InputCoder):
        self.words = words

    @staticmethod
    def texts(example: Any) -> tuple[Sequence[str], ...]:
        """Returns the sentences of an example, each as its words."""
        return (example.words,)

    @abstractmethod
    def coded(self, example: Any) -> Any:
        """Codes an example with its gold labels."""

    @abstractmethod
    def bare(self, example: Any) -> Any:
        """Codes an example without its gold labels, which it may lack."""

    @abstractmethod
    def batch(self, coded: Sequence[Any], n_items: float) -> Any:
        """Joins coded examples, at least one; the loss is divided by `n_items`."""

    @abstractmethod
    def uncounted(self, one: Any) -> Any:
        """Returns a coded example with nothing in it that is learned from or counted."""

    @abstractmethod
    def length(self, one: Any) -> int:
        """Returns what makes coded examples alike: words."""

    def weight(self, one: Any) -> int:
        """Returns how many items of a coded example the loss is a mean over: words, unless a task says otherwise."""
        return self.length(one)

    def size(self, one: Any) -> int:
        """Returns what a coded example counts for in a batch."""
        return 1

    def n_cells(self, one: Any) -> int:
        """Returns the words of a coded example that go through the network."""
        return self.length(one)

    def bare_batches(self, examples: Sequence[Any]) -> Iterator[Any]:
        """Yields batches of examples, in their order, without their gold labels."""
        return self._batches(examples, self.bare)

    def gold_batches(self, examples: Sequence[Any]) -> Iterator[Any]:
        """Yields batches of examples, in their order, with their gold labels."""
        return self._batches(examples, self.coded)

    def _batches(self, examples: Sequence[Any], coded_by: Callable[[Any], Any]) -> Iterator[Any]:
        self.meet([text for one in examples for text in self.texts(one)])
        coded = [coded_by(one) for one in examples]
        for block in blocks_of_sentences(coded, list(map(self.n_cells, coded))):
            yield self.batch(block, float(sum(map(self.weight, block))))

    def meet(self, sentences: Sequence[Sequence[str]]) -> None:
        self.words.meet(sentences)

    def forget(self) -> None:
        self.words.forget()

    def known(self, words: Sequence[str]) -> np.ndarray | None:
        return self.words.known(words)

    def counts(self) -> dict[str, int]:
        return self.words.counts()


CELLS_AT_ONCE = 2048
"""Words that go through the network together where no batch is given: few enough to stay near the caches."""

Item = TypeVar("Item")


def blocks_of_sentences(sentences: Sequence[Item], n_cells: Sequence[int]) -> Iterator[Sequence[Item]]:
    """Cuts sentences, in their order, into blocks of about `CELLS_AT_ONCE` words, each at least one sentence."""
    cuts, filled = [0], 0
    for number, cells in enumerate(n_cells):
        if filled and filled + cells > CELLS_AT_ONCE:
            cuts, filled = [*cuts, number], 0
        filled += cells
    return (sentences[start:end] for start, end in pairwise([*cuts, len(sentences)]) if start < end)
