"""Count encoders under logistic regression: one outcome for each test, as the probe bank gives them."""

import logging
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from src.encoders.base.count_encoder import CountEncoder, Features
from src.probing.bank.jobs import ProbeOutcome
from src.probing.suites.tests import ProbingTest

_log = logging.getLogger(__name__)
# L-BFGS keeps about 25 copies of the weights: 8 GB at this size.
_MOST_WEIGHTS = 40_000_000


def count_outcome(encoder: CountEncoder, test: ProbingTest) -> ProbeOutcome:
    """Fits a logistic regression on the counts of train and applies it to dev and test; nothing in it is random.

    Returns:
        Epochs are iterations of the solver, losses are left out. A test with one label in train, or with more weights
        than memory holds, has failed.
    """
    train, *others = encoder.features(test.train.items, test.dev.items, test.test.items)
    labels = np.array(test.train.label_ids)
    reason = _complaint(train, labels)
    if reason is not None:
        return ProbeOutcome(epochs=0, best_epoch=0, dev_accuracy=float("nan"), train_losses=(), failed=reason)
    classifier = _fitted(encoder, train, labels, test.name)
    dev, predicted = (classifier.predict(features).astype(np.int64) for features in others)
    n_iterations = int(np.max(classifier.n_iter_))
    return ProbeOutcome(
        epochs=n_iterations,
        best_epoch=n_iterations,
        dev_accuracy=float(np.mean(dev == np.array(test.dev.label_ids))),
        train_losses=(),
        dev_predictions=dev,
        test_predictions=predicted,
    )


def _complaint(features: Features, labels: np.ndarray) -> str | None:
    n_labels = len(set(labels.tolist()))
    if n_labels == 1:
        return "train has one label only"
    if n_labels * features.shape[1] > _MOST_WEIGHTS:
        return (
            f"{n_labels:,} labels x {features.shape[1]:,} features are more than {_MOST_WEIGHTS:,} weights; "
            "lower encoder.max_features"
        )
    return None


def _fitted(encoder: CountEncoder, features: Features, labels: np.ndarray, name: str) -> LogisticRegression:
    classifier = LogisticRegression(C=encoder.inverse_penalty, max_iter=encoder.max_iterations)
    rows, labels, weights = _compressed(features, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(rows, labels, weights)
    if np.max(classifier.n_iter_) >= encoder.max_iterations:
        _log.warning("%s: %d iterations are not enough, the score may rise with more.", name, encoder.max_iterations)
    return classifier


def _compressed(features: Features, labels: np.ndarray) -> tuple[Features, np.ndarray, np.ndarray | None]:
    """Joins equal rows of a dense matrix with equal labels and weighs them: the same loss, a hundredth of the work."""
    if not isinstance(features, np.ndarray):
        return features, labels, None
    joined, counts = np.unique(np.column_stack([features, labels]), axis=0, return_counts=True)
    return joined[:, :-1], joined[:, -1].astype(labels.dtype), counts
