"""Sentences with propositions as tensors, each distinct input of a reader once, and once more as a predicate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from src.formats.roles.propositions import Argument, LabelledSentence, Proposition
from src.models.base.task_coder import TaskCoder
from src.models.inputs.word_batch import NO_LOSS, Coder, WordBatch


@dataclass(frozen=True, slots=True)
class Example:
    """One proposition as integers: a sentence, its predicate and the roles of all its words.

    Attributes:
        words: `[words]`, numbers of the reader's coder.
        predicate: 0-based place of the flag; None for no flag.
        role_ids: `[words]`; `NO_LOSS` where the model does not know the role.
    """

    words: np.ndarray
    predicate: int | None
    role_ids: np.ndarray


Coded = tuple[LabelledSentence, tuple[Example, ...]]
"""A sentence with its propositions as integers."""


@dataclass(frozen=True, slots=True)
class PropositionBatch:
    """The input of the labeller. A cell is a word of a proposition; cells are ordered proposition after proposition.

    Attributes:
        sentences: the sentences of the propositions, in order.
        words: of the propositions, as the reader takes them; its `input_of_cell` knows no flag.
        flagged_inputs: `[distinct predicates]`, which of the reader's distinct inputs are a predicate somewhere.
        input_of_cell: `[cells]`, a distinct input, or `distinct inputs + k` for the k-th flagged one.
        role_ids: `[cells]`.
        n_items: propositions: what the loss is divided by.
    """

    sentences: tuple[LabelledSentence, ...]
    words: WordBatch
    flagged_inputs: Tensor
    input_of_cell: Tensor
    role_ids: Tensor
    n_items: float

    def to(self, device: torch.device) -> "PropositionBatch":
        """Moves everything that a network reads."""
        names = ("words", "flagged_inputs", "input_of_cell", "role_ids")
        return replace(self, **{name: getattr(self, name).to(device) for name in names})


class PropositionCoder(TaskCoder):
    """Turns sentences with propositions into batches.

    Args:
        words: codes the words.
        roles: role 0 is `_`, no role.
    """

    words: Coder

    def __init__(self, words: Coder, roles: Sequence[str]):
        super().__init__(words)
        self.role_id = {role: number for number, role in enumerate(roles)}

    def coded(self, sentence: LabelledSentence) -> Coded:
        words = self.words.numbers(sentence.words)
        examples = (
            Example(words, proposition.predicate, self._coded_roles(proposition, len(words)))
            for proposition in sentence.propositions
        )
        return sentence, tuple(examples)

    def bare(self, sentence: LabelledSentence) -> Coded:
        return self.coded(sentence)  # roles are in the loss alone; predicates and senses are given

    def unflagged(self, words: Sequence[str]) -> Example:
        """Codes a sentence for its vectors: no predicate, no roles."""
        return Example(self.words.numbers(words), None, np.full(len(words), NO_LOSS))

    def batch(self, coded: Sequence[Coded], n_items: float) -> PropositionBatch:
        examples = [example for _, of_sentence in coded for example in of_sentence]
        return self.batch_of(examples, [sentence for sentence, _ in coded], n_items)

    def batch_of(
        self, examples: Sequence[Example], sentences: Sequence[LabelledSentence], n_items: float
    ) -> PropositionBatch:
        """Joins examples, at least one."""
        words = self.words.batch([example.words for example in examples])
        input_of_cell = words.input_of_cell.clone()
        flags = _flag_places(examples)
        flagged_inputs, flagged = input_of_cell[flags].unique(return_inverse=True)
        input_of_cell[flags] = int(words.input_of_cell.max()) + 1 + flagged
        role_ids = torch.from_numpy(np.concatenate([example.role_ids for example in examples]))
        return PropositionBatch(tuple(sentences), words, flagged_inputs, input_of_cell, role_ids, n_items)

    def uncounted(self, one: Coded) -> Coded:
        sentence, examples = one
        silent = (replace(example, role_ids=np.full_like(example.role_ids, NO_LOSS)) for example in examples)
        return replace(sentence, propositions=()), tuple(silent)

    def length(self, one: Coded) -> int:
        return len(one[0].words)

    def weight(self, one: Coded) -> int:
        return len(one[1])

    def size(self, one: Coded) -> int:
        return len(one[1])

    def n_cells(self, one: Coded) -> int:
        return len(one[0].words) * len(one[1])

    def _coded_roles(self, proposition: Proposition, n_words: int) -> np.ndarray:
        role_ids = np.zeros(n_words, dtype=np.int64)
        for argument in proposition.arguments:
            role_ids[argument.word] = self.role_id.get(argument.role, NO_LOSS)
        return role_ids


def propositions_of(
    sentences: Sequence[LabelledSentence], role_ids: Sequence[int], roles: Sequence[str]
) -> Iterator[tuple[Proposition, ...]]:
    """Reads the roles of consecutive cells back as the propositions of each sentence."""
    start = 0
    for sentence in sentences:
        found = []
        for proposition in sentence.propositions:
            end = start + len(sentence.words)
            arguments = [Argument(word, roles[role]) for word, role in enumerate(role_ids[start:end]) if role]
            found.append(Proposition(proposition.predicate, proposition.sense, tuple(arguments)))
            start = end
        yield tuple(found)


def _flag_places(examples: Sequence[Example]) -> Tensor:
    """Returns the cells that bear the flag."""
    lengths = np.array([len(example.words) for example in examples])
    flagged = zip(np.cumsum(lengths) - lengths, examples, strict=True)
    return torch.tensor([s + e.predicate for s, e in flagged if e.predicate is not None], dtype=torch.int64)
