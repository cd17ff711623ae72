"""Single sets and items on the page of a run: the worst pairs, wrong items, what one of two runs has right."""

import csv
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyprobe.analysis.comparisons.compare import ComparedPair, table_of_pair
from polyprobe.analysis.output.tables import Table
from polyprobe.analysis.page.panel import Fold, Panel
from polyprobe.analysis.results.config_differences import differing_keys
from polyprobe.analysis.results.kinds import CONSTRUCTIONS, PROBING
from polyprobe.analysis.results.paired_runs import (
    ERROR_COLUMNS,
    best_layer,
    confusion_counts,
    error_rows,
    predictions_of,
)
from polyprobe.analysis.results.rows import Row, distinct
from polyprobe.display.shown import plural
from polyprobe.metrics.minimal_sets import margins
from polyprobe.runs.array_records import Predictions, SetScores
from polyprobe.runs.directory import RunDirectory
from polyprobe.seeds import derived_seed

MOST_PAIRS, FEWEST_PAIRS, MOST_OF_ALL = 20, 3, 200  # of a construction, of all together
MOST_ITEMS = 50  # of a list of errors
MOST_CONFUSED = 20  # pairs of labels
DRAWN_ITEMS, MOST_BYTES = 10, 1_000_000  # of a file that was made
ACTIVATIONS = "activations.csv"  # of analyze.py neurons=


@dataclass(frozen=True, slots=True)
class Pair:
    """A grammatical sentence and the variant that comes nearest to it, or beyond it, under one model."""

    number: int
    """Of its set in the file."""
    margin: float
    """In bits."""
    sentences: tuple[str, str]


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
    folds = [_fold_of_pairs(one.test, worst_pairs(one, rule, most)) for one in records]
    title = f"Pairs with the lowest margins in log-probability, of {by} (bits; below 0 the variant scores higher)"
    return [Panel(f"Worst pairs{of_model}", [], folds=folds, title_of_folds=title)]


