"""Logistic regression on counts, by scikit-learn's L-BFGS."""

import logging
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from polyprobe.encoders.base.encoder import Features
from polyprobe.probing.count_classifiers.count_classifier import CountClassifier
from polyprobe.runs.results import LOGISTIC_REGRESSION
from polyprobe.section import AboveZero, Count, checked

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

_log = logging.getLogger(__name__)
# L-BFGS keeps about 25 copies of the weights: 8 GB at this size.
_MOST_WEIGHTS = 40_000_000


class LogisticRegressionOfCounts(CountClassifier):
    """Logistic regression with an L2 penalty.

    Args:
        inverse_penalty: C: larger penalises less.
        max_iterations: of the solver.
        scale: counts stay as they are; an experiment may say so of all probes.
    """

    name = LOGISTIC_REGRESSION

    @checked("probe")
    def __init__(self, inverse_penalty: AboveZero, max_iterations: Count, scale: Literal["none"] = "none"):
        self.settings = {"inverse_penalty": inverse_penalty, "max_iterations": max_iterations}

    def complaint(self, n_labels: int, n_features: int) -> str | None:
        if n_labels * n_features <= _MOST_WEIGHTS:
            return None
        return (
            f"{n_labels:,} labels x {n_features:,} features are more than {_MOST_WEIGHTS:,} weights; "
            "lower encoder.max_features"
        )

    def fitted(self, features: Features, labels: np.ndarray, test: str) -> "_Fit":
        from sklearn.exceptions import ConvergenceWarning  # a second; most runs fit none
        from sklearn.linear_model import LogisticRegression

        most = self.settings["max_iterations"]
        classifier = LogisticRegression(C=self.settings["inverse_penalty"], max_iter=most)
        rows, labels, weights = _compressed(features, labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            classifier.fit(rows, labels, weights)
        n_iterations = int(np.max(classifier.n_iter_))
        if n_iterations >= most:
            _log.warning("%s: %d iterations are not enough, the score may rise with more.", test, most)
        return _Fit(classifier, n_iterations)


@dataclass(frozen=True)
class _Fit:
    classifier: "LogisticRegression"
    n_iterations: int

    def predict(self, features: Features) -> np.ndarray:
        return self.classifier.predict(features).astype(np.int64)


def _compressed(features: Features, labels: np.ndarray) -> tuple[Features, np.ndarray, np.ndarray | None]:
    """Joins equal rows of a dense matrix with equal labels and weighs them: the same loss, a hundredth of the work."""
    if not isinstance(features, np.ndarray):
        return features, labels, None
    joined, counts = np.unique(np.column_stack([features, labels]), axis=0, return_counts=True)
    return joined[:, :-1], joined[:, -1].astype(labels.dtype), counts


def classifier_of_length() -> LogisticRegressionOfCounts:
    """Returns the classifier of the length baseline, as conf/probe/logistic_regression.yaml has it."""
    return LogisticRegressionOfCounts(inverse_penalty=1.0, max_iterations=1000)
