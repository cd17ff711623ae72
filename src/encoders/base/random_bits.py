"""Random bits from hashes, by integer arithmetic alone: the same on every machine and under every numpy."""

import hashlib
from collections.abc import Sequence

import numpy as np


def text_hashes(texts: Sequence[str]) -> np.ndarray:
    """Returns the 64-bit hash of each text, uint64."""
    digests = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def random_bits(hashes: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Returns `[hashes, count]` of 64 random bits each, uint64: a counter-based generator, started by each hash."""
    starts = _mixed(hashes ^ _mixed(np.array([seed], np.uint64)))
    steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return _mixed(starts[:, None] + steps[None, :])


def _mixed(values: np.ndarray) -> np.ndarray:
    """Mixes the bits of each uint64 (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
