"""Which pieces of a sentence a masked model scores, and which are masked along with each."""

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np

from src.encoders.transformer.pieces import SentencePieces, WordPieces

SEVERAL_WORDS = "several focus words"
SEVERAL_PIECES = "form of several pieces"
UNKNOWN = "form unknown to the vocabulary"
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

    Args:
        pieces: of the model.
    """

    def __init__(self, pieces: WordPieces):
        self._pieces = pieces
        self._of_word = lru_cache(_KEPT_WORDS)(self._parted)

    def __call__(self, words: Sequence[str], pieces: SentencePieces) -> Masks:
        """Returns masks as `one_by_one` does."""
        borders = np.searchsorted(pieces.words, np.arange(len(words) + 1))
        ends = np.empty(len(pieces.ids), np.int64)
        for word, start, end in zip(words, borders[:-1].tolist(), borders[1:].tolist(), strict=True):
            ids, inner_ends = self._of_word(word)
            ends[start:end] = start + inner_ends if np.array_equal(ids, pieces.ids[start:end]) else end
        return np.arange(len(pieces.ids)), ends

    def _parted(self, word: str) -> tuple[np.ndarray, np.ndarray]:
        """Returns the pieces of a word and where the tokenizer's own word of each ends: int64 `[pieces]`."""
        encoding = self._pieces.backend.encode(self._pieces.blank + word, add_special_tokens=False)
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

    Args:
        pieces: of the model.
        multi_token: see above.
    """

    def __init__(self, pieces: WordPieces, multi_token: bool):
        self._pieces, self._multi_token = pieces, multi_token

    def masks(self, pieces: SentencePieces, span: tuple[int, int]) -> Masks:
        """Returns masks as `one_by_one` does, for the pieces of the words of the span."""
        start, end = _covering(pieces, span)
        return np.arange(start, end), np.full(end - start, end)

    def refusal(self, pieces: SentencePieces, span: tuple[int, int]) -> str:
        """Says why a form cannot be scored; "" where it can. Of characters their pieces count, however many they are.

        A vocabulary that marks where a word begins has to have the form with the mark.
        """
        of_characters = pieces.last_words is not None
        if span[1] - span[0] > 1 and not self._multi_token and not of_characters:
            return SEVERAL_WORDS
        start, end = _covering(pieces, span)
        ids = pieces.ids[start:end].tolist()
        if self._pieces.unknown in ids or not (of_characters or self._begins_word(ids[0])):
            return UNKNOWN
        return SEVERAL_PIECES if len(ids) > 1 and not self._multi_token else ""

    def _begins_word(self, piece: int) -> bool:
        return self._pieces.backend.id_to_token(piece).startswith(self._mark)

    @cached_property
    def _mark(self) -> str:
        """The mark of the vocabulary's pieces that begin a word; "" for none."""
        backend, blank = self._pieces.backend, self._pieces.blank
        first = backend.encode([blank + "a"], is_pretokenized=True, add_special_tokens=False).tokens[0]
        return first[0] if first.startswith(_WORD_STARTS) else ""
