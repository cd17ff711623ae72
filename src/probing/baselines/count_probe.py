"""Counts under a classifier: one outcome for each test, as the probe bank gives them."""

import numpy as np

from src.encoders.base.encoder import CountEncoder
from src.probing.bank.jobs import ProbeOutcome
from src.probing.count_classifiers.count_classifier import CountClassifier
from src.probing.suites.tests import ProbingTest


def count_outcome(encoder: CountEncoder, classifier: CountClassifier, test: ProbingTest) -> ProbeOutcome:
    """Fits the classifier to the counts of train and applies it to dev and test; nothing in it is random.

    Returns:
        Epochs are iterations of the solver, losses are left out. A test with one label in train, or with more weights
        than memory holds, has failed.
    """
    train, *others = encoder.features(test.train.items, test.dev.items, test.test.items)
    labels = np.array(test.train.label_ids)
    n_labels = len(set(labels.tolist()))
    one_label = "train has one label only" if n_labels == 1 else None
    reason = one_label or classifier.complaint(n_labels, train.shape[1])
    if reason is not None:
        return ProbeOutcome(epochs=0, best_epoch=0, dev_accuracy=float("nan"), train_losses=(), failed=reason)
    fitted = classifier.fitted(train, labels, test.name)
    dev, predicted = (fitted.predict(features) for features in others)
    return ProbeOutcome(
        epochs=fitted.n_iterations,
        best_epoch=fitted.n_iterations,
        dev_accuracy=float(np.mean(dev == np.array(test.dev.label_ids))),
        train_losses=(),
        dev_predictions=dev,
        test_predictions=predicted,
    )
