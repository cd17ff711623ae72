"""Selects the result rows that a table or picture shows, and writes their values."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from polyprobe.display.shown import shown
from polyprobe.errors import PolyprobeError, UnknownChoice, layer_name
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.metric_units import is_in_percent, is_lower_better, metric_in_words
from polyprobe.runs.results import COPIED, COUNT_PROBES, FEW_ITEMS

Row = Mapping[str, Any]
TRAINED = "test"  # the stage of the scores of a trained model
WHICH = ("model", "options")  # columns that say which model it was
ONE_SIDED = "At 0 and 100 % the interval is Wilson's, (low to high)."
AVERAGED_APART_FROM = ("run", "suite", "test", "split", "encoder", "layer", "epoch", "probe")


def rows_of_stages(run: RunDirectory, *stages: str) -> list[Row]:
    """Reads the rows of a finished run that are of some stages; refuses a run that has none of them."""
    every = run.rows()
    rows = [row for row in every if row["stage"] in stages]
    if not rows:
        there = ", ".join(stage for (stage,) in distinct(every, "stage"))
        found = f"{run.results} has no row of stage {stages[0]}. Its rows are of: {there or 'none'}"
        raise PolyprobeError(f"{found}. Expected a run of probe.py that has such rows.")
    return rows


def rows_of_finished(run: RunDirectory) -> list[Row]:
    """Reads the rows of a run; refuses one that is not finished."""
    try:
        return run.rows()
    except FileNotFoundError as error:
        raise PolyprobeError(f"{run.path} has no results.jsonl: the run is not finished.") from error


def probing_rows(rows: Iterable[Row]) -> list[Row]:
    """Returns one accuracy for each test, layer and epoch: averaged over seeds, or else that of the first seed."""
    chosen: dict[tuple, Row] = {}
    for row in rows:
        if row["stage"] == "probing" and row["metric"] == "accuracy":
            key = tuple(row.get(column) for column in AVERAGED_APART_FROM)
            if key not in chosen or row.get("seed") is None:
                chosen[key] = row
    return list(chosen.values())


def whole_scores(rows: Iterable[Row]) -> list[Row]:
    """Returns the scores of a trained model about all labels together."""
    return [row for row in rows if row["stage"] == TRAINED and not row.get("test")]


def trivial_baseline(row: Row, rows: Iterable[Row]) -> Row | None:
    """Returns the row of the best trivial baseline of a trained model's score; None without one.

    Args:
        row: a score, of all labels or of one.
        rows: of its run.
    """
    about = ("split", "metric", "test")
    known = [one for one in rows if one["stage"] == "baseline" and one["value"] is not None]
    found = [one for one in known if all((one.get(name) or "") == (row.get(name) or "") for name in about)]
    best = min if is_lower_better(row["metric"]) else max
    return best(found, key=value_of, default=None)


def notes_on_metrics(metrics: Iterable[str]) -> list[str]:
    """Says of which metrics, those of a table, less is better."""
    names = dict.fromkeys(metric_in_words(metric) for metric in metrics if is_lower_better(metric))
    return [f"{', '.join(names)}: lower is better."] if names else []


def value_of(row: Row) -> float:
    """Returns the value of a row, NaN where it has none (its probe failed)."""
    return math.nan if row["value"] is None else row["value"]


def interval_of(row: Row) -> tuple[float, float]:
    """Returns the ends of the interval of a row's value; the value itself where it has none."""
    return row.get("interval_low", value_of(row)), row.get("interval_high", value_of(row))


def epoch_scores(rows: Iterable[Row], stage: str) -> dict[str, dict[int, float]]:
    """Returns the dev scores of a model by metric, then epoch, in the order of epochs; those without a value left out.

    Args:
        stage: "training" for a training run's own rows, "downstream" for those that a probing run copied from it.
    """
    scores: dict[str, dict[int, float]] = {}
    for row in sorted(rows, key=epoch_order):
        is_whole = not row.get("test") and row["split"] == "dev"
        if row["stage"] == stage and is_whole and row.get("epoch") is not None:
            scores.setdefault(row["metric"], {})[row["epoch"]] = row["value"]
    known = {
        metric: {epoch: value for epoch, value in by_epoch.items() if value is not None}
        for metric, by_epoch in scores.items()
    }
    return {metric: by_epoch for metric, by_epoch in known.items() if by_epoch}


