"""Single sets and items on the page of a run: the worst pairs, wrong items."""

import math
from collections.abc import Sequence

import numpy as np

from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.page.panel import Panel
from polyprobe.analysis.results.config_differences import differing_keys
from polyprobe.analysis.results.kinds import CONSTRUCTIONS
from polyprobe.analysis.results.paired_runs import (
    ERROR_COLUMNS,
    best_layer_of_test,
    error_rows,
    predictions_of,
)
from polyprobe.analysis.results.rows import Row, distinct
from polyprobe.display.shown import plural
from polyprobe.metrics.minimal_sets import margins
from polyprobe.runs.array_records import Predictions, SetScores
from polyprobe.runs.directory import RunDirectory

MOST_PAIRS, FEWEST_PAIRS, MOST_OF_ALL = 20, 3, 200  # of a construction, of all together
MOST_ITEMS = 50  # of a list of errors


def minimal_set_panels(run: RunDirectory, rows: Sequence[Row]) -> list[Panel]:
    """Returns the panel of the worst sets of a run, under the last of its models; none of a run without."""
    records = [one for one in CONSTRUCTIONS.records_of(run) if len(one.numbers)]
    places = {test: place for place, (test,) in enumerate(distinct(rows, "test"))}
    records.sort(key=lambda one: (places.get(one.test, len(places)), one.test))
    if not records:
        return []
    rule = "sum" if any(np.isfinite(one.sums[-1]).any() for one in records) else "focus"
    by = "whole sentences" if rule == "sum" else "the words that differ"
    of_model = f", model {records[0].models[-1]}" if len(records[0].models) > 1 else ""
    most = max(FEWEST_PAIRS, min(MOST_PAIRS, MOST_OF_ALL // len(records)))
    folds = dict(_fold_of_pairs(one.test, worst_pairs(one, rule, most)) for one in records)
    title = f"Pairs with the lowest margins in log-probability, of {by} (bits; below 0 the variant scores higher)"
    return [Panel(f"Worst pairs{of_model}", [], folds=folds, title_of_folds=title)]


def worst_pairs(record: SetScores, rule: str, most: int) -> list[list[str]]:
    """Returns the pairs with the lowest margins under the last model, the lowest first, equals as in their file.

    A pair is a grammatical sentence, the variant that comes nearest to it, or beyond it, the number of their set in the
    file, and the margin in bits.

    Args:
        rule: of `margins`.
    """
    bits = margins(record, rule)[-1]
    scored = [place for place in np.argsort(bits, kind="stable").tolist() if math.isfinite(bits[place])]
    starts = np.searchsorted(record.set_of_sentence, np.arange(len(record.numbers) + 1)).tolist()
    compared = (record.sums if rule == "sum" else record.focuses)[-1]
    pairs = []
    for place in scored[:most]:
        first, end = starts[place], starts[place + 1]
        rival = first + 1 + int(np.argmax(compared[first + 1 : end]))
        sentences = str(record.sentences[first]), str(record.sentences[rival])
        pairs.append([*sentences, str(record.numbers[place]), f"{bits[place]:.2f}"])
    return pairs


def _fold_of_pairs(construction: str, pairs: list[list[str]]) -> tuple[str, Table]:
    table = Table(["grammatical", "variant"], ["set", "margin"], pairs)
    return f"{construction}: {plural(len(pairs), 'pair')}", table


def predictions_panels(run: RunDirectory, rows: Sequence[Row]) -> list[Panel]:
    """Returns the panel of what the probes of a run got wrong, each test by itself; none of a run without."""
    tests = predictions_of(run).values()
    folds = dict(_fold_of_test(one, layer) for one in tests if (layer := best_layer_of_test(rows, one)) is not None)
    is_selected = any(len(one.layers) > 1 for one in tests) and any(row.get("dev") is not None for row in rows)
    title = "Best layer of each test, selected on dev" if is_selected else ""
    return [Panel("Wrong items", [], folds=folds, title_of_folds=title)] if folds else []


def _fold_of_test(predictions: Predictions, layer: str) -> tuple[str, Table]:
    n_seeds = len(predictions.trained(layer))
    n_wrong = int((predictions.correct(layer) < 1).sum())
    in_any = f" in at least one of {n_seeds} seeds" if n_seeds > 1 else ""
    wrong = f"{n_wrong:,} of {plural(len(predictions.gold), 'item')} wrong{in_any}"
    return f"{predictions.test}, {layer}: {wrong}", _errors(predictions, layer)


def _errors(predictions: Predictions, layer: str) -> Table:
    rows = [row[:-1] for row in error_rows(predictions, layer)]
    lines = [[str(line), _item(item), *others] for line, item, *others in rows[:MOST_ITEMS]]
    first = f", the first {MOST_ITEMS}" if len(rows) > MOST_ITEMS else ""
    return Table(ERROR_COLUMNS[:-1], [], lines, f"Errors{first}")


def _item(text: str) -> str:
    """Returns the cell of an item; of a word in a sentence ("a b c", a tab, "1") the sentence as "a [b] c"."""
    sentence, _, place = text.rpartition("\t")
    words = sentence.split(" ")
    if not (place.isdecimal() and int(place) < len(words)):
        return text
    words[int(place)] = f"[{words[int(place)]}]"
    return " ".join(words)


def keys_panels(first: RunDirectory, others: Sequence[RunDirectory]) -> list[Panel]:
    """Returns the panel of the keys in which runs differ from the first of them; none of runs that are alike."""
    keys = [[other.name, *line] for other in others for line in differing_keys(first, other)]
    table = Table(["second run", "key", "first", "second"], [], keys, "Keys that differ")
    return [Panel("Keys that differ", [table])] if keys else []
