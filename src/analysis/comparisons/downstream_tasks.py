"""Compares runs of downstream tasks item by item with a paired bootstrap: `python analyze.py compare=[run,run]`.

Of tasks with labels accuracies are compared, of others Pearson's correlations: of regressions where both runs have
one, else of cosines; of several data sets their means, resampled within each set.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.analysis.comparisons.paired import (
    HOLM_NOTE,
    check_not_itself,
    difference_cells,
    marked_n,
    notes_on_left_out,
    notes_on_marked,
    p_cells,
    report_corrected,
)
from src.analysis.comparisons.probing import layer_pairs, side_in_words, with_layers_that_pair
from src.analysis.output.tables import Table
from src.analysis.results.config_differences import differences_in_words
from src.analysis.results.downstream_run import DownstreamRun, common_tasks, read_downstream_run
from src.analysis.results.rows import percent
from src.analysis.statistics.significance import PairedDifference, paired_difference, resampled_difference
from src.display.progress import each
from src.errors import BadValue, PolyprobeError
from src.metrics.correlation import PEARSON, correlation, resampled_correlations
from src.runs.array_records import PredictedScores, Predictions
from src.seeds import derived_seed

ACCURACY = "accuracy"


@dataclass(frozen=True, slots=True)
class ComparedTask:
    """Two runs on one task, each at one layer.

    Attributes:
        test: its name.
        metric: "accuracy" or "pearson".
        manner: what correlates, "score_regression" or "cosine"; "" with accuracy.
        n: items that both runs have a prediction for.
        n_seeds: the fewer of the two runs.
        first_run, first_layer, second_run, second_layer: what is compared.
        first, second: scores, seeds averaged; NaN where one has none.
        difference: second minus first.
        interval_low, interval_high: of the difference, 95 %.
        p: two-sided.
        p_holm: corrected over all rows of the comparison.
    """

    test: str
    metric: str
    manner: str
    n: int
    n_seeds: int
    first_run: str
    first_layer: str
    second_run: str
    second_layer: str
    first: float
    second: float
    difference: float
    interval_low: float
    interval_high: float
    p: float
    p_holm: float

    @property
    def has_one_seed(self) -> bool:
        """Whether it rests on one seed; of cosines nothing is drawn."""
        return self.n_seeds < 2 and self.manner != "cosine"


def compare_downstream_runs(work: Path, references: Sequence[str], tests: Sequence[str] | None) -> Path:
    """Prints how runs differ from the first of them on every task, and writes it to `<work>/comparisons/`.

    Args:
        work: the work folder.
        references: two or more of "run", "run:all" and "run:layer", as for probing runs.
        tests: names of tasks, or None for all that the runs share; Holm's correction runs over these.

    Returns:
        the CSV file, with a row per task, run and layer (the fields of `ComparedTask`).

    Raises:
        BadValue: fewer than two runs are named, or a run is compared with itself.
        PolyprobeError: a run is unknown, unfinished or without predictions, or two runs do not fit.
    """
    if len(references) < 2:
        expected = "a list of at least two runs, such as [runA,runB] or [run:layer,run:layer]"
        raise BadValue("compare", references, expected)
    first, *others = (read_downstream_run(work, reference, tests) for reference in references)
    check_not_itself(references, first.run.name, [(one.run, one.layers) for one in (first, *others)])
    pairs = [with_layers_that_pair(first, other) for other in others]
    groups = [compared_tasks(*pair) for pair in pairs]
    return report_corrected(work, references, groups, lambda rows, place: _table(rows, *pairs[place]))


def compared_tasks(first: DownstreamRun, second: DownstreamRun) -> list[ComparedTask]:
    """Compares two runs, of one layer each or of the same ones, on every task that both have; p is not corrected yet.

    Raises:
        PolyprobeError: the tasks of the two do not fit.
    """
    pairs = layer_pairs(first, second)
    cells = [(test, *pair) for test in common_tasks(first, second) for pair in pairs]
    return [_compared(test, first, one, second, other) for test, one, other in each(cells, "resampling", "comparisons")]


@dataclass(frozen=True, slots=True)
class _Found:
    """Two scores of one task and how far they differ."""

    n: int
    manner: str
    first: float
    second: float
    paired: PairedDifference


def _compared(test: str, first: DownstreamRun, one: str, second: DownstreamRun, other: str) -> ComparedTask:
    before, after = first.tests[test], second.tests[test]
    is_scored = isinstance(before, PredictedScores)
    found = _of_scores(before, one, after, other) if is_scored else _of_labels(before, one, after, other)
    return ComparedTask(
        test=test,
        metric=PEARSON if is_scored else ACCURACY,
        manner=found.manner,
        n=found.n,
        n_seeds=min(len(before.seeds), len(after.seeds)),
        first_run=first.run.name,
        first_layer=one,
        second_run=second.run.name,
        second_layer=other,
        first=found.first,
        second=found.second,
        difference=found.paired.difference,
        interval_low=found.paired.interval_low,
        interval_high=found.paired.interval_high,
        p=found.paired.p,
        p_holm=np.nan,
    )


def _of_labels(before: Predictions, one: str, after: Predictions, other: str) -> _Found:
    scores = before.correct(one), after.correct(other)
    paired = paired_difference(*scores, _seed(before.test))
    return _Found(len(before.gold), "", *(float(score.mean()) for score in scores), paired)


def _of_scores(before: PredictedScores, one: str, after: PredictedScores, other: str) -> _Found:
    manner = _common_manner(before, after)
    sides = [_predicted(*side, manner) for side in ((before, one), (after, other))]
    is_known = ~np.isnan(np.concatenate(sides)).any(axis=0)
    values, resampled = np.zeros((2, len(before.sets))), []
    for number, name in enumerate(before.sets):
        rows = np.flatnonzero(is_known & (before.set_of_item == number))
        gold, seed = before.gold[rows], derived_seed(_seed(before.test), str(name))
        values[:, number] = [np.mean([correlation(PEARSON, gold, run[rows]) for run in side]) for side in sides]
        drawn = [[resampled_correlations(PEARSON, gold, run[rows], seed) for run in side] for side in sides]
        resampled.append(np.mean(drawn[1], axis=0) - np.mean(drawn[0], axis=0))
    first, second = values.mean(axis=1).tolist()
    paired = resampled_difference(second - first, np.mean(resampled, axis=0))
    return _Found(int(is_known.sum()), manner, first, second, paired)


def _common_manner(before: PredictedScores, after: PredictedScores) -> str:
    common = [manner for manner in before.manners.tolist() if manner in after.manners]
    if not common:
        found = f"{before.test}: {', '.join(before.manners)} in one run, {', '.join(after.manners)} in the other"
        raise PolyprobeError(f"{found}. Only scores that were predicted in one manner can be compared.")
    return common[0]


def _predicted(scores: PredictedScores, layer: str, manner: str) -> np.ndarray:
    """Returns what was predicted by each seed: float64 `[seeds, items]`."""
    return scores.predicted[scores.manners.tolist().index(manner), scores.layers.tolist().index(layer)]


def _seed(test: str) -> int:
    return derived_seed(0, "comparison", test)


def _table(rows: Sequence[ComparedTask], first: DownstreamRun, second: DownstreamRun) -> Table:
    has_layers = len(first.layers) > 1
    left = ["task", "metric", "layer"] if has_layers else ["task", "metric"]
    table = Table(left, ["n", "first", "second", "difference", "95 %", "p", "Holm", ""])
    for row in rows:
        metric = row.metric if row.metric == ACCURACY else f"Pearson, {row.manner.removeprefix('score_')}"
        named = [row.test, metric, row.first_layer] if has_layers else [row.test, metric]
        scores = percent(row.first), percent(row.second)
        table.add_row(*named, marked_n(row), *scores, *difference_cells(row), *p_cells(row))
    notes = [
        f"first: {side_in_words(first)}; second: {side_in_words(second)}.",
        "difference: second minus first, with its 95 % interval: paired bootstrap over items, seeds averaged.",
        HOLM_NOTE,
        *notes_on_marked(rows, "items"),
        *notes_on_left_out(first.tests, second.tests),
        *[f"Configured otherwise: {difference}" for difference in differences_in_words(first.run, second.run)],
    ]
    return table.titled(f"Difference of scores (%): {first.lang}, {first.suite}", notes)
