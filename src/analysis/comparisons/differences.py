"""How far two runs differ on one test: by a bootstrap of items, by correlations, or by McNemar's exact test.

A set of minimal sets is discordant where one run is right more often than the other: with one seed each, where one is
right and the other wrong. McNemar's exact test is the two-sided sign test over the discordant sets. Several seeds of a
run are averaged for each set first, so a set still counts once.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from polyprobe.analysis.results.kinds import ACCURACY, COSINE, Kind
from polyprobe.analysis.results.paired_runs import SEEDLESS, PairedRun, seed_and_epoch
from polyprobe.analysis.statistics.significance import (
    ROUNDING,
    PairedDifference,
    paired_difference,
    resampled_difference,
)
from polyprobe.errors import PolyprobeError
from polyprobe.metrics.correlation import PEARSON, correlation, resampled_correlations
from polyprobe.metrics.minimal_sets import clustered_interval, margins, points
from polyprobe.runs.array_records import PredictedScores, Predictions
from polyprobe.seeds import derived_seed


@dataclass(frozen=True, slots=True)
class ComparedTest:
    """Two runs on one test, each at one layer; a `Comparison` has the columns that it names."""

    test: str
    n: int
    """Items that both runs have a prediction for."""
    n_seeds: int
    """The fewer of the two runs; of minimal sets those without seeds aside, 0 where neither has any."""
    has_one_seed: bool
    """Whether it rests on one seed; what is drawn in no run does not."""
    first_run: str
    first_layer: str
    second_run: str
    second_layer: str
    """What is compared; of minimal sets a run is named with its model, where it has others."""
    first: float
    second: float
    """Scores, seeds averaged; NaN where one has none."""
    difference: float
    """Second minus first."""
    p: float
    """Two-sided, but of neighbouring layers."""
    interval_low: float = np.nan
    interval_high: float = np.nan
    """Of the difference, 95 %; of minimal sets resampled by lemma, NaN with one lemma; of neighbouring layers NaN."""
    p_holm: float = np.nan
    """Corrected over all rows of the comparison."""
    metric: str = ACCURACY
    """Or "pearson"."""
    manner: str = ""
    """What correlates, "score_regression" or "cosine"; "" with accuracy."""
    skipped: int = 0
    """Sets that one of the runs, or both, left out."""
    n_lemmas: int = 0
    """Distinct lemmas of the sets that both scored."""
    rules: str = ""
    """By which sets are scored ("sum", or "sum and focus" where the runs differ in it)."""
    first_better: int = 0
    second_better: int = 0
    """Discordant sets."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How runs are compared item by item: at layers, or in minimal sets by models."""

    difference: Callable[[str, PairedRun, PairedRun, str | None], ComparedTest]
    """How far two runs differ on a test, by a rule of minimal sets."""
    columns: tuple[str, ...]
    """Fields of `ComparedTest` that the CSV file has, behind the test; the table has some of these, in this order."""
    notes: Callable[[Sequence[ComparedTest], PairedRun, PairedRun], list[str]]
    """What is said below the table of two runs."""
    example: str
    """A list of two parts of one run, for errors."""


def comparison_of(kind: Kind) -> Comparison:
    """Returns how runs of a kind are compared, by what they keep of items."""
    if kind.is_of_sets:
        return OF_SETS
    return OF_TASKS if PredictedScores in kind.records.values() else AT_LAYERS


def _difference_at_layers(test: str, first: PairedRun, second: PairedRun, rule: str | None) -> ComparedTest:
    """Compares accuracies of labels, of scores Pearson's correlations: paired bootstrap over items, seeds averaged.

    Of failed probes nothing is compared. Correlations are those of regressions where both runs have one, else of
    cosines; of several data sets their means, resampled within each set.
    """
    (before, one), (after, other) = ((run.tests[test], run.parts[0]) for run in (first, second))
    if isinstance(before, PredictedScores):
        found, n_seeds = _by_correlation(before, one, after, other), min(len(before.seeds), len(after.seeds))
    else:
        found, n_seeds = (
            _by_accuracy(before, one, after, other),
            min(len(before.trained(one)), len(after.trained(other))),
        )
    has_one_seed = n_seeds < 2 and found.get("manner") != COSINE
    return ComparedTest(**_of_layers(test, first, second), **found, n_seeds=n_seeds, has_one_seed=has_one_seed)


def _difference_of_sets(test: str, first: PairedRun, second: PairedRun, rule: str | None) -> ComparedTest:
    """Compares accuracies in the minimal sets that both scored: McNemar's exact test, and a bootstrap over lemmas.

    A tie is worth in both what it is in the first.

    Args:
        rule: one of `RULES`; None: the sum, or the focus for a predictor that scores no sentences.
    """
    rules = [rule or _own_rule(run, test) for run in (first, second)]
    sides = zip((first, second), rules, strict=True)
    before, after = (_points(run, test, of_run, first.ties) for run, of_run in sides)
    differences = after - before
    is_scored = ~np.isnan(differences)
    lemmas = first.tests[test].lemmas
    low, high = clustered_interval(differences, lemmas, _seed(test))
    better = [int(np.count_nonzero(sign * differences > ROUNDING)) for sign in (-1, 1)]
    scored = [of_sets[is_scored] for of_sets in (before, after, differences)]
    means = [float(of_sets.mean()) if len(of_sets) else np.nan for of_sets in scored]
    n_seeds = min((n for run in (first, second) if (n := _n_seeds(run))), default=0)
    return ComparedTest(
        **_of_layers(test, first, second),
        n=int(is_scored.sum()),
        skipped=int((~is_scored).sum()),
        n_lemmas=len(np.unique(lemmas[is_scored])),
        n_seeds=n_seeds,
        has_one_seed=n_seeds == 1,
        rules=" and ".join(dict.fromkeys(rules)),
        **dict(zip(("first", "second", "difference"), means, strict=True)),
        interval_low=low,
        interval_high=high,
        first_better=better[0],
        second_better=better[1],
        p=mcnemar(*better) if is_scored.any() else np.nan,
    )


