"""The first sentence of a page, by kinds of results: one that can be defended, "" where nothing is to be said."""

from collections.abc import Sequence

import numpy as np

from polyprobe.analysis.neurons.neuron_settings import FULL, MINIMAL_SET
from polyprobe.analysis.results.kinds import CONSTRUCTIONS, DOWNSTREAM_TASKS, PROBING
from polyprobe.analysis.results.paired_runs import predictions_of
from polyprobe.analysis.results.result_grid import grid_of
from polyprobe.analysis.results.rows import (
    Row,
    chosen_layer,
    distinct,
    layer_of_row,
    metric_in_words,
    percent,
    written_score,
)
from polyprobe.analysis.statistics.significance import SIGNIFICANT, holm, rise_p
from polyprobe.display.shown import plural
from polyprobe.runs.directory import RunDirectory
from polyprobe.seeds import derived_seed

CHANCE = 0.5  # of a minimal pair


def probed(run: RunDirectory, rows: Sequence[Row]) -> str:
    """Counts the tests whose accuracy is above the better of the majority and the lookup baseline.

    Tested by a one-sided bootstrap over test items against the accuracy of the baseline, Holm over the tests.
    """
    probed = PROBING.rows(rows)
    layer, reason = chosen_layer(probed)
    of_layer = {row["test"]: row for row in probed if layer_of_row(row) == layer and row["value"] is not None}
    p_values = []
    for test, record in predictions_of(run).items():
        correct = record.correct(layer) if test in of_layer and layer in record.layers else np.array([np.nan])
        if np.isfinite(correct).all():
            row = of_layer[test]
            baseline = max(row.get("majority") or 0.0, row.get("memoriser") or 0.0)
            p_values.append(rise_p(np.full_like(correct, baseline), correct, derived_seed(0, "page", test)))
    n_above = sum(p < SIGNIFICANT for p in holm(p_values))
    at = f"Layer {layer} ({reason}): in" if reason else "In"
    found = f"{at} {n_above} of {plural(len(p_values), 'test')} accuracy is above the majority and the lookup baseline"
    tested = f"(one-sided bootstrap over test items, Holm, {100 * SIGNIFICANT:.0f} %)"
    return f"{found} {tested}." if p_values else ""


def scored_sets(rows: Sequence[Row]) -> str:
    """Says the mean accuracy over constructions, and how many are above chance."""
    grid = grid_of(CONSTRUCTIONS, rows)
    of_last = [row for row in grid.of_column(grid.columns[-1]) if row is not None]
    n_above = sum((row.get("interval_low") or 0.0) > CHANCE for row in of_last)
    which = f", {grid.one_line_headers()[-1]}" if len(grid.columns) > 1 else ""
    over = f"over {plural(len(grid.common), 'construction')} (unweighted mean){which}"
    above = f"in {n_above} of {len(of_last)} the 95 % interval lies above {100 * CHANCE:.0f} %"
    return f"Accuracy {percent(float(grid.averages()[-1]))} % {over}; {above}."


def scored_tasks(rows: Sequence[Row]) -> str:
    """Says the mean score over downstream tasks."""
    tasks = grid_of(DOWNSTREAM_TASKS, rows)
    return f"Mean over {plural(len(tasks.common), 'task')}: {percent(float(tasks.averages()[-1]))}."


def minimal_neurons(rows: Sequence[Row]) -> str:
    """Says how many neurons the smallest minimal set of each test has."""
    sets = [row for row in rows if row.get("ablation") == MINIMAL_SET and row.get("neurons")]
    full = {row["test"]: row["neurons"] for row in rows if row.get("ablation") == FULL}
    smallest = {test: min(row["neurons"] for row in sets if row["test"] == test) for (test,) in distinct(sets, "test")}
    said = ", ".join(f"{test} {n:,} of {full[test]:,}" for test, n in smallest.items() if test in full)
    return f"Smallest sets of neurons as good on dev as all, within the tolerance: {said}." if said else ""


def trained(rows: Sequence[Row]) -> str:
    """Says the score of a model on the test split, beside the baseline."""
    scores = [row for row in rows if row["stage"] == "test" and not row.get("test") and row["value"] is not None]
    if not scores:
        return ""
    row = next((row for row in scores if row["split"] == "test"), scores[0])
    baselines = [one for one in rows if one["stage"] == "baseline" and one["metric"] == row["metric"]]
    baseline = next((one["value"] for one in baselines if one["split"] == row["split"]), None)
    beside = "" if baseline is None else f" (baseline {written_score(row['metric'], baseline)})"
    epoch = "" if row.get("epoch") is None else f", epoch {row['epoch']}, chosen on dev"
    metric = metric_in_words(row["metric"])
    name = f"{metric[:1].upper()}{metric[1:]}"
    return f"{name} {written_score(row['metric'], row['value'])} on {row['split']}{beside}{epoch}."
