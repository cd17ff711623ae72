"""Counts on downstream tasks: a classifier, fitted to sparse features of each part or fold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from src.encoders.base.encoder import CountEncoder
from src.errors import PolyprobeError
from src.formats.probing_sets.downstream import DownstreamItem
from src.metrics.classification import accuracy
from src.probing.count_classifiers.count_classifier import CountClassifier
from src.probing.downstream.cross_validation import stratified_folds
from src.probing.downstream.features import Matrix, cosines, features_of
from src.probing.downstream.manners import CLASSIFIER
from src.probing.downstream.scored_items import label_ids, sentences_of
from src.probing.downstream.task_outcomes import TaskOutcome
from src.probing.suites.downstream_tasks import DownstreamSuite, DownstreamTask


@dataclass(frozen=True, slots=True)
class CountFit:
    """Counts, and what is fitted to them."""

    encoder: CountEncoder
    classifier: CountClassifier


def count_task_outcome(fit: CountFit, task: DownstreamTask, manner: str, suite: DownstreamSuite) -> TaskOutcome:
    """Scores a task by counts; nothing is drawn but the folds, and no L2 is chosen: the classifier names its own.

    The features of a part are learned from the sentences of train alone, each a text of its own; those that cosines
    are taken of from the sentences of their data set, for which there is no train.
    """
    if manner != CLASSIFIER:
        return TaskOutcome(_cosines(fit.encoder, task))
    if task.settings.fit == "nested_folds":
        return _by_folds(fit, task, suite)
    return TaskOutcome(_predicted(fit, task, task.parts["train"], task.parts["test"]))


def _by_folds(fit: CountFit, task: DownstreamTask, suite: DownstreamSuite) -> TaskOutcome:
    items, gold = task.items, label_ids(task, task.items)
    predictions, accuracies = np.empty_like(gold), []
    for train, test in stratified_folds(gold, suite.folds, suite.folds_seed, f"the items of {task.name}"):
        predictions[test] = _predicted(fit, task, [items[row] for row in train], [items[row] for row in test])
        accuracies.append(accuracy(gold[test], predictions[test]))
    return TaskOutcome(predictions, tuple(accuracies))


def _predicted(
    fit: CountFit, task: DownstreamTask, train: Sequence[DownstreamItem], test: Sequence[DownstreamItem]
) -> np.ndarray:
    known, asked = (features_of(*sides, task.settings.features) for sides in _sides(fit.encoder, train, test))
    labels = label_ids(task, train)
    n_labels = len(set(labels.tolist()))
    complaint = "train has one label only" if n_labels == 1 else fit.classifier.complaint(n_labels, known.shape[1])
    if complaint:
        raise PolyprobeError(f"{task.name}: {complaint}.")
    return fit.classifier.fitted(known, labels, task.name).predict(asked)


def _cosines(encoder: CountEncoder, task: DownstreamTask) -> np.ndarray:
    sets = task.parts.values() if task.settings.fit == "cosine" else [task.parts["test"]]
    return np.concatenate([cosines(*next(_sides(encoder, items))) for items in sets])


def _sides(encoder: CountEncoder, *parts: Sequence[DownstreamItem]) -> Iterator[tuple[Matrix, Matrix | None]]:
    """Yields the features of the first and, in pairs, of the second sentences of each part; the first part is train."""
    n_sides = len(parts[0][0].sentences)
    texts = [[(one,) for side in range(n_sides) for one in sentences_of(part, side)] for part in parts]
    for features in encoder.features(*texts):
        halves = _halves(features) if n_sides == 2 else (features, None)
        yield halves


def _halves(features: Matrix) -> tuple[Matrix, Matrix]:
    n = features.shape[0] // 2
    return features[:n], features[n:]
