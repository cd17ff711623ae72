"""The distinct masked inputs of many questions, with the pieces that are to be scored at them, in blocks."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False, slots=True)
class MaskedQuestion:
    """One sequence, and the pieces to be scored in it.

    Attributes:
        ids: with special tokens, nothing masked: int64 `[pieces]`.
        starts: places of the pieces to be scored, each with the masks up to `ends`: int64 `[tokens]`.
        ends: after the last mask: int64 `[tokens]`.
    """

    ids: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


@dataclass(frozen=True, eq=False, slots=True)
class InputBlock:
    """Distinct masked inputs of one length, and the pieces that are to be scored at them.

    Attributes:
        ids: int32 `[inputs, pieces]`.
        places: the masked piece of each that is to be scored: int32 `[inputs]`.
        rows: the input of each target, ascending: int64 `[targets]`.
        targets: ids of pieces, distinct at each input: int64 `[targets]`.
    """

    ids: np.ndarray
    places: np.ndarray
    rows: np.ndarray
    targets: np.ndarray

    @property
    def name(self) -> str:
        """A digest of everything in the block."""
        digest = hashlib.sha256(repr(self.ids.shape).encode())
        for array in (self.ids, self.places, self.rows, self.targets):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:32]

    def parts(self, size: int) -> Iterator["InputBlock"]:
        """Cuts it into blocks of `size` inputs, the last one smaller."""
        for start in range(0, len(self.ids), size):
            low, high = np.searchsorted(self.rows, [start, start + size])
            cut = slice(start, start + size)
            yield InputBlock(self.ids[cut], self.places[cut], self.rows[low:high] - start, self.targets[low:high])


@dataclass(frozen=True, eq=False, slots=True)
class DistinctInputs:
    """All that has to be run for some questions, each masked input once.

        the author [M]          laughs, laugh      one input, two targets: both members of a pair
        the [M]    laughs       author, baker, …   shared by all pairs with another subject

    Attributes:
        blocks: by rising length, in each the inputs in the order of their ids.
        target_of_token: of the targets of all blocks, one block after the other: int64 `[tokens]`, for the tokens of
            all questions, one question after the other.
    """

    blocks: tuple[InputBlock, ...]
    target_of_token: np.ndarray

    @property
    def n_inputs(self) -> int:
        return sum(len(block.ids) for block in self.blocks)


def distinct_inputs(questions: Sequence[MaskedQuestion], mask_id: int, block_size: int) -> DistinctInputs:
    """Finds the inputs that questions share.

    Args:
        questions: of any lengths.
        mask_id: of the mask.
        block_size: inputs of a block.
    """
    lengths = np.array([len(question.ids) for question in questions], np.int64)
    n_tokens = np.array([len(question.starts) for question in questions], np.int64)
    length_of_token = np.repeat(lengths, n_tokens)
    target_of_token = np.zeros(len(length_of_token), np.int64)
    blocks: list[InputBlock] = []
    n_targets = 0
    for length in np.unique(length_of_token):
        alike = [question for question in questions if len(question.ids) == length]
        inputs, targets = _of_one_length(alike, mask_id)
        target_of_token[length_of_token == length] = n_targets + targets
        n_targets += len(inputs.targets)
        blocks.extend(inputs.parts(block_size))
    return DistinctInputs(tuple(blocks), target_of_token)


def _of_one_length(questions: Sequence[MaskedQuestion], mask_id: int) -> tuple[InputBlock, np.ndarray]:
    """Returns the distinct inputs as one block, and the number of each token's target in it."""
    sequences = np.stack([question.ids for question in questions]).astype(np.int32)
    rows = np.repeat(np.arange(len(questions)), [len(question.starts) for question in questions])
    starts = np.concatenate([question.starts for question in questions])
    ends = np.concatenate([question.ends for question in questions])
    keys = np.empty((len(rows), sequences.shape[1] + 1), np.int32)
    keys[:, :-1], keys[:, -1] = sequences[rows], starts
    places = np.arange(sequences.shape[1])
    keys[:, :-1][(starts[:, None] <= places) & (places < ends[:, None])] = mask_id
    distinct, input_of_token = _unique_rows(keys)
    pairs, pair_of_token = np.unique(input_of_token << 32 | sequences[rows, starts], return_inverse=True)
    inputs = InputBlock(distinct[:, :-1], distinct[:, -1], pairs >> 32, pairs & 0xFFFFFFFF)
    return inputs, pair_of_token


def _unique_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the distinct rows and which of them each row is; rows are compared as bytes."""
    rows = np.ascontiguousarray(matrix).view(np.dtype((np.void, matrix.shape[1] * matrix.itemsize))).ravel()
    _, first, number = np.unique(rows, return_index=True, return_inverse=True)
    return matrix[first], number.astype(np.int64)
