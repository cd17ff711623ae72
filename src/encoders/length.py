"""Length alone: the baseline of a classifier that only sees how many words or characters there are."""

from collections.abc import Sequence

import numpy as np

from src.encoders.base.encoder import CountEncoder, Layer, fingerprint
from src.items import Form, Item, Sentence, TokenInContext

_VERSION = 2


class Length(CountEncoder):
    """Counts the words of a sentence, the characters of a form; a token in context is its form (SentEval's "Length").

    Lengths are standardised by the mean and the deviation of train. A pair has two. Characters are code points: the
    NFD spelling of a form is longer than the NFC one.
    """

    layers = (Layer("length", 1),)
    own_probe = "logistic_regression"
    fingerprint = fingerprint("length", _VERSION)

    def features(self, train: Sequence[tuple[Item, ...]], *others: Sequence[tuple[Item, ...]]) -> list[np.ndarray]:
        lengths = [_lengths(split) for split in (train, *others)]
        mean, deviation = lengths[0].mean(axis=0), lengths[0].std(axis=0)
        return [(split - mean) / np.where(deviation > 0, deviation, 1.0) for split in lengths]


def _lengths(examples: Sequence[tuple[Item, ...]]) -> np.ndarray:
    """Returns `[examples, parts]`."""
    return np.array([[_length(item) for item in items] for items in examples], float)


def _length(item: Item) -> int:
    if isinstance(item, Sentence):
        return len(item.words)
    return len(item.form if isinstance(item, Form) else _form(item))


def _form(token: TokenInContext) -> str:
    return token.words[token.index]
