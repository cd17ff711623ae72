"""Tf-idf of characters, words or pieces: the count baselines of RuSentEval."""

from collections.abc import Sequence
from typing import Any

from scipy.sparse import csr_matrix

from src.encoders.base.count_encoder import CountEncoder
from src.encoders.base.fingerprint import fingerprint
from src.encoders.base.tfidf_features import TfIdfFeatures
from src.items import Item

_VERSION = 2


class TfIdf(CountEncoder):
    """Tf-idf: the count baselines of RuSentEval (Mikhailov et al. 2021), under any probe.

    Args:
        features: the arguments of `TfIdfFeatures`. The paper's range of n-grams is lost in our copy; the released code
            takes 1 to 4 for every unit, as does conf/encoder/tfidf.yaml.

    Raises:
        BadValue, UnknownChoice: an option is out of its range.
        PolyprobeError: the tokenizer cannot be read.
    """

    def __init__(self, **features: Any):
        self._features = TfIdfFeatures(**features)
        self.layers = (self._features.layer,)
        self.fingerprint = fingerprint("tfidf", _VERSION, **self._features.settings)

    def features(self, train: Sequence[tuple[Item, ...]], *others: Sequence[tuple[Item, ...]]) -> list[csr_matrix]:
        return self._features.of(train, *others)
