"""Naive Bayes on weighted counts, multinomial or complement, with a sparse table of labels and features."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_matrix

from polyprobe.encoders.base.encoder import Features
from polyprobe.probing.count_classifiers.count_classifier import CountClassifier
from polyprobe.runs.results import NAIVE_BAYES
from polyprobe.section import AboveZero, checked


class NaiveBayes(CountClassifier):
    """Naive Bayes, as `MultinomialNB` and `ComplementNB` of scikit-learn, where features may be weights such as tf-idf.

    scikit-learn keeps a number for every pair of label and feature: 7 GB for the bigrams of 100,000 sentences and the
    thousand labels of word content, three times over. What a label has no count of differs by a constant alone, so
    here only the pairs that occur are kept. The sums are the same.

    Args:
        variant: "multinomial": the label that makes the example likeliest, by the frequencies of the labels in train;
            "complement": the one whose other labels make it least likely, whatever the frequencies (Rennie et al.
            2003, without their weight normalisation).
        smoothing: added to the count of every pair of label and feature.
        scale: counts stay as they are; an experiment may say so of all probes.
    """

    name = NAIVE_BAYES

    @checked("probe")
    def __init__(
        self, variant: Literal["multinomial", "complement"], smoothing: AboveZero, scale: Literal["none"] = "none"
    ):
        self.settings = {"variant": variant, "smoothing": smoothing}

    def fitted(self, features: Features, labels: np.ndarray, test: str) -> "FittedNaiveBayes":
        classes, positions = np.unique(labels, return_inverse=True)
        shape = (len(classes), len(labels))
        of_class = csr_matrix((np.ones(len(labels)), (positions, np.arange(len(labels)))), shape)
        counts = (of_class @ csr_matrix(features)).tocsr()
        fit = _multinomial if self.settings["variant"] == "multinomial" else _complement
        priors = np.log(np.bincount(positions) / len(labels))
        return fit(classes, priors, counts, self.settings["smoothing"])


@dataclass(frozen=True)
class FittedNaiveBayes:
    """Naive Bayes after train."""

    classes: np.ndarray
    """Label ids, `[labels]`."""
    gains: csr_matrix
    """What a unit of a feature gives a label beyond `base`, in nats: sparse `[labels, features]`."""
    base: np.ndarray
    """What a unit of any feature gives a label, `[labels]`."""
    priors: np.ndarray
    """What a label has before any feature, `[labels]`."""
    n_iterations: int = 1
    """One; nothing is iterated."""

    def predict(self, features: Features) -> np.ndarray:
        """Returns the label id with the highest score, of equals the smallest."""
        return self.classes[np.argmax(self.scores(features), axis=1)].astype(np.int64)

    def scores(self, features: Features) -> np.ndarray:
        """Returns `[examples, labels]` in nats.

        They are log P(label, example) under the multinomial variant; under the other one they lack a term of the
        example that all labels share.
        """
        features = csr_matrix(features)
        weights = np.asarray(features.sum(axis=1))
        return (features @ self.gains.T).toarray() + weights * self.base + self.priors


def _multinomial(classes: np.ndarray, priors: np.ndarray, counts: csr_matrix, smoothing: float) -> FittedNaiveBayes:
    """Takes log((count + smoothing) / total), with smoothed totals, apart: log(1 + count / smoothing) and the rest."""
    totals = np.asarray(counts.sum(axis=1)).ravel() + smoothing * counts.shape[1]
    gains = counts.copy()
    gains.data = np.log1p(counts.data / smoothing)
    return FittedNaiveBayes(classes, gains, np.log(smoothing) - np.log(totals), priors)


def _complement(classes: np.ndarray, priors: np.ndarray, counts: csr_matrix, smoothing: float) -> FittedNaiveBayes:
    """Does likewise with the counts of all other labels: smoothed count of all, less that of the label."""
    of_all = np.asarray(counts.sum(axis=0)).ravel() + smoothing
    totals = of_all.sum() - np.asarray(counts.sum(axis=1)).ravel()
    gains = counts.copy()
    gains.data = -np.log1p(-counts.data / of_all[counts.indices])
    return FittedNaiveBayes(classes, gains, np.log(totals), np.zeros_like(priors))
