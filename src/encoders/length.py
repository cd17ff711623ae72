"""Length alone: the baseline of a classifier that only sees how many words or characters there are."""

from collections.abc import Sequence

import numpy as np

from polyprobe.encoders.base.encoder import CountEncoder, Layer, fingerprint
from polyprobe.items import Item, Sentence, words_of

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
        # For each split `[examples, parts]`.
        lengths = [np.array([[*map(_length, items)] for items in split], float) for split in (train, *others)]
        mean, deviation = lengths[0].mean(axis=0), lengths[0].std(axis=0)
        return [(split - mean) / np.where(deviation > 0, deviation, 1.0) for split in lengths]


def _length(item: Item) -> int:
    return len(item.words if isinstance(item, Sentence) else words_of(item)[0])
