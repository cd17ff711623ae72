"""All the chance that a probe meets, from (seed, key) alone."""

import hashlib

import numpy as np

# Dropout by comparing 16-bit numbers: the probability is met to within 1 / 131072.
LEVELS = 1 << 16
# Rows and dropout are drawn for about so many examples at a time: few calls, and still little memory.
GATHERED_EXAMPLES = 512


class ProbeRandom:
    """Three independent generators of one probe: initial weights, order of examples, dropout.

    Args:
        seed, key: of the `ProbeJob`; nothing else enters, so company and position in the bank change nothing.
    """

    def __init__(self, seed: int, key: str):
        digest = hashlib.blake2b(f"{seed}\n{key}".encode(), digest_size=16).digest()
        children = np.random.SeedSequence(int.from_bytes(digest, "little")).spawn(3)
        self._weights, self._order, self._dropout = (np.random.Generator(np.random.SFC64(child)) for child in children)

    def uniform(self, shape: tuple[int, ...], bound: float) -> np.ndarray:
        """Draws float32 numbers between -bound and bound."""
        return (self._weights.random(shape, dtype=np.float32) * 2 - 1) * np.float32(bound)

    def order(self, n_examples: int) -> np.ndarray:
        """Draws the order of an epoch: int64 `[examples]`."""
        return self._order.permutation(n_examples)

    def kept(self, count: int, dropout: float) -> np.ndarray:
        """Draws which of `count` components survive dropout: uint8, 1 where kept.

        A half costs one random bit per component, any other probability two bytes.
        """
        if dropout == 0.5:
            raw = np.frombuffer(self._dropout.bytes(-(-count // 8)), dtype=np.uint8)
            return np.unpackbits(raw, count=count)
        raw = np.frombuffer(self._dropout.bytes(2 * count), dtype=np.uint16)
        return (raw >= round(dropout * LEVELS)).view(np.uint8)


def kept_share(dropout: float) -> float:
    """Returns the share of components that `ProbeRandom.kept` keeps on average."""
    return 1 - round(dropout * LEVELS) / LEVELS


def gathered_examples(batch_size: int) -> int:
    """Returns how many examples are gathered at a time: whole mini-batches, at least one."""
    return max(1, GATHERED_EXAMPLES // batch_size) * batch_size
