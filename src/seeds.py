"""Seeds for independent generators, each from (seed, what it is for)."""

import hashlib


def derived_seed(seed: int, *purpose: str | int) -> int:
    """Returns a number below 2**63 that depends on the seed and its purpose, and on nothing else.

    Neighbouring seeds and purposes have unrelated numbers, independent of the order of other draws.
    """
    text = "\x1f".join(map(str, (seed, *purpose)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1
