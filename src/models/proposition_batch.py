"""Sentences with propositions as tensors, each distinct word and trigram once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from src.formats.propositions import Argument, LabelledSentence, Proposition
from src.models.layers.char_trigrams import TrigramVocabulary, spelling
from src.models.layers.packing import Packing

NO_LOSS = -100
"""Role id of a word that takes no part in the loss."""

CELLS_AT_ONCE = 2048
"""Words that go through the network together where no batch is given: few enough to stay near the caches."""


@dataclass(frozen=True, slots=True)
class Example:
    """One proposition as integers: a sentence, its predicate and the roles of all its words.

    Attributes:
        words: `[words]`, numbers of distinct words in the coder's list.
        predicate: 0-based place of the flag; None for no flag.
        role_ids: `[words]`; `NO_LOSS` where the model does not know the role.
    """

    words: np.ndarray
    predicate: int | None
    role_ids: np.ndarray


@dataclass(frozen=True, slots=True)
class PropositionBatch:
    """What the labeller reads. A cell is a word of a proposition; cells stand proposition after proposition.

    Attributes:
        sentences: the sentences of the propositions, in order.
        trigram_ids: `[distinct trigrams]`, their numbers in the vocabulary.
        trigram_of_unit: `[units]`, which of them stands where in the distinct words.
        word_packing: of the distinct words over their units.
        flagged_words: `[distinct predicate words]`, which distinct words stand as a predicate somewhere.
        input_of_cell: `[cells]`, a distinct word, or `distinct words + k` for the k-th flagged word.
        cell_packing: of the propositions over their words.
        role_ids: `[cells]`.
        n_propositions: what the loss is divided by.
    """

    sentences: tuple[LabelledSentence, ...]
    trigram_ids: Tensor
    trigram_of_unit: Tensor
    word_packing: Packing
    flagged_words: Tensor
    input_of_cell: Tensor
    cell_packing: Packing
    role_ids: Tensor
    n_propositions: float

    def to(self, device: torch.device) -> "PropositionBatch":
        """Moves everything that a network reads."""
        names = ("trigram_ids", "trigram_of_unit", "word_packing", "flagged_words", "input_of_cell", "cell_packing")
        return replace(self, **{name: getattr(self, name).to(device) for name in (*names, "role_ids")})


class PropositionCoder:
    """Turns sentences to batches; the units of a distinct word are looked up once.

    Args:
        vocabulary: of trigrams.
        roles: role 0 is `_`, no role.
    """

    def __init__(self, vocabulary: TrigramVocabulary, roles: Sequence[str]):
        self.vocabulary = vocabulary
        self.role_id = {role: number for number, role in enumerate(roles)}
        self._word_id: dict[str, int] = {}
        self._units: list[np.ndarray] = []

    def examples(self, sentence: LabelledSentence) -> tuple[Example, ...]:
        """Codes every proposition of a sentence, in order."""
        words = self._coded_words(sentence.words)
        return tuple(
            Example(words, proposition.predicate, self._coded_roles(proposition, len(words)))
            for proposition in sentence.propositions
        )

    def unflagged(self, words: Sequence[str]) -> Example:
        """Codes a sentence for its vectors: no predicate, no roles."""
        return Example(self._coded_words(words), None, np.full(len(words), NO_LOSS))

    def batch(
        self, examples: Sequence[Example], sentences: Sequence[LabelledSentence], n_propositions: float
    ) -> PropositionBatch:
        """Joins examples, at least one."""
        lengths = [len(example.words) for example in examples]
        words, input_of_cell = _distinct(np.concatenate([example.words for example in examples]))
        flags = _flag_places(examples, lengths)
        flagged_words, flagged = _distinct(input_of_cell[flags])
        input_of_cell[flags] = len(words) + flagged
        units = [self._units[word] for word in words]
        trigram_ids, trigram_of_unit = _distinct(np.concatenate(units))
        return PropositionBatch(
            tuple(sentences),
            torch.from_numpy(trigram_ids),
            torch.from_numpy(trigram_of_unit),
            Packing.of([len(word) for word in units]),
            torch.from_numpy(flagged_words),
            torch.from_numpy(input_of_cell),
            Packing.of(lengths),
            torch.from_numpy(np.concatenate([example.role_ids for example in examples])),
            n_propositions,
        )

    def _coded_words(self, words: Sequence[str]) -> np.ndarray:
        return np.array([self._coded_word(spelling(word)) for word in words], dtype=np.int64)

    def _coded_word(self, spelled: str) -> int:
        if spelled not in self._word_id:
            self._units.append(np.array(self.vocabulary.ids(spelled), dtype=np.int64))
            self._word_id[spelled] = len(self._units) - 1
        return self._word_id[spelled]

    def _coded_roles(self, proposition: Proposition, n_words: int) -> np.ndarray:
        role_ids = np.zeros(n_words, dtype=np.int64)
        for argument in proposition.arguments:
            role_ids[argument.word] = self.role_id.get(argument.role, NO_LOSS)
        return role_ids


Item = TypeVar("Item")


def blocks_of_sentences(sentences: Sequence[Item], n_cells: Sequence[int]) -> Iterator[Sequence[Item]]:
    """Cuts sentences, in their order, into blocks of about `CELLS_AT_ONCE` words, each at least one sentence."""
    cuts, filled = [0], 0
    for number, cells in enumerate(n_cells):
        if filled and filled + cells > CELLS_AT_ONCE:
            cuts, filled = [*cuts, number], 0
        filled += cells
    return (sentences[start:end] for start, end in pairwise([*cuts, len(sentences)]) if start < end)


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


def _distinct(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.unique(numbers, return_inverse=True)


def _flag_places(examples: Sequence[Example], lengths: Sequence[int]) -> np.ndarray:
    starts = np.cumsum(lengths) - lengths
    flagged = zip(starts, examples, strict=True)
    return np.array([s + e.predicate for s, e in flagged if e.predicate is not None], dtype=np.int64)
