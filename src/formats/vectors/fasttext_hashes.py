"""Character n-grams of words and their hashes, as fastText computes them."""

from collections.abc import Sequence

import numpy as np

_FIRST, _PRIME = np.uint32(2166136261), np.uint32(16777619)
_END_OF_SENTENCE = "</s>"


def ngram_hashes(words: Sequence[str], min_n: int, max_n: int) -> tuple[np.ndarray, np.ndarray]:
    """Hashes all character n-grams of the words, each between `<` and `>`.

    The hash is FNV-1a, 32 bits, over the bytes of UTF-8, each sign-extended first, as in the published program: for
    letters outside ASCII it differs from plain FNV-1a. The marks alone are not n-grams; a whole word with its
    marks is one if its length allows it. `</s>`, the end of a sentence, has none. A word may hold lone surrogates.

    Args:
        words: any.
        min_n, max_n: shortest and longest n-gram, in characters.

    Returns:
        For each n-gram the position of its word in `words` (int64), and its hash (uint32): by word, by first character,
        by length.
    """
    symbols, starts, owners = _characters(words)
    lengths = np.diff(starts, append=len(symbols))
    ends_word = np.diff(owners, append=-1) != 0
    starts_word = np.diff(owners, prepend=-1) != 0
    running = np.full(len(starts), _FIRST)
    hashes, is_ngram = [], []
    for n in range(1, max_n + 1):
        last = np.arange(len(starts)) + n - 1
        is_inside = last < len(starts)
        last = np.minimum(last, max(len(starts) - 1, 0))
        is_inside &= owners[last] == owners
        running = _with_character(running, symbols, starts[last], lengths[last])
        if n >= min_n:
            is_mark = (starts_word | ends_word) if n == 1 else False
            hashes.append(running)
            is_ngram.append(is_inside & ~np.broadcast_to(is_mark, is_inside.shape))
    if not hashes:
        return np.empty(0, np.int64), np.empty(0, np.uint32)
    chosen = np.stack(is_ngram, 1)
    return np.repeat(owners, chosen.sum(1)), np.stack(hashes, 1)[chosen]


def _characters(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the sign-extended bytes of all marked words, where characters start, and each character's word."""
    contents = [f"<{word}>".encode("utf-8", "surrogatepass") if word != _END_OF_SENTENCE else b"" for word in words]
    content = np.frombuffer(b"".join(contents), np.int8)
    word_of_byte = np.repeat(np.arange(len(words)), [len(content) for content in contents])
    starts = np.flatnonzero((content.view(np.uint8) & 0xC0) != 0x80)
    return content.astype(np.int32).view(np.uint32), starts, word_of_byte[starts]


def _with_character(running: np.ndarray, symbols: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Extends each hash by the bytes of one character, one to four."""
    for byte in range(lengths.max(initial=0)):
        stepped = (running ^ symbols[np.minimum(starts + byte, len(symbols) - 1)]) * _PRIME
        running = np.where(byte < lengths, stepped, running)
    return running
