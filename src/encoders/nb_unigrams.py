"""Tf-idf of words under naive Bayes: count baselines of SentEval (Conneau et al. 2018)."""

from collections.abc import Sequence
from typing import Any

from scipy.sparse import csr_matrix

from src.encoders.base.count_encoder import CountEncoder
from src.encoders.base.fingerprint import fingerprint
from src.encoders.base.naive_bayes import NaiveBayes
from src.encoders.base.tfidf_features import TfIdfFeatures
from src.items import Item

_VERSION = 1


class NaiveBayesTfIdf(CountEncoder):
    """Tf-idf under naive Bayes: the rows "NB-uni-tfidf" and "NB-bi-tfidf" of Conneau et al. (2018, Tables 2 and 4).

    The article names neither the variant nor smoothing nor vocabulary; conf/encoder/nb_unigrams.yaml says ours.

    Args:
        variant, smoothing: of `NaiveBayes`.
        features: the arguments of `TfIdfFeatures`.

    Raises:
        BadValue, UnknownChoice: an option is out of its range.
        PolyprobeError: the tokenizer cannot be read.
    """

    def __init__(self, variant: str, smoothing: float, **features: Any):
        self.classifier = NaiveBayes(variant, smoothing)
        self._features = TfIdfFeatures(**features)
        self.layers = (self._features.layer,)
        settings = {**self._features.settings, **self.classifier.settings}
        self.fingerprint = fingerprint("naive_bayes_tfidf", _VERSION, **settings)

    def features(self, train: Sequence[tuple[Item, ...]], *others: Sequence[tuple[Item, ...]]) -> list[csr_matrix]:
        return self._features.of(train, *others)
