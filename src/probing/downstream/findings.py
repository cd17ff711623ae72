"""The rows and predictions of downstream tasks: each score with its baselines, and what was done with rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polyprobe.encoders.base.encoder import CountEncoder, Encoder
from polyprobe.encoders.length import Length
from polyprobe.probing.count_classifiers.logistic_regression import classifier_of_length
from polyprobe.probing.downstream.fits import count_task_outcome
from polyprobe.probing.downstream.scores import WHOLE, Score, class_scores, similarity_scores
from polyprobe.probing.downstream.settings import DownstreamSettings
from polyprobe.probing.downstream.task_outcomes import (
    CLASSIFIER,
    COSINE,
    TaskOutcome,
    gold_scores,
    in_words,
    label_ids,
    leakages_of,
    scored_items,
)
from polyprobe.probing.stages import layer_and_epoch
from polyprobe.probing.suites.downstream_tasks import DownstreamSuite, DownstreamTask
from polyprobe.runs.array_records import PredictedScores, Predictions
from polyprobe.runs.results import ResultRow, note_of

STAGE = "downstream_task"
_OF_F1 = ("paraphrases", "1")  # the tasks that have an F1, by their reader, and its label


@dataclass(frozen=True)
class DownstreamFindings:
    """Tasks with what was predicted for them."""

    settings: DownstreamSettings
    """Of the suite, the fits and their seeds."""
    tasks: Sequence[DownstreamTask]
    encoder: Encoder | CountEncoder
    outcomes: Mapping[tuple[str, str, int], Sequence[TaskOutcome]]
    """Of every seed, by task, manner and the layer's number; one where nothing is drawn."""

    def rows(self) -> Iterator[ResultRow]:
        """Yields for every task, layer and manner a row for each seed and metric, and those with the seeds averaged."""
        for task in self.tasks:
            columns = baseline_columns(task, self.settings.suite)
            for (name, manner, place), outcomes in self.outcomes.items():
                if name == task.name:
                    yield from self._rows(task, manner, place, outcomes, columns if manner == CLASSIFIER else {})

    def predictions(self) -> Iterator[Predictions | PredictedScores]:
        """Yields for every task what was predicted for each item that is scored."""
        for task in self.tasks:
            manners = dict.fromkeys(manner for name, manner, _ in self.outcomes if name == task.name)
            if CLASSIFIER in manners:
                yield self._predicted_labels(task)
            else:
                yield self._predicted_scores(task, tuple(manners))

    def _rows(
        self,
        task: DownstreamTask,
        manner: str,
        place: int,
        outcomes: Sequence[TaskOutcome],
        columns: Mapping[str, float],
    ) -> Iterator[ResultRow]:
        seeds = self.settings.seeds
        if len(seeds) > 1 and len(outcomes) > 1:
            for seed, one in zip(seeds, outcomes, strict=True):
                for score in self._scores(task, manner, [one]):
                    alone = replace(score, low=None, high=None)
                    yield self._row(task, manner, place, alone, seed=seed, cell=one.cell or None, **columns)
        n_seeds = len(outcomes) if self._is_drawn(manner) else None
        cell = outcomes[0].cell or None if len(outcomes) == 1 else None
        for score in self._scores(task, manner, outcomes):
            note = _note(task, score, n_seeds)
            yield self._row(task, manner, place, score, n_seeds=n_seeds, cell=cell, note=note, **columns)

    def _is_drawn(self, manner: str) -> bool:
        return manner != COSINE and not (manner == CLASSIFIER and self.settings.classifier is not None)

    def _scores(self, task: DownstreamTask, manner: str, outcomes: Sequence[TaskOutcome]) -> list[Score]:
        items, protocol = scored_items(task), self.settings.protocol
        if manner == CLASSIFIER:
            reader, label = _OF_F1
            positive = list(task.settings.labels).index(label) if task.settings.reader == reader else None
            return class_scores(task.name, label_ids(task, items), outcomes, protocol, positive)
        return similarity_scores(task.name, gold_scores(items), _places_of_sets(task), outcomes, manner, protocol)

    def _row(
        self,
        task: DownstreamTask,
        manner: str,
        place: int,
        score: Score,
        **columns: Any,
    ) -> ResultRow:
        settings, layer = self.settings, self.encoder.layers[place]
        classifier = CLASSIFIER if settings.classifier is None else settings.classifier.name
        if score.metric != "accuracy":
            columns = {name: value for name, value in columns.items() if name not in ("majority", "length")}
        return ResultRow(
            stage=STAGE,
            lang=settings.lang["code"],
            suite=settings.suite.name,
            test=task.name,
            split=score.split,
            encoder=settings.encoder_name,
            model=self.encoder.model_name,
            options=self.settings.options_of(self.encoder),
            layer=layer.name,
            epoch=layer.epoch,
            probe=classifier if manner == CLASSIFIER else manner,
            scorer="released" if settings.protocol == "released" else "polyprobe",
            metric=score.metric,
            value=score.value,
            n=score.n,
            skipped=score.skipped,
            interval_low=score.low,
            interval_high=score.high,
            **columns,
        )

    def _predicted_labels(self, task: DownstreamTask) -> Predictions:
        return Predictions(
            **self._about(task),
            labels=np.array(task.settings.labels),
            gold=label_ids(task, scored_items(task)),
            seeds=np.array(self._seeds_of(CLASSIFIER)),
            predicted=np.array([[one.predictions for one in of_layer] for of_layer in self._of(task, CLASSIFIER)]),
        )

    def _predicted_scores(self, task: DownstreamTask, manners: Sequence[str]) -> PredictedScores:
        places = _places_of_sets(task)
        seeds = self._seeds_of(manners[0])
        predicted = [
            [[of_layer[place % len(of_layer)].predictions for place in range(len(seeds))] for of_layer in of_manner]
            for of_manner in (self._of(task, manner) for manner in manners)
        ]
        return PredictedScores(
            **self._about(task),
            sets=np.array([name for name, _ in places]),
            set_of_item=np.repeat(np.arange(len(places)), [place.stop - place.start for _, place in places]),
            gold=gold_scores(scored_items(task)),
            manners=np.array(manners),
            seeds=np.array(seeds),
            predicted=np.array(predicted),
        )

    def _of(self, task: DownstreamTask, manner: str) -> list[Sequence[TaskOutcome]]:
        return [self.outcomes[task.name, manner, place] for place in range(len(self.encoder.layers))]

    def _seeds_of(self, manner: str) -> list[int]:
        return list(self.settings.seeds if self._is_drawn(manner) else self.settings.seeds[:1])

    def _about(self, task: DownstreamTask) -> dict[str, Any]:
        items = scored_items(task)
        return {
            "test": task.name,
            "inputs": np.array(in_words(items)),
            "lines": np.array([item.line for item in items]),
            "layers": np.array([layer_and_epoch(layer) for layer in self.encoder.layers]),
        }


