"""Random vectors, one per word type: they only identify words, so a probe can do no more than memorise."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from polyprobe.encoders.base.encoder import Encoder, Layer, fingerprint
from polyprobe.encoders.base.word_encoder import WordEncoder
from polyprobe.formats.reading.case import Lowercase, case_rule
from polyprobe.section import Count, Seed, checked

_VERSION = 1


class RandomLayers(WordEncoder):
    """Draws a vector of standard normal numbers for each word type and layer, from the word's hash and the seed.

    Nothing is normalised: NFC and NFD spellings of a word have unrelated vectors.

    Args:
        case: the rule by which words are lower-cased first, see `case_rule`.
    """

    name_in_messages = "random"
    items_at_once = 2048

    @checked("encoder")
    def __init__(self, layers: Sequence[Layer], case: str, seed: Seed):
        self.layers, self.case, self.seed = tuple(layers), case, seed
        shapes = [asdict(layer) for layer in layers]
        self.fingerprint = fingerprint("random", _VERSION, layers=shapes, case=case, seed=seed)

    def word_vectors(self, words: list[str]) -> np.ndarray:
        """Returns the vectors of all layers side by side: `[words, widths]`, float32."""
        from scipy.special import ndtri  # a finished run is shown again without it

        width = sum(layer.width for layer in self.layers)
        shares = ((random_bits(text_hashes(words), width, self.seed) >> np.uint64(11)) + 0.5) / 2**53
        return ndtri(shares).astype(np.float32)


class RandomVectors(RandomLayers):
    """Draws one random vector for each word type; see `RandomLayers`, also for NFC and NFD.

    Args:
        width: numbers per vector.
        lowercase, dotless_i: see `case_rule`.
    """

    @checked("encoder")
    def __init__(self, width: Count, seed: Seed, lowercase: Lowercase, dotless_i: bool):
        super().__init__((Layer("random", width),), case_rule(lowercase, dotless_i), seed)


def random_counterpart(encoder: Encoder, seed: int) -> Encoder:
    """Returns the random baseline of an encoder, for the part of its scores that is due to its architecture alone.

    Returns:
        The same architecture with fresh weights, where the encoder has one; else a random vector per word type in
        layers of the same names and widths. Words are distinguished as the encoder does that has a `case`. A
        checkpoint's counterpart has each layer once, not once per epoch: its layers are found by their names.
    """
    return encoder.randomised(seed) or RandomLayers(encoder.layers, getattr(encoder, "case", "kept"), seed)


def text_hashes(texts: Sequence[str]) -> np.ndarray:
    """Returns the 64-bit hash of each text, uint64."""
    digests = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def random_bits(hashes: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Returns `[hashes, count]` of 64 random bits each, uint64: a counter-based generator, started by each hash.

    Integer arithmetic alone: the same on every machine and under every numpy.
    """
    starts = _mixed(hashes ^ _mixed(np.array([seed], np.uint64)))
    steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return _mixed(starts[:, None] + steps[None, :])


def _mixed(values: np.ndarray) -> np.ndarray:
    """Mixes the bits of each uint64 (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