def mcnemar(first_better: int, second_better: int) -> float:
    """Returns the two-sided exact p-value that neither side of discordant sets is likelier; 1 where there are none."""
    n = first_better + second_better
    from scipy.stats import binomtest

    return float(binomtest(first_better, n).pvalue) if n else 1.0


def _of_layers(test: str, first: PairedRun, second: PairedRun) -> dict[str, str]:
    layers = {"first_layer": first.parts[0], "second_layer": second.parts[0]}
    return {"test": test, "first_run": first.name, "second_run": second.name, **layers}


def _by_accuracy(before: Predictions, one: str, after: Predictions, other: str) -> dict[str, Any]:
    scores = before.correct(one), after.correct(other)
    means = [float(score.mean()) for score in scores]
    has_failed = np.isnan(means).any()
    paired = PairedDifference(*[np.nan] * 4) if has_failed else paired_difference(*scores, _seed(before.test))
    return {"n": len(before.gold), "first": means[0], "second": means[1], **asdict(paired)}


def _by_correlation(before: PredictedScores, one: str, after: PredictedScores, other: str) -> dict[str, Any]:
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
    found = {"n": int(is_known.sum()), "metric": PEARSON, "manner": manner}
    return {**found, "first": first, "second": second, **asdict(paired)}


def _common_manner(before: PredictedScores, after: PredictedScores) -> str:
    common = [manner for manner in before.manners.tolist() if manner in after.manners]
    if not common:
        found = f"{before.test}: {', '.join(before.manners)} in one run, {', '.join(after.manners)} in the other"
        raise PolyprobeError(f"{found}. Only scores that were predicted in one manner can be compared.")
    return common[0]


def _predicted(scores: PredictedScores, layer: str, manner: str) -> np.ndarray:
    """Returns what was predicted by each seed: float64 `[seeds, items]`."""
    return scores.predicted[scores.manners.tolist().index(manner), scores.layers.tolist().index(layer)]


def _own_rule(run: PairedRun, test: str) -> str:
    """Names the rule that scores allow: "sum", or "focus" where the predictor scores the focus words alone."""
    sums = run.tests[test].sums
    return "focus" if len(sums) and np.isnan(sums).all() else "sum"


def _points(run: PairedRun, test: str, rule: str, ties: str) -> np.ndarray:
    """Returns for each set the mean points of the models: float64 `[sets]`, NaN where it is not scored."""
    scores = run.tests[test]
    return points(margins(scores, rule), ties)[np.isin(scores.models, run.parts)].mean(axis=0)


def _n_seeds(run: PairedRun) -> int:
    """Counts the seeds that are averaged; 0 where nothing of the models was drawn here."""
    return len({seed_and_epoch(model)[0] for model in run.parts} - {"", SEEDLESS})


def _seed(test: str) -> int:
    return derived_seed(0, "comparison", test)


def _notes_on_sets(rows: Sequence[ComparedTest], first: PairedRun, second: PairedRun) -> list[str]:
    has_seeds = len(first.parts) > 1 or len(second.parts) > 1
    averaged = " Scores of a set are averaged over seeds first." if has_seeds else ""
    worth = {"half": "half correct", "released": "correct"}.get(first.ties, first.ties)
    return [
        f"Scored by {', '.join(dict.fromkeys(row.rules for row in rows))}; ties count as {worth} in both.",
        "difference: second minus first, with its 95 % CI (bootstrap over lemmas of the critical word).",
        f"first, second better: number of sets that one run gets right more often than the other.{averaged}",
        "p: McNemar's exact test, two-sided. It assumes independent sets; where sets share a lemma or a template, p is "
        "anti-conservative: see the interval over lemmas.",
    ]


_RUNS = ("first_run", "first_layer", "second_run", "second_layer")
_SCORES = ("first", "second", "difference", "interval_low", "interval_high")
AT_LAYERS = Comparison(
    difference=_difference_at_layers,
    columns=("n", "n_seeds", *_RUNS, *_SCORES, "p", "p_holm"),
    notes=lambda *_: [
        "difference: second minus first, with its 95 % CI (paired bootstrap over items, seeds averaged)."
    ],
    example="[run:layer,run:layer]",
)
OF_TASKS = replace(AT_LAYERS, columns=("metric", "manner", *AT_LAYERS.columns))
OF_SETS = Comparison(
    difference=_difference_of_sets,
    columns=(
        *("n", "skipped", "n_lemmas", "n_seeds", "first_run", "second_run", "rules"),
        *(*_SCORES, "first_better", "second_better", "p", "p_holm"),
    ),
    notes=_notes_on_sets,
    example="[run:s1/0,run:s1/8]",
)
