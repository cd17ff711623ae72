"""Vectors of one layer, or counts, on one downstream task: features, fits, predictions.

Vectors are fitted in the bank, counts by a classifier of counts to sparse features of each part or fold.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy.sparse import csr_matrix, hstack, issparse

from polyprobe.encoders.base.encoder import CountEncoder
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.digest import content_version
from polyprobe.formats.probing_sets.downstream import DownstreamItem
from polyprobe.metrics.classification import accuracy
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.count_classifiers.count_classifier import CountClassifier
from polyprobe.probing.downstream.cross_validation import (
    FitOutcome,
    LabelledRows,
    Train,
    fit_settings,
    k_fold_then_test,
    nested_cross_validation,
    split_then_test,
    stratified_folds,
)
from polyprobe.probing.downstream.score_regression import score_regression
from polyprobe.probing.downstream.settings import DownstreamSettings
from polyprobe.probing.downstream.task_outcomes import (
    CLASSIFIER,
    COSINE,
    REGRESSION,
    TaskOutcome,
    gold_scores,
    label_ids,
    scored_items,
    sentences_of,
)
from polyprobe.probing.item_vectors import LayerVectors
from polyprobe.probing.stages import layer_and_epoch
from polyprobe.probing.suites.downstream_tasks import DownstreamSuite, DownstreamTask

Matrix = np.ndarray | csr_matrix


def features_of(first: Matrix, second: Matrix | None, names: Sequence[str]) -> Matrix:
    """Joins features of one or two sentences.

    Args:
        first: of the first sentences, `[items, width]`.
        second: of the second ones; None where an item has one sentence.
        names: what is joined, in this order: "first", "second", "difference" (|u - v|), "product" (u * v).

    Returns:
        `[items, width x names]`.
    """
    parts = [_part(first, second, name) for name in names]
    if len(parts) == 1:
        return parts[0]
    return hstack(parts).tocsr() if issparse(first) else np.concatenate(parts, axis=1)


def cosines(first: Matrix, second: Matrix) -> np.ndarray:
    """Returns the cosine of each pair, float64 `[items]`; NaN where a vector has no length."""
    first, second = first.astype(np.float64), second.astype(np.float64)
    products = _sums(_product(first, second))
    lengths = np.sqrt(_sums(_product(first, first)) * _sums(_product(second, second)))
    return np.divide(products, lengths, out=np.full(len(products), np.nan), where=lengths > 0)


def _part(first: Matrix, second: Matrix | None, name: str) -> Matrix:
    if name in ("first", "second"):
        return first if name == "first" else second
    return abs(first - second) if name == "difference" else _product(first, second)


def _product(first: Matrix, second: Matrix) -> Matrix:
    return first.multiply(second).tocsr() if issparse(first) else first * second


def _sums(matrix: Matrix) -> np.ndarray:
    return np.asarray(matrix.sum(axis=1)).ravel()


def count_task_outcome(
    encoder: CountEncoder, classifier: CountClassifier, task: DownstreamTask, manner: str, suite: DownstreamSuite
) -> TaskOutcome:
    """Scores a task by counts; nothing is drawn but the folds, and no L2 is chosen: the classifier names its own.

    The features of a part are learned from the sentences of train alone, each a text of its own; those that cosines
    are taken of from the sentences of their data set, for which there is no train.
    """
    if manner != CLASSIFIER:
        sets = task.parts.values() if task.settings.fit == "cosine" else [task.parts["test"]]
        return TaskOutcome(np.concatenate([cosines(*next(_sides(encoder, items))) for items in sets]))
    if task.settings.fit != "nested_folds":
        return TaskOutcome(_predicted(encoder, classifier, task, task.parts["train"], task.parts["test"]))
    items, gold = task.items, label_ids(task, task.items)
    predictions, accuracies = np.empty_like(gold), []
    for train, test in stratified_folds(gold, suite.folds, suite.folds_seed, f"the items of {task.name}"):
        known, asked = [items[row] for row in train], [items[row] for row in test]
        predictions[test] = _predicted(encoder, classifier, task, known, asked)
        accuracies.append(accuracy(gold[test], predictions[test]))
    return TaskOutcome(predictions, tuple(accuracies))


def _predicted(
    encoder: CountEncoder,
    classifier: CountClassifier,
    task: DownstreamTask,
    train: Sequence[DownstreamItem],
    test: Sequence[DownstreamItem],
) -> np.ndarray:
    known, asked = (features_of(*sides, task.settings.features) for sides in _sides(encoder, train, test))
    labels = label_ids(task, train)
    n_labels = len(set(labels.tolist()))
    complaint = "train has one label only" if n_labels == 1 else classifier.complaint(n_labels, known.shape[1])
    if complaint:
        raise PolyprobeError(f"{task.name}: {complaint}.")
    return classifier.fitted(known, labels, task.name).predict(asked)


def _sides(encoder: CountEncoder, *parts: Sequence[DownstreamItem]) -> Iterator[tuple[Matrix, Matrix | None]]:
    """Yields the features of the first and, in pairs, of the second sentences of each part; the first part is train."""
    n_sides = len(parts[0][0].sentences)
    texts = [[(one,) for side in range(n_sides) for one in sentences_of(part, side)] for part in parts]
    for features in encoder.features(*texts):
        n_items = features.shape[0] // n_sides
        yield features[:n_items], features[n_items:] if n_sides == 2 else None


@dataclass(frozen=True, eq=False)
class LayerFit:
    """A task by the vectors of a layer, in one manner and with one seed."""

    settings: DownstreamSettings
    task: DownstreamTask
    vectors: LayerVectors
    """Of its sentences, among others."""
    place: int
    """Of the layer among those of the encoder."""
    manner: str
    """See `manners_of`."""
    seed: int

    @cached_property
    def name(self) -> str:
        """Names all that an outcome depends on: vectors, items and their labels, layer, settings of the fit, seed."""
        settings, suite = self.settings, self.settings.suite
        layer = layer_and_epoch(self.vectors.layers[self.place])
        how = [suite.folds, suite.inner_folds, suite.dev_share, suite.folds_seed]
        fitted = suite.regression if self.manner == REGRESSION else suite.classifier
        items, about = content_version([], *self.task.parts.items()), f"{settings.protocol} {how} {fitted}"
        return f"{self.vectors.source} {items} {self.task.settings} {self.manner} {layer} {self.seed} {about}"

    def outcome(self, train: Train, device: torch.device) -> TaskOutcome:
        """Scores the task."""
        task, suite = self.task.settings, self.settings.suite
        if self.manner == COSINE:
            return TaskOutcome(cosines(*self._sides(scored_items(self.task))))
        asked = [] if task.fit == "nested_folds" else self._features(self.task.parts["test"])
        if self.manner == REGRESSION:
            spec, train_part, dev_part = ProbeSpec(**suite.regression), self._labelled("train"), self._labelled("dev")
            return score_regression(train_part, dev_part, asked, spec, task.scores, self.seed, device)
        how = fit_settings(suite, self.settings.protocol, self.seed)
        if task.fit == "nested_folds":
            whole = self._labelled("all")
            fits = nested_cross_validation(whole.features, whole.gold, how, train)
            return outcome_of_folds(fits, whole.gold)
        if task.fit == "folds_then_test":
            found = k_fold_then_test(self._labelled("train"), asked, how, train)
        else:
            found = split_then_test(self._labelled("train"), self._labelled("dev"), asked, how, train)
        return TaskOutcome(found.predictions, dev=found.dev_accuracy, cell=f"weight_decay={found.chosen_l2:g}")

    def _labelled(self, part: str) -> LabelledRows:
        items = self.task.parts[part]
        gold = gold_scores(items) if self.manner == REGRESSION else label_ids(self.task, items)
        return LabelledRows(self._features(items), gold)

    def _features(self, items: Sequence[DownstreamItem]) -> np.ndarray:
        """Returns what is fitted on: float32 `[items, width x features]`."""
        return features_of(*self._sides(items), self.task.settings.features)

    def _sides(self, items: Sequence[DownstreamItem]) -> tuple[np.ndarray, np.ndarray | None]:
        matrix, n_sides = self.vectors.matrices[self.place].numpy(), len(items[0].sentences)
        sides = [matrix[self.vectors.encoded.rows(sentences_of(items, side))] for side in range(n_sides)]
        return sides[0], sides[1] if n_sides == 2 else None


def outcome_of_folds(fits: Sequence[FitOutcome], label_ids: np.ndarray) -> TaskOutcome:
    """Joins the folds; of L2 is said how many chose each: "weight_decay=0.0001 in 7 folds, 0.001 in 3"."""
    predictions = np.empty(len(label_ids), dtype=np.int64)
    for fit in fits:
        predictions[fit.rows] = fit.predictions
    accuracies = tuple(accuracy(label_ids[fit.rows], fit.predictions) for fit in fits)
    counts = Counter(fit.chosen_l2 for fit in fits)
    first, *others = (f"{value:g} in {counts[value]}" for value in sorted(counts))
    cell = ", ".join([f"weight_decay={first} folds", *others])
    return TaskOutcome(predictions, accuracies, float(np.mean([fit.dev_accuracy for fit in fits])), cell)