def worst_pairs(record: SetScores, rule: str, most: int) -> list[Pair]:
    """Returns the pairs with the lowest margins under the last model, the lowest first, equals as in their file.

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
        pairs.append(Pair(int(record.numbers[place]), float(bits[place]), sentences))
    return pairs


def _fold_of_pairs(construction: str, pairs: Sequence[Pair]) -> Fold:
    lines = [[*pair.sentences, str(pair.number), f"{pair.margin:.2f}"] for pair in pairs]
    table = Table(["grammatical", "variant"], ["set", "margin"], lines)
    return Fold(f"{construction}: {plural(len(pairs), 'pair')}", [table])


def predictions_panels(run: RunDirectory) -> list[Panel]:
    """Returns the panel of what the probes of a run got wrong, each test by itself; none of a run without."""
    tests = predictions_of(run).values()
    folds = [_fold_of_test(one, layer) for one in tests if (layer := best_layer(one)) is not None]
    is_selected = any(len(one.layers) > 1 for one in tests)
    title = "Best layer of each test, selected on test for inspection only" if is_selected else ""
    return [Panel("Wrong items", [], folds=folds, title_of_folds=title)] if folds else []


def _fold_of_test(predictions: Predictions, layer: str) -> Fold:
    n_seeds = len(predictions.trained(layer))
    n_wrong = int((predictions.correct(layer) < 1).sum())
    in_any = f" in at least one of {n_seeds} seeds" if n_seeds > 1 else ""
    wrong = f"{n_wrong:,} of {plural(len(predictions.gold), 'item')} wrong{in_any}"
    tables = [_confused_labels(predictions, layer, n_seeds), _errors(predictions, layer)]
    return Fold(f"{predictions.test}, {layer}: {wrong}", tables)


def _confused_labels(predictions: Predictions, layer: str, n_seeds: int) -> Table:
    counts, names = confusion_counts(predictions, layer), [str(label) for label in predictions.labels]
    wrong = counts - np.diag(np.diag(counts))
    places = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSED]
    pairs = [np.unravel_index(place, wrong.shape) for place in places.tolist()]
    lines = [[names[gold], names[said], f"{wrong[gold, said]:,}"] for gold, said in pairs if wrong[gold, said]]
    notes = [f"Counts summed over {n_seeds} seeds."] if n_seeds > 1 else []
    return Table(["gold", "predicted"], ["n"], lines, "Labels that are confused most", notes)


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


def comparison_panels(pairs: Sequence[ComparedPair]) -> list[Panel]:
    """Returns the panel of runs and the first of them: differences item by item, items of one run alone."""
    folds = [fold for pair in pairs for fold in _folds_of_pair(pair)]
    title = f"Items that one run alone has right, in all seeds, the first {MOST_ITEMS} of each test"
    return [
        Panel("Differences from the first run", [*map(table_of_pair, pairs)], folds=folds, title_of_folds=title),
    ]


def keys_panels(first: RunDirectory, others: Sequence[RunDirectory]) -> list[Panel]:
    """Returns the panel of the keys in which runs differ from the first of them; none of runs that are alike."""
    keys = [[other.name, *line] for other in others for line in differing_keys(first, other)]
    table = Table(["second run", "key", "first", "second"], [], keys, "Keys that differ")
    return [Panel("Keys that differ", [table])] if keys else []


def _folds_of_pair(pair: ComparedPair) -> Iterator[Fold]:
    first, second = pair.first, pair.second
    if first.kind is not PROBING or len(first.parts) > 1 or len(second.parts) > 1:
        return
    for row in pair.rows:
        one, other = first.tests[row.test], second.tests[row.test]
        difference = other.correct(second.parts[0]) - one.correct(first.parts[0])
        places = [place for place, value in enumerate(difference.tolist()) if abs(value) == 1]
        lines = [
            [
                _item(str(one.inputs[place])),
                str(one.labels[one.gold[place]]),
                "second" if difference[place] > 0 else "first",
            ]
            for place in places[:MOST_ITEMS]
        ]
        sides = [sum(difference[place] * sign > 0 for place in places) for sign in (-1, 1)]
        title = f"{row.test}: {sides[0]} that the first alone has right, {sides[1]} that the second alone has"
        yield Fold(title, [Table(["item", "gold", "right in"], [], lines)])


def activation_panels(run: RunDirectory) -> list[Panel]:
    """Returns the panel of the items that excite the best neurons most and least; none of a run without."""
    path = run.path / ACTIVATIONS
    if not path.is_file():
        return []
    of_tests: dict[str, list[list[str]]] = {}
    for line in csv.DictReader(run.checked(path).read_text(encoding="utf-8").splitlines()):
        place = f"{line['test']}, epoch {line['epoch']}" if line["epoch"] else line["test"]
        of_tests.setdefault(place, []).append(_activation(line))
    header = {"left": ["neuron", "end"], "right": ["activation"], "last": ["label", "item"]}
    folds = [Fold(place, [Table(**header, rows=lines)]) for place, lines in of_tests.items()]
    title = "Items that excite the best neurons most and least"
    return [Panel("Neurons and items", [], folds=folds, title_of_folds=title)]


def _activation(line: Mapping[str, str]) -> list[str]:
    item = _item(f"{line['sentence']}\t{int(line['position']) - 1}") if line["position"] else line["word"]
    return [line["neuron"], line["end"], f"{float(line['activation']):.2f}", line["label"], item]


def made_panels(run: RunDirectory) -> list[Panel]:
    """Returns the panel of lines of the files that generate.py made; none of a run without."""
    folds = [
        Fold(
            f"{file.relative_to(run.sets).as_posix()}: {plural(len(lines), 'line')}",
            [Table([""], [], [[line.replace("\t", " | ")] for line in lines])],
        )
        for file in sorted(run.sets.rglob("*.txt"))
        if (lines := _drawn_lines(file, derived_seed(0, "page", file.name)))
    ]
    title = "Lines drawn at random (from the first megabyte of each file, always the same)"
    return [Panel("Items", [], folds=folds, title_of_folds=title)] if folds else []


def _drawn_lines(file: Path, seed: int) -> list[str]:
    """Returns some lines of a file, in its order."""
    with file.open("rb") as opened:
        start = opened.read(MOST_BYTES)
    lines = start.decode("utf-8", errors="replace").split("\n")
    whole = [line for line in lines[: len(lines) - (len(start) == MOST_BYTES)] if line]
    places = random.Random(seed).sample(range(len(whole)), min(DRAWN_ITEMS, len(whole)))
    return [whole[place] for place in sorted(places)]