def task_by_epoch(rows: Sequence[Row]) -> dict[str, dict[int, float]]:
    """Returns the dev scores of the model whose epochs are probed: of another run, copied, or of the run itself."""
    return epoch_scores(rows, COPIED) or epoch_scores(rows, "training")


def distinct(rows: Iterable[Row], *columns: str) -> list[tuple]:
    """Returns the distinct values of some columns together, in the order in which they first appear."""
    return list(dict.fromkeys(tuple(row.get(column) for column in columns) for row in rows))


def epoch_order(row: Row) -> int:
    """Returns a key that sorts rows by epoch, those without one first."""
    return -1 if row.get("epoch") is None else row["epoch"]


def layer_of_row(row: Row) -> str:
    """Names the layer of a row as predictions do: "8", or "encoding/8" for epoch 8 of a checkpoint's layer."""
    layer = row.get("layer") or "accuracy"
    return layer if row.get("epoch") is None else f"{layer}/{row['epoch']}"


def rests_on_few_items(row: Row) -> bool:
    return row["value"] is not None and 0 < row["n"] < FEW_ITEMS


def rests_on_one_seed(row: Row) -> bool:
    if row.get("probe") in COUNT_PROBES:
        return False
    return row.get("seed") is not None or row.get("n_seeds") in (None, 1)


def note_on_one_seed(rows: Iterable[Row]) -> str:
    """Says what a single seed leaves open, of intervals where rows have some."""
    has_intervals = any(row.get("interval_low") is not None for row in rows)
    left_out = "; intervals leave out variation between seeds, which may be larger" if has_intervals else ""
    return f"Single seed; no variance estimate{left_out}."


def without_marks(note: str | None, *marks: str) -> str:
    """Returns a note without what the marks of a table say: its last parts, the last first."""
    note = note or ""
    for mark in marks:
        note = "" if note == mark else note.removesuffix(f", {mark}").removesuffix(f"; {mark}")
    return note.removesuffix(".")


def percent(fraction: float | None) -> str:
    """Writes a fraction as a percentage with one decimal; "-" for none."""
    return "-" if fraction is None or math.isnan(fraction) else f"{100 * fraction:.1f}"


def written_score(metric: str, value: float | None) -> str:
    """Writes a value with one decimal: a fraction as a percentage, a perplexity as it is; "-" for none."""
    if value is None or math.isnan(value) or is_in_percent(metric):
        return percent(value)
    return f"{value:,.1f}"


def interval_behind(metric: str, value: float | None, low: float | None, high: float | None) -> str:
    """Writes the interval of a score, as it stands behind it: " ±2.3", half of it; "" where it has none.

    Of no item and of all of them, where it lies on one side, " (88.6 to 100.0)".
    """
    if low is None or high is None:
        return ""
    if is_one_sided(value, low, high):
        return f" ({written_score(metric, low)} to {written_score(metric, high)})"
    return f" ±{written_score(metric, (high - low) / 2)}"


def is_one_sided(value: float | None, low: float | None, high: float | None) -> bool:
    """Says whether an interval is that of no item or of all of them; earlier versions gave such none of any width."""
    return value in (0, 1) and low is not None and high is not None and low < high


def notes_on_one_sided(rows: Iterable[Row]) -> list[str]:
    """Explains such intervals, where rows have some."""
    ends = ((row["value"], row.get("interval_low"), row.get("interval_high")) for row in rows)
    return [ONE_SIDED] if any(is_one_sided(*one) for one in ends) else []


def percent_sign(metrics: Iterable[str]) -> str:
    """Returns the unit behind the name of a column: " (%)", or nothing where a value in it is no fraction."""
    return " (%)" if all(map(is_in_percent, metrics)) else ""


def said(rows: Iterable[Row], *columns: str) -> str:
    """Says what rows are about: the distinct values of some columns, those that there are."""
    rows = list(rows)
    return ", ".join(filter(None, (joined(rows, column) for column in columns)))


def said_of_one(rows: Iterable[Row], *columns: str) -> str:
    """Says what rows are about as `said` does, and which model it was with which options, where it is the same one."""
    rows = list(rows)
    return said(rows, *columns, *(column for column in WHICH if len(distinct(rows, column)) == 1))


def model_in_words(row: Row) -> str:
    """Says which model a row is about: "gpt2@607a30d783df, layers=[0,6]"; "" where it does not know."""
    return said([row], *WHICH)


def model_apart_from_tests(row: Row) -> str:
    """Says which model a row is about without the keys of a user's own tests, which stand last in its options."""
    options = re.split(r"(?:^| )suite\.", row.get("options") or "", maxsplit=1)[0]
    return model_in_words({**row, "options": options or None})


