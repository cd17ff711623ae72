"""Which pieces of a sentence a masked model scores, which are masked along with each, and the inputs that this makes.

Distinct masked inputs of many questions come in blocks, with the pieces that are to be scored at them.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import add

import numpy as np

from polyprobe.encoders.transformer.pieces import SentencePieces, WordPieces

SEVERAL_WORDS = "several critical words"
SEVERAL_PIECES = "form of several pieces"
UNKNOWN = "OOV form"
NOTHING = "no piece that counts"
TOO_LONG = "longer than the model takes"

_WORD_STARTS = ("Ġ", "▁")
_KEPT_WORDS = 100_000

Masks = tuple[np.ndarray, np.ndarray]


def one_by_one(pieces: SentencePieces) -> Masks:
    """Masks each piece alone.

    Returns:
        The pieces to be scored, and the piece after which the masks of each end: int64 `[tokens]`.
    """
    starts = np.arange(len(pieces.ids))
    return starts, starts + 1


class WithinWords:
    """Masks each piece with all later pieces of its word (Kauf and Ivanova 2023, "within_word_l2r").

    A word is a unit that the tokenizer itself splits off at blanks and punctuation: "souvenir." is two for BERT and
    RoBERTa, one for XLM-R, which splits at blanks alone. A word whose pieces in the sentence differ from those as a
    text by itself is one word.
    """

    def __init__(self, pieces: WordPieces):
        self._pieces = pieces
        self._of_text = lru_cache(_KEPT_WORDS)(self._parted)

    def __call__(self, words: Sequence[str], pieces: SentencePieces) -> Masks:
        """Returns masks as `one_by_one` does."""
        borders = np.searchsorted(pieces.words, np.arange(len(words) + 1))
        ends = np.empty(len(pieces.ids), np.int64)
        blanks = [self._pieces.first_blank, *[self._pieces.blank] * (len(words) - 1)]
        for text, start, end in zip(map(add, blanks, words), borders[:-1].tolist(), borders[1:].tolist(), strict=True):
            ids, inner_ends = self._of_text(text)
            ends[start:end] = start + inner_ends if np.array_equal(ids, pieces.ids[start:end]) else end
        return np.arange(len(pieces.ids)), ends

    def _parted(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        """Returns the pieces of a text and where the tokenizer's own word of each ends: int64 `[pieces]`."""
        encoding = self._pieces.backend.encode(text, add_special_tokens=False)
        numbers = np.array(encoding.word_ids, np.int64)
        return np.array(encoding.ids, np.int64), np.searchsorted(numbers, numbers, side="right")


def _covering(pieces: SentencePieces, span: tuple[int, int]) -> tuple[int, int]:
    """Returns the span of the pieces that cover a word of a span, or part of one."""
    lasts = pieces.words if pieces.last_words is None else pieces.last_words
    return int(np.searchsorted(lasts, span[0])), int(np.searchsorted(pieces.words, span[1]))


class FocusPieces:
    """Says how the focus words of a sentence are scored, or why they cannot be.

    A single word of one piece is masked (Goldberg 2019). Anything else is refused, or, with `multi_token`, all
    the pieces of the span are scored from left to right, each with itself and the later ones masked.
    """

    def __init__(self, pieces: WordPieces, multi_token: bool):
        self._pieces, self._multi_token = pieces, multi_token

    def masks(self, pieces: SentencePieces, span: tuple[int, int]) -> Masks:
        """Returns masks as `one_by_one` does, for the pieces of the words of the span."""
        start, end = _covering(pieces, span)
        return np.arange(start, end), np.full(end - start, end)

    def refusal(self, pieces: SentencePieces, span: tuple[int, int]) -> str:
        """Says why a form cannot be scored; "" where it can. Of characters their pieces count, however many they are.

        A vocabulary that marks where a word begins has to have the form with the mark, or as it begins a text.
        """
        of_characters = pieces.last_words is not None
        if span[1] - span[0] > 1 and not self._multi_token and not of_characters:
            return SEVERAL_WORDS
        start, end = _covering(pieces, span)
        ids = pieces.ids[start:end].tolist()
        if not ids or self._pieces.unknown in ids or not (of_characters or self._begins_word(ids[0], start == 0)):
            return UNKNOWN
        return SEVERAL_PIECES if len(ids) > 1 and not self._multi_token else ""

    def _begins_word(self, piece: int, is_first: bool) -> bool:
        return self._pieces.backend.id_to_token(piece).startswith(self._marks[is_first])

    @cached_property
    def _marks(self) -> tuple[str, str]:
        """The marks of the vocabulary's pieces that begin a word, and the first word of a sentence; "" for none."""
        texts = [self._pieces.blank + "a", self._pieces.first_blank + "a"]
        read = (self._pieces.backend.encode([text], is_pretokenized=True, add_special_tokens=False) for text in texts)
        return tuple(one.tokens[0][0] if one.tokens[0].startswith(_WORD_STARTS) else "" for one in read)


