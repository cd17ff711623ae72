"""The first sentence of a page, by kinds of results: one that can be defended, "" where nothing is to be said."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from polyprobe.analysis.neurons.neuron_settings import FULL, MINIMAL_SET
from polyprobe.analysis.results.kinds import CONSTRUCTIONS, DOWNSTREAM_TASKS, PROBING, single_predictions
from polyprobe.analysis.results.paired_runs import predictions_of
from polyprobe.analysis.results.result_grid import grid_of
from polyprobe.analysis.results.rows import (
    Row,
    chosen_layer,
    distinct,
    layer_of_row,
    percent,
    trivial_baseline,
    written_score,
)
from polyprobe.analysis.similarity.similarity_grid import SimilarityGrid
from polyprobe.analysis.statistics.significance import SIGNIFICANT, holm, paired_difference, rise_p
from polyprobe.analysis.tables.training import chosen_by
from polyprobe.display.shown import plural, shown
from polyprobe.runs.array_records import SetScores
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.metric_units import is_lower_better, is_worse, metric_in_words
from polyprobe.seeds import derived_seed

MOST_LAYERS = 26
BASELINES = {
    "majority": "majority",
    "memoriser": "memoriser",
    "length": "sentence length",
    "random": "a random encoder",
}
"""That a probe should beat, by their columns; a control task has other labels, so that it is none."""
SCORES_OF_TASKS = {"accuracy": "accuracies", "pearson": "correlations"}
ACRONYMS = ("bleu", "las", "uas")


def probed(run: RunDirectory, rows: Sequence[Row]) -> str:
    """Counts the tests whose accuracy is above the best of their baselines, the random encoder at the same layer.

    Tested by a one-sided bootstrap over test items against the accuracy of the baseline, Holm over the tests.
    """
    probed = PROBING.rows(rows)
    layer, reason = chosen_layer(probed)
    of_layer = {row["test"]: row for row in probed if layer_of_row(row) == layer and row["value"] is not None}
    p_values, meant = {}, dict[str, None]()
    for test, record in predictions_of(run).items():
        correct = record.correct(layer) if test in of_layer and layer in record.layers else np.array([np.nan])
        known = {name: of_layer[test][name] for name in BASELINES if of_layer.get(test, {}).get(name) is not None}
        if known and np.isfinite(correct).all():
            meant |= dict.fromkeys(known)
            best = np.full_like(correct, max(known.values()))
            p = rise_p(best, correct, derived_seed(0, "page", test))
            # Where all items are right all resamples are alike: by chance all would be with the baseline's share.
            p_values[test] = max(p, float(best[0]) ** len(correct)) if correct.min() == 1 else p
    if not p_values:
        return ""
    above = [test for test, p in zip(p_values, holm([*p_values.values()]), strict=True) if p < SIGNIFICANT]
    *names, last = [words for name, words in BASELINES.items() if name in meant]
    baselines = f"{', '.join(names)} and {last}" if names else last
    name, _, epoch = layer.removeprefix("layer_").partition("/")
    at = f"Layer {name}{epoch and ', epoch '}{epoch} ({reason}): " if reason else ""
    if len(p_values) == 1:
        (test,) = p_values
        found, correction = f"accuracy on {shown(test)} is {'' if above else 'not '}above {baselines}", ""
    else:
        found = f"in {len(above)} of {len(p_values)} tests accuracy is above {baselines}"
        correction = " Holm,"
    said = f"{at}{found} (one-sided bootstrap over test items,{correction} {100 * SIGNIFICANT:.0f} %)."
    return f"{said[0].upper()}{said[1:]}"


def risen(run: RunDirectory, rows: Sequence[Row]) -> str:
    """Counts the tests that rise and fall with training, from the first epoch after its start to the last; Holm."""
    probed = PROBING.rows(rows)
    layer = chosen_layer(probed)[0].partition("/")[0]
    epochs = sorted({row["epoch"] for row in probed if row.get("epoch") is not None and row.get("layer") == layer})
    first, last = next((epoch for epoch in epochs if epoch), 0), epochs[-1] if epochs else 0
    if first == last:
        first = epochs[0] if epochs else 0
    differences = []
    for test, record in predictions_of(run).items():
        places = [f"{layer}/{epoch}" for epoch in (first, last)]
        if first != last and {*places} <= {*map(str, record.layers)}:
            before, after = map(record.correct, places)
            if np.isfinite(before + after).all():
                differences.append(paired_difference(before, after, derived_seed(0, "page", test)))
    if first != last and not differences:
        return _risen_by_rows(probed, layer, first, last)
    found = zip(differences, holm([one.p for one in differences]), strict=True)
    signs = [one.difference > 0 for one, p in found if p < SIGNIFICANT]
    rises = f"accuracy rises in {sum(signs)} of {plural(len(differences), 'test')} and falls in {signs.count(False)}"
    tested = f"(paired bootstrap over test items, Holm, {100 * SIGNIFICANT:.0f} %)"
    return f"From epoch {first} to {last} {rises} {tested}." if differences else ""


def _risen_by_rows(probed: Sequence[Row], layer: str, first: int, last: int) -> str:
    """Counts the tests that rise and fall where predictions of items are not kept, as of a training's own probes."""
    scores = {(row["test"], row["epoch"]): row["value"] for row in probed if row.get("layer") == layer}
    pairs = [[scores.get((test, epoch)) for epoch in (first, last)] for (test,) in distinct(probed, "test")]
    known = [(before, after) for before, after in pairs if before is not None and after is not None]
    rises, falls = sum(after > before for before, after in known), sum(after < before for before, after in known)
    found = f"accuracy rises in {rises} of {plural(len(known), 'test')} and falls in {falls} by point estimates"
    return f"From epoch {first} to {last} {found}." if known else ""


