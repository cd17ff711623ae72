"""Hashed character n-grams with fixed random vectors: the baseline of spelling alone."""

import math

import numpy as np

from polyprobe.encoders.base.encoder import Layer, fingerprint
from polyprobe.encoders.base.word_encoder import WordEncoder
from polyprobe.encoders.random import random_bits
from polyprobe.errors import check_at_least
from polyprobe.formats.reading.case import Lowercase, case_rule
from polyprobe.section import Count, Seed, checked

_VERSION = 2
# Marks lie above the last Unicode code point: no character of a form equals one.
_START, _END = 0x110000, 0x110001


class CharNgrams(WordEncoder):
    """Sums one fixed random vector per character n-gram of a word and divides by the root of a constant count.

    A word is read with a start and an end mark. Each n-gram, known or not, has `width` random signs, drawn from its
    64-bit hash and the seed by integer arithmetic alone: the same on every machine and under every numpy. Sums of
    signs are exact, so a vector is bit for bit the same in any batch. The constant brings components near
    1 without hiding the number of n-grams: a longer word has a longer vector.

    Nothing is normalised: NFC and NFD spellings of a word have different vectors.

    Args:
        width: numbers per vector.
        min_n, max_n: shortest and longest n-gram, in code points; a marked word shorter than `min_n` is one n-gram.
        lowercase, dotless_i: see `case_rule`.
        seed: of the signs.
    """

    name_in_messages = "char_ngrams"
    items_at_once = 2048

    @checked("encoder")
    def __init__(self, width: Count, min_n: Count, max_n: int, lowercase: Lowercase, dotless_i: bool, seed: Seed):
        check_at_least("encoder.max_n", max_n, min_n)
        self.width, self.min_n, self.max_n, self.seed = width, min_n, max_n, seed
        self.case = case_rule(lowercase, dotless_i)
        self.layers = (Layer("char_ngrams", width),)
        self.fingerprint = fingerprint(
            "char_ngrams", _VERSION, width=width, min_n=min_n, max_n=max_n, case=self.case, seed=seed
        )

    def word_vectors(self, words: list[str]) -> np.ndarray:
        """Returns `[words, width]` float32."""
        from scipy.sparse import csr_matrix  # a finished run is shown again without it

        owners, hashes = _hashed_ngrams(words, self.min_n, self.max_n)
        distinct, columns = np.unique(hashes, return_inverse=True)
        counts = csr_matrix((np.ones(len(owners), np.float32), (owners, columns)), (len(words), len(distinct)))
        return (counts @ _signs(distinct, self.width, self.seed)) / np.float32(_TYPICAL_NORM)


# A word of ten letters has about 24 n-grams of three to five; a constant, so that the length stays visible.
_TYPICAL_NORM = math.sqrt(24)


def _hashed_ngrams(words: list[str], min_n: int, max_n: int) -> tuple[np.ndarray, np.ndarray]:
    """Hashes all n-grams of the marked words.

    Returns:
        For each n-gram the position of its word in `words`, and its hash (uint64).
    """
    symbols, lengths = _marked_symbols(words)
    word_ids = np.repeat(np.arange(len(words)), lengths)
    symbols_left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(symbols))
    owners, hashes = [], []
    running = np.full(len(symbols), 0xCBF29CE484222325, np.uint64)  # FNV-1a, a code point per step
    for n in range(1, max_n + 1):
        running = (running[: len(symbols) - n + 1] ^ symbols[n - 1 :]) * np.uint64(0x100000001B3)
        begins = symbols_left[: len(running)] >= n
        if n < min_n:  # only words that end here, too short for any n-gram
            begins &= (symbols_left == lengths[word_ids])[: len(running)] & (lengths[word_ids] == n)[: len(running)]
        owners.append(word_ids[: len(running)][begins])
        hashes.append(running[begins])
    return np.concatenate(owners), np.concatenate(hashes)


def _marked_symbols(words: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Returns the code points of all words, each between its marks (uint64), and the length of each with its marks."""
    text = "".join(f"\0{word}\0" for word in words)
    symbols = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
    lengths = np.array([len(word) + 2 for word in words], np.int64)
    ends = np.cumsum(lengths)
    symbols[ends - 1], symbols[ends - lengths] = _END, _START
    return symbols, lengths


def _signs(hashes: np.ndarray, width: int, seed: int) -> np.ndarray:
    """Returns `[hashes, width]` of -1 and 1."""
    words = random_bits(hashes, math.ceil(width / 64), seed).astype("<u8")
    bits = np.unpackbits(words.view(np.uint8), axis=1, count=width)
    return bits.astype(np.float32) * 2 - 1