def labels_of_runs(rows: Iterable[Row], kind: str) -> dict[str, str]:
    """Returns a short label of each run: its kind, and on a second line what distinguishes it from others of that kind.

    That is its model, or its model and options; where these are the same or not known, the end of the run's name
    follows its kind.

    Args:
        kind: the column that says what kind of model it is, "encoder" or "predictor".
    """
    of_runs: dict[str, Row] = {}
    for row in rows:
        of_runs.setdefault(row["run"], row)
    groups: dict[str, list[str]] = {}
    for run, row in of_runs.items():
        groups.setdefault(row.get(kind) or run, []).append(run)
    labels: dict[str, str] = {}
    for name, runs in groups.items():
        labels |= _labels(name, {run: of_runs[run] for run in runs})
    return {run: labels[run] for run in of_runs}


def _labels(kind: str, of_runs: Mapping[str, Row]) -> dict[str, str]:
    if len(of_runs) == 1:
        return dict.fromkeys(of_runs, shown(kind))
    for described in (lambda row: row.get("model"), model_in_words):
        found = {run: described(row) for run, row in of_runs.items()}
        if all(found.values()) and len(set(found.values())) == len(found):
            return {run: f"{shown(kind)}\n{shown(words)}" for run, words in found.items()}
    return {run: shown(f"{kind} {run.rpartition('-')[2]}") for run in of_runs}


def joined(rows: Iterable[Row], column: str) -> str:
    """Joins the distinct values of a column by spaces."""
    return " ".join(str(value) for (value,) in distinct(rows, column) if value is not None)


def row_of_layer(rows: Sequence[Row], layer: str | int | None, epoch: int | None, run: str) -> Row:
    """Returns the row of a layer and an epoch among those of one test; where none is named, of those best on dev.

    Args:
        layer: 2, "2", "layer_2", or as predictions name it, "encoding/8".
        run: its name, for errors.

    Raises:
        UnknownChoice: there is no such layer or epoch.
        PolyprobeError: several rows are meant that are of no layers.
    """
    if epoch is not None:
        known = dict.fromkeys(str(row.get("epoch")) for row in rows)
        rows = [row for row in rows if str(row.get("epoch")) == str(epoch)]
        if not rows:
            raise UnknownChoice(f"epoch of {run}", str(epoch), known)
    if layer is not None:
        names = [(layer_of_row(row), row.get("layer")) for row in rows]
        known = dict.fromkeys(name for of_row in names for name in of_row if name)
        found = layer_name(f"layer of {run}", layer, known)
        rows = [row for row, of_row in zip(rows, names, strict=True) if found in of_row]
    if len(rows) > 1 and all(row.get("layer") for row in rows):
        best, _ = best_layer(rows)
        rows = [row for row in rows if layer_of_row(row) == best]
    if len(rows) > 1:
        places = ", ".join(map(layer_of_row, rows))
        raise PolyprobeError(f"{run} has {len(rows)} scores: {places}. Expected epoch=.")
    return rows[0]


ON_DEV, LAST = "the best on dev", "the last, since dev is not recorded"
SENTENCE_EMBEDDING = "sentence_embedding"  # is made of the last layer


def best_layer(rows: Sequence[Row]) -> tuple[str, str]:
    """Returns the layer whose probes do best on dev in the mean of all tests, the first of equals.

    Layers with a failed probe are left out where there are others. Where a row has no score on dev, as in runs of
    earlier versions and in those of downstream tasks, it is the last layer in the order of the run; what
    sentence-transformers make of a sentence counts as the last.

    Args:
        rows: one for each test, layer and epoch, seeds averaged (`Kind.rows`); of one run.

    Returns:
        the layer as predictions name it ("8", "encoding/8"), and why it was taken; "" where there is no other.
    """
    layers = list(dict.fromkeys(map(layer_of_row, rows)))
    if len(layers) == 1:
        return layers[0], ""
    failed = {layer_of_row(row) for row in rows if row["value"] is None}
    known = [layer for layer in layers if layer not in failed] or layers
    rows = [row for row in rows if layer_of_row(row) in known]
    if any(row.get("dev") is None for row in rows):
        return SENTENCE_EMBEDDING if SENTENCE_EMBEDDING in known else known[-1], LAST
    on_dev = {layer: fmean(row["dev"] for row in rows if layer_of_row(row) == layer) for layer in known}
    return max(known, key=on_dev.__getitem__), ON_DEV