def scored_sets(run: RunDirectory, rows: Sequence[Row]) -> str:
    """Says the mean accuracy over constructions, and how many are above chance."""
    grid = grid_of(CONSTRUCTIONS, rows)
    of_last = [row for row in grid.of_column(grid.columns[-1]) if row is not None]
    if single_predictions(rows):
        over = f"(unweighted mean over {plural(len(grid.common), 'construction')})"
        return f"All predictions hold for {percent(float(grid.averages()[-1]))} % of the items {over}."
    if not grid.common:
        return f"No construction has a score{' in every column' if len(grid.columns) > 1 else ''}."
    which = f", {grid.one_line_headers()[-1]}" if len(grid.columns) > 1 else ""
    over = f"over {plural(len(grid.common), 'construction')} (unweighted mean){which}"
    sets = [one for one in CONSTRUCTIONS.records_of(run) if isinstance(one, SetScores) and len(one.numbers)]
    chances = {one.test: float((1 / np.bincount(one.set_of_sentence)).mean()) for one in sets}
    of_last = [row for row in of_last if row["value"] is not None]
    above = ""
    if of_last and {row["test"] for row in of_last} <= {*chances}:
        n_above = sum((row.get("interval_low") or 0.0) > chances[row["test"]] for row in of_last)
        ends = dict.fromkeys(f"{100 * of(chances[row['test']] for row in of_last):.0f}" for of in (min, max))
        above = f"; in {n_above} of {len(of_last)} the 95 % interval lies above chance ({' to '.join(ends)} %)"
    return f"Accuracy {percent(float(grid.averages()[-1]))} % {over}{above}."


def scored_tasks(rows: Sequence[Row]) -> str:
    """Says the mean score over downstream tasks."""
    tasks = grid_of(DOWNSTREAM_TASKS, rows)
    found = [name for metric, name in SCORES_OF_TASKS.items() if any(row["metric"] == metric for row in tasks.rows)]
    over = f"{' and '.join(found)} (x 100) over {plural(len(tasks.common), 'task')}"
    return f"Mean of {over}: {percent(float(tasks.averages()[-1]))}."


def nearest_layers(grid: SimilarityGrid) -> str:
    """Says of each layer of the first encoder which layer of the second, or which other of its own, is most like it."""
    measure, found = next(iter(grid.measures.items()))
    one, other = [*grid.blocks, *grid.blocks][:2]
    pairs = []
    for place in grid.blocks[one][:MOST_LAYERS]:
        others = [rival for rival in grid.blocks[other] if rival != place and np.isfinite(found.values[place, rival])]
        best = max(others, key=lambda rival: found.values[place, rival], default=None)
        pairs += [] if best is None else [f"{grid.layers[place].name} \u2192 {grid.layers[best].name}"]
    of = "" if one == other else f"; {grid.short_labels[one]} \u2192 {grid.short_labels[other]}"
    return f"Most similar layer ({measure.upper()}{of}): {', '.join(pairs)}." if pairs else ""


def made(record: Mapping[str, Any]) -> str:
    """Says how many sets or items a run of generate.py made."""
    if constructions := record.get("constructions"):
        n_sets = sum(one["n_sets"] for one in constructions.values())
        return f"{n_sets:,} minimal sets of {plural(len(constructions), 'construction')}."
    items = {name: sum(test["items"].values()) for name, test in record.get("tests", {}).items() if "items" in test}
    counts = ", ".join(f"{name} ({n:,} items)" for name, n in items.items())
    return f"{plural(len(items), 'test')}: {counts}." if items else ""


def minimal_neurons(rows: Sequence[Row]) -> str:
    """Says how many neurons the smallest minimal set of each test has."""
    sets = [row for row in rows if row.get("ablation") == MINIMAL_SET and row.get("neurons")]
    full = {row["test"]: row["neurons"] for row in rows if row.get("ablation") == FULL}
    smallest = {test: min(row["neurons"] for row in sets if row["test"] == test) for (test,) in distinct(sets, "test")}
    said = ", ".join(f"{test} {n:,} of {full[test]:,}" for test, n in smallest.items() if test in full)
    return f"Minimal neuron sets (dev accuracy within the tolerance of that of all neurons): {said}." if said else ""


def trained(rows: Sequence[Row]) -> str:
    """Says the score of a model on the test split, beside the baseline."""
    scores = [row for row in rows if row["stage"] == "test" and not row.get("test") and row["value"] is not None]
    if not scores:
        return ""
    row = next((row for row in scores if row["split"] == "test"), scores[0])
    beside = _beside_baseline(row, trivial_baseline(row, rows))
    best = row.get("epoch")
    untrained = ": no epoch of training does better there" if best == 0 else ""
    by = "" if best is None else chosen_by(best, rows)
    other = f" by {metric_in_words(by)}" if by not in ("", row["metric"]) else ""
    epoch = "" if best is None else f", epoch {best}, chosen on dev{other}{untrained}"
    metric = metric_in_words(row["metric"])
    name = metric.upper() if metric in ACRONYMS else f"{metric[:1].upper()}{metric[1:]}"
    return f"{name} {written_score(row['metric'], row['value'])} on {row['split']}{beside}{epoch}."


def _beside_baseline(row: Row, baseline: Row | None) -> str:
    said = ["lower is better"] if is_lower_better(row["metric"]) else []
    if baseline is not None:
        worse = "worse than the " if is_worse(row["metric"], row["value"], baseline["value"]) else ""
        named = " ".join(filter(None, [f"{worse}baseline", baseline.get("encoder")]))
        said.append(f"{named}: {written_score(row['metric'], baseline['value'])}")
    return f" ({'; '.join(said)})" if said else ""