@dataclass(frozen=True, eq=False, slots=True)
class MaskedQuestion:
    """The pieces of a sentence, and those to be scored among them; none if it is refused."""

    pieces: SentencePieces
    starts: np.ndarray
    """Places of the pieces to be scored, each with the masks up to `ends`: int64 `[tokens]`."""
    ends: np.ndarray
    """After the last mask: int64 `[tokens]`."""
    refusal: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class InputBlock:
    """Distinct masked inputs of one length, and the pieces that are to be scored at them."""

    ids: np.ndarray
    """Int32 `[inputs, pieces]`."""
    places: np.ndarray
    """The masked piece of each that is to be scored: int32 `[inputs]`."""
    rows: np.ndarray
    """The input of each target, ascending: int64 `[targets]`."""
    targets: np.ndarray
    """Ids of pieces, distinct at each input: int64 `[targets]`."""

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
    """

    blocks: tuple[InputBlock, ...]
    """By rising length, in each the inputs in the order of their ids."""
    target_of_token: np.ndarray
    """Of the targets of all blocks, one block after the other: int64 `[tokens]`, for the tokens of all questions, one
    question after the other."""

    @property
    def n_inputs(self) -> int:
        return sum(len(block.ids) for block in self.blocks)


def distinct_inputs(questions: Sequence[MaskedQuestion], tokenizer: WordPieces, block_size: int) -> DistinctInputs:
    """Finds the inputs that questions share.

    Args:
        tokenizer: whose special tokens surround the pieces of every input.
    """
    lengths = np.array([len(question.pieces.ids) for question in questions], np.int64)
    n_tokens = np.array([len(question.starts) for question in questions], np.int64)
    length_of_token = np.repeat(lengths, n_tokens)
    target_of_token = np.zeros(len(length_of_token), np.int64)
    blocks: list[InputBlock] = []
    n_targets = 0
    for length in np.unique(length_of_token):
        alike = [question for question in questions if len(question.pieces.ids) == length]
        inputs, targets = _of_one_length(alike, tokenizer)
        target_of_token[length_of_token == length] = n_targets + targets
        n_targets += len(inputs.targets)
        blocks.extend(inputs.parts(block_size))
    return DistinctInputs(tuple(blocks), target_of_token)


def _of_one_length(questions: Sequence[MaskedQuestion], tokenizer: WordPieces) -> tuple[InputBlock, np.ndarray]:
    """Returns the distinct inputs as one block, and the number of each token's target in it."""
    prefix, suffix = tokenizer.prefix, tokenizer.suffix
    sequences = np.stack([np.concatenate([prefix, one.pieces.ids, suffix]) for one in questions]).astype(np.int32)
    rows = np.repeat(np.arange(len(questions)), [len(question.starts) for question in questions])
    starts = np.concatenate([question.starts for question in questions]) + len(prefix)
    ends = np.concatenate([question.ends for question in questions]) + len(prefix)
    keys = np.empty((len(rows), sequences.shape[1] + 1), np.int32)
    keys[:, :-1], keys[:, -1] = sequences[rows], starts
    places = np.arange(sequences.shape[1])
    keys[:, :-1][(starts[:, None] <= places) & (places < ends[:, None])] = tokenizer.mask_id
    distinct, input_of_token = _unique_rows(keys)
    pairs, pair_of_token = np.unique(input_of_token << 32 | sequences[rows, starts], return_inverse=True)
    inputs = InputBlock(distinct[:, :-1], distinct[:, -1], pairs >> 32, pairs & 0xFFFFFFFF)
    return inputs, pair_of_token


def _unique_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the distinct rows and which of them each row is; rows are compared as bytes."""
    rows = np.ascontiguousarray(matrix).view(np.dtype((np.void, matrix.shape[1] * matrix.itemsize))).ravel()
    _, first, number = np.unique(rows, return_index=True, return_inverse=True)
    return matrix[first], number.astype(np.int64)
