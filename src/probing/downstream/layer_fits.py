"""One layer of an encoder on one downstream task: features, fits in the bank, predictions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from src.formats.probing_sets.downstream import DownstreamItem
from src.probing.downstream.cross_validation import (
    FitOutcome,
    Labelled,
    k_fold_then_test,
    nested_cross_validation,
    split_then_test,
)
from src.probing.downstream.features import cosines, features_of
from src.probing.downstream.manners import CLASSIFIER, COSINE, FitSettings, ScoreSettings, Train
from src.probing.downstream.score_regression import Scored, score_regression
from src.probing.downstream.scored_items import gold_scores, label_ids, scored_items, sentences_of
from src.probing.downstream.task_outcomes import TaskOutcome
from src.probing.stages import LayerVectors
from src.probing.suites.downstream_tasks import DownstreamTask


@dataclass(frozen=True, eq=False)
class TaskOfLayer:
    """A task with the vectors of one layer."""

    task: DownstreamTask
    vectors: LayerVectors
    """Of its sentences, among others."""
    place: int
    """Of the layer among those of the encoder."""

    def features(self, items: Sequence[DownstreamItem]) -> np.ndarray:
        """Returns what is fitted on: float32 `[items, width x features]`."""
        return features_of(*self._sides(items), self.task.settings.features)

    def labelled(self, part: str) -> Labelled:
        """Returns features and label ids of a part."""
        items = self.task.parts[part]
        return Labelled(self.features(items), label_ids(self.task, items))

    def scored(self, part: str) -> Scored:
        """Returns features and scores of a part."""
        return Scored(self.features(self.task.parts[part]), gold_scores(self.task.parts[part]))

    def cosines(self) -> np.ndarray:
        """Returns the cosine of each scored pair: float64 `[items]`, NaN where a vector has no length."""
        return cosines(*self._sides(scored_items(self.task)))

    def _sides(self, items: Sequence[DownstreamItem]) -> tuple[np.ndarray, np.ndarray | None]:
        matrix = self.vectors.matrices[self.place].numpy()
        sides = [matrix[self.vectors.encoded.rows(sentences_of(items, side))] for side in range(self.n_sides)]
        return sides[0], sides[1] if len(sides) == 2 else None

    @property
    def n_sides(self) -> int:
        """How many sentences an item has."""
        return len(self.task.items[0].sentences)


def layer_outcome(
    one: TaskOfLayer, manner: str, settings: FitSettings | ScoreSettings | None, train: Train, device: torch.device
) -> TaskOutcome:
    """Scores a task by one layer.

    Args:
        one: the task and the layer.
        manner: one of `src.probing.downstream.manners`.
        settings: of the fit; None for cosines.
        train: see `nested_cross_validation`.
        device: on which a regression is fitted.
    """
    if manner == COSINE:
        return TaskOutcome(one.cosines())
    if manner == CLASSIFIER:
        return _classified(one, settings, train)
    found = score_regression(one.scored("train"), one.scored("dev"), one.scored("test").features, settings, device)
    return TaskOutcome(found.predictions, dev=found.dev_pearson, cell=f"passes={found.passes}")


def _classified(one: TaskOfLayer, settings: FitSettings, train: Train) -> TaskOutcome:
    if one.task.settings.fit == "nested_folds":
        whole = one.labelled("all")
        nested = nested_cross_validation(whole.features, whole.label_ids, settings, train)
        dev = float(np.mean(nested.dev_accuracies))
        return TaskOutcome(nested.predictions, nested.accuracies, dev, _l2_of_folds(nested.chosen_l2))
    asked = one.features(one.task.parts["test"])
    known = one.labelled("train")
    if one.task.settings.fit == "folds_then_test":
        return _of_fit(k_fold_then_test(known, asked, settings, train))
    return _of_fit(split_then_test(known, one.labelled("dev"), asked, settings, train))


def _of_fit(found: FitOutcome) -> TaskOutcome:
    return TaskOutcome(found.predictions, dev=found.dev_accuracy, cell=f"weight_decay={found.chosen_l2:g}")


def _l2_of_folds(chosen: Sequence[float]) -> str:
    """Writes how many folds chose each L2: "weight_decay=0.0001 in 7 folds, 0.001 in 3"."""
    counts = Counter(chosen)
    first, *others = (f"{value:g} in {counts[value]}" for value in sorted(counts))
    return ", ".join([f"weight_decay={first} folds", *others])