def baseline_columns(task: DownstreamTask, suite: DownstreamSuite) -> dict[str, float]:
    """Returns what a score is worth: the share of the largest class of the scored items, length, repeated items.

    Empty for tasks with scores. The largest class is the "Chance" of Conneau et al. (2018, Table 5); the majority of
    probing tests is that of train. Length is a logistic regression on the number of words, or of a pair on the
    difference and the product of both.
    """
    if task.settings.labels is None:
        return {}
    gold = label_ids(task, scored_items(task))
    of_length = count_task_outcome(Length(), classifier_of_length(), task, CLASSIFIER, suite)
    return {
        "majority": float(np.bincount(gold).max() / len(gold)),
        "length": float(np.mean(of_length.predictions == gold)),
        **leakages_of(task),
    }


def _places_of_sets(task: DownstreamTask) -> list[tuple[str, slice]]:
    """Returns the name of each data set, and where its items are among those that are scored."""
    if task.settings.fit != "cosine":
        return [(WHOLE, slice(0, len(scored_items(task))))]
    ends = np.cumsum([len(items) for items in task.parts.values()]).tolist()
    starts = [0, *ends[:-1]]
    return [(name, slice(start, end)) for name, start, end in zip(task.parts, starts, ends, strict=True)]


def _note(task: DownstreamTask, score: Score, n_seeds: int | None) -> str | None:
    notes = [task.note] if task.note and score.split == WHOLE else []
    if score.skipped:
        notes.append(f"{score.skipped} pairs skipped: a vector of length 0 has no cosine")
    if score.value is None:
        notes.append("no correlation: all predictions are equal")
    return note_of(notes, score.n, n_seeds)
