"""Single sets and items on the page of a run: margins, the worst pairs, what probes take for what, wrong items."""

import csv
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polyprobe.analysis.comparisons.compare import ComparedPair, table_of_pair
from polyprobe.analysis.output.tables import NOTHING, Table
from polyprobe.analysis.page.marks import (
    SERIES_OF_PARTS,
    SHADES,
    Series,
    histogram,
    key_of_parts,
    points,
    stacked,
)
from polyprobe.analysis.page.page_panels import Figure, Fold, Marked, Panel, Shaded
from polyprobe.analysis.results.config_differences import differing_keys
from polyprobe.analysis.results.kinds import CONSTRUCTIONS, PROBING
from polyprobe.analysis.results.paired_runs import (
    ERROR_COLUMNS,
    best_layer,
    confusion_counts,
    error_rows,
    label_rows,
    predictions_of,
)
from polyprobe.analysis.results.rows import Row, distinct, percent
from polyprobe.analysis.tables.made_sets import counts_in_parts, tests_alike
from polyprobe.display.shown import plural
from polyprobe.formats.minimal_sets.clams import differing_spans
from polyprobe.metrics.minimal_sets import margins
from polyprobe.runs.array_records import Predictions, SetScores
from polyprobe.runs.directory import RunDirectory
from polyprobe.seeds import derived_seed

MOST_PAIRS, FEWEST_PAIRS, MOST_OF_ALL = 20, 3, 200  # of a construction, of all together
MOST_BARS = 24  # of a histogram
MOST_ITEMS = 50  # of a list of errors
MOST_LABELS = 20  # of a matrix; of more the pairs of labels that are confused most
MOST_DIFFERENCES = 60  # of two runs
DRAWN_ITEMS, MOST_BYTES = 10, 1_000_000  # of a file that was made
COLOURS_OF_LABELS = (*SERIES_OF_PARTS, "idle")  # the last for all further ones
FUNNEL, FUNNEL_COLOURS = ("left", "removed", ""), ("s0", "s1 light", "none")
ACTIVATIONS = "activations.csv"  # of analyze.py neurons=
NATS_PER_BIT = math.log(2)


@dataclass(frozen=True, slots=True)
class Pair:
    """A grammatical sentence and the variant that comes nearest to it, or beyond it, under one model."""

    number: int
    """Of its set in the file."""
    margin: float
    """In bits."""
    sentences: tuple[str, str]
    sums: tuple[float, float]
    focuses: tuple[float, float]
    """Log-probabilities in bits: of the sentences, and of the words that differ."""


def minimal_set_panels(run: RunDirectory, rows: Sequence[Row]) -> list[Panel]:
    """Returns the panel of the single sets of a run, under the last of its models; none of a run without."""
    records = [one for one in CONSTRUCTIONS.records_of(run) if len(one.numbers)]
    places = {test: place for place, (test,) in enumerate(distinct(rows, "test"))}
    records.sort(key=lambda one: (places.get(one.test, len(places)), one.test))
    if not records:
        return []
    rule = "sum" if any(np.isfinite(one.sums[-1]).any() for one in records) else "focus"
    by = "whole sentences" if rule == "sum" else "the words that differ"
    of_model = f", model {records[0].models[-1]}" if len(records[0].models) > 1 else ""
    most = max(FEWEST_PAIRS, min(MOST_PAIRS, MOST_OF_ALL // len(records)))
    histograms = Figure(
        f"Sets by their margin (bits), of {by}: below 0 a variant scores higher",
        [histogram(*_counted(one, margins(one, rule)[-1])) for one in records],
    )
    return [
        Panel(
            f"Margins of single sets{of_model}",
            [],
            lambda: [histograms],
            folds=[_fold_of_pairs(one, worst_pairs(one, rule, most)) for one in records],
            title_of_folds=(
                f"Pairs with the lowest margins, of {by} (log-probabilities in bits; words that differ are marked)"
            ),
        )
    ]


def _counted(record: SetScores, bits: np.ndarray) -> tuple[str, Sequence[float], Sequence[int]]:
    """Returns the title of a histogram, its edges, 0 among them, and how many sets are between each two; ties apart."""
    scored = bits[np.isfinite(bits)]
    low, high = (min(scored.min(), 0.0), max(scored.max(), 0.0)) if len(scored) else (0.0, 1.0)
    rough = max((high - low) / MOST_BARS, 1e-6)
    size = 10 ** math.floor(math.log10(rough))
    step = next(factor * size for factor in (1, 2, 5, 10) if factor * size >= rough)
    places = range(math.floor(low / step), max(math.floor(high / step) + 1, 1) + 1)
    edges = [round(place * step, 9) for place in places]
    counts = np.histogram(scored[scored != 0], edges)[0].tolist()
    n_ties = int((scored == 0).sum())
    ties = f", {plural(n_ties, 'tie')}" if n_ties else ""
    return f"{record.test} (n={len(scored)}{ties})", edges, counts


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
        sums, focuses = (
            tuple(float(of[-1][one]) / NATS_PER_BIT for one in (first, rival)) for of in (record.sums, record.focuses)
        )
        sentences = str(record.sentences[first]), str(record.sentences[rival])
        pairs.append(Pair(int(record.numbers[place]), float(bits[place]), sentences, sums, focuses))
    return pairs


def _fold_of_pairs(record: SetScores, pairs: Sequence[Pair]) -> Fold:
    """Returns a line for each sentence, the grammatical one of a pair first."""
    between = " " if any(" " in str(sentence) for sentence in record.sentences) else ""
    table = Table(["which", "sentence"], ["set", "margin", "words that differ", "whole sentence"])
    for pair in pairs:
        words = [tuple(one.split(between) if between else one) for one in pair.sentences]
        of_pair = zip(("grammatical", "variant"), words, differing_spans(words), pair.focuses, pair.sums, strict=True)
        for kind, of_sentence, (start, end), focus, whole in of_pair:
            parts = of_sentence[:start], of_sentence[start:end], of_sentence[end:]
            before, marked, behind = map(between.join, parts)
            apart = f"{before}{between}" if before and marked else before, marked, behind and f"{between}{behind}"
            sentence = Marked(between.join(of_sentence), *apart)
            table.add_row(kind, sentence, str(pair.number), _bits(pair.margin), _bits(focus), _bits(whole))
    return Fold(f"{record.test}: {plural(len(pairs), 'pair')}", [table])


def _bits(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else NOTHING


def predictions_panels(run: RunDirectory) -> list[Panel]:
    """Returns the panel of what the probes of a run predict, each test by itself; none of a run without."""
    tests = predictions_of(run).values()
    folds = [_fold_of_test(one, layer) for one in tests if (layer := best_layer(one)) is not None]
    is_selected = any(len(one.layers) > 1 for one in tests)
    title = "Best layer of each test, selected on test for inspection only" if is_selected else ""
    return [Panel("Labels and errors", [], folds=folds, title_of_folds=title)] if folds else []


def _fold_of_test(predictions: Predictions, layer: str) -> Fold:
    counts = confusion_counts(predictions, layer)
    n_seeds = len(predictions.trained(layer))
    tables = [
        _labels(predictions, layer, counts, n_seeds),
        _confusion(predictions, counts, n_seeds),
        _errors(predictions, layer),
    ]
    n_wrong = int((predictions.correct(layer) < 1).sum())
    in_any = f" in at least one of {n_seeds} seeds" if n_seeds > 1 else ""
    wrong = f"{n_wrong:,} of {plural(len(predictions.gold), 'item')} wrong{in_any}"
    return Fold(f"{predictions.test}, {layer}: {wrong}", tables)


def _labels(predictions: Predictions, layer: str, counts: np.ndarray, n_seeds: int) -> Table:
    """Returns of each label its F1 and what it is most often confused with."""
    names = [str(label) for label in predictions.labels]
    wrong = counts - np.diag(np.diag(counts))
    over = f" over {n_seeds} seeds" if n_seeds > 1 else ""
    table = Table(["label"], ["n", "F1"], last=["most often confused with"])
    for _, at, label, f1, n in label_rows(predictions):
        if at == layer:
            of_label = wrong[names.index(label)]
            often = f"({of_label.max():,} of {n * n_seeds:,}{over})"
            rival = f"{names[int(of_label.argmax())]} {often}" if of_label.any() else NOTHING
            table.add_row(label, f"{n:,}", percent(f1), rival)
    return table.titled("F1 of labels (%)")


def _confusion(predictions: Predictions, counts: np.ndarray, n_seeds: int) -> Table:
    names = [str(label) for label in predictions.labels]
    summed = f"Counts summed over {plural(n_seeds, 'seed')}"
    if len(names) > MOST_LABELS:
        wrong = counts - np.diag(np.diag(counts))
        places = np.argsort(-wrong, axis=None, kind="stable")[:MOST_ITEMS]
        pairs = [np.unravel_index(place, wrong.shape) for place in places.tolist()]
        lines = [[names[one], names[other], f"{wrong[one, other]:,}"] for one, other in pairs if wrong[one, other]]
        return Table(["gold", "predicted"], ["n"], lines, "Labels that are confused most", [f"{summed}."])
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shades = np.minimum((SHADES * shares).astype(int), SHADES - 1).tolist()
    lines = [
        [name, *(Shaded(f"{n:,}", shade) if n else "0" for n, shade in zip(of_label, of_shade, strict=True))]
        for name, of_label, of_shade in zip(names, counts.tolist(), shades, strict=True)
    ]
    note = f"{summed}; the shade is the share of a line."
    return Table(["gold \\ predicted"], names, lines, "Confusion", [note])


def _errors(predictions: Predictions, layer: str) -> Table:
    rows = [row[:-1] for row in error_rows(predictions, layer)]
    lines = [[str(line), _item(item), *others] for line, item, *others in rows[:MOST_ITEMS]]
    first = f", the first {MOST_ITEMS}" if len(rows) > MOST_ITEMS else ""
    return Table(ERROR_COLUMNS[:-1], [], lines, f"Errors{first}")


def _item(text: str) -> str:
    """Returns the cell of an item; of a word in a sentence ("a b c", a tab, "1") the sentence with the word marked."""
    sentence, _, place = text.rpartition("\t")
    words = sentence.split(" ")
    if not (place.isdecimal() and int(place) < len(words)):
        return text
    before, behind = words[: int(place)], words[int(place) + 1 :]
    return Marked(sentence, " ".join([*before, ""]), words[int(place)], " ".join(["", *behind]))


def comparison_panels(pairs: Sequence[ComparedPair]) -> list[Panel]:
    """Returns the panel of runs beside the first of them: differences item by item, items of one run alone."""
    folds = [fold for pair in pairs for fold in _folds_of_pair(pair)]
    return [
        Panel(
            "Differences from the first run",
            [*map(table_of_pair, pairs)],
            lambda: _differences(pairs),
            folds=folds,
            title_of_folds=f"Items that one run alone has right, in all seeds, the first {MOST_ITEMS} of each test",
        ),
    ]


def keys_panels(first: RunDirectory, others: Sequence[RunDirectory]) -> list[Panel]:
    """Returns the panel of the keys in which runs differ from the first of them; none of runs that are alike."""
    keys = [[other.name, *line] for other in others for line in differing_keys(first, other)]
    table = Table(["second run", "key", "first", "second"], [], keys, "Keys that differ")
    return [Panel("Keys that differ", [table])] if keys else []


def _differences(pairs: Sequence[ComparedPair]) -> list[Figure]:
    """Draws the difference of each test with its interval, a figure for each pair of runs."""
    figures = []
    for pair in pairs:
        rows = pair.rows[:MOST_DIFFERENCES]
        lines = [f"{row.test}, {row.first_layer}" if len(pair.first.parts) > 1 else row.test for row in rows]
        values = [100 * row.difference for row in rows]
        ends = [
            [value if math.isnan(end) else 100 * end for value, end in zip(values, side, strict=True)]
            for side in ([row.interval_low for row in rows], [row.interval_high for row in rows])
        ]
        drawing = points(
            lines, [Series(pair.second.name, values, *ends)], {"0": [0.0] * len(rows)}, "difference (points)"
        )
        figures.append(Figure(f"{pair.second.name} minus {pair.first.name} (points, 95 %)", [drawing]))
    return figures


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
    of_tests: dict[str, list[dict[str, str]]] = {}
    for line in csv.DictReader(run.checked(path).read_text(encoding="utf-8").splitlines()):
        place = f"{line['test']}, epoch {line['epoch']}" if line["epoch"] else line["test"]
        of_tests.setdefault(place, []).append(line)
    folds = [Fold(place, [_activations(lines)]) for place, lines in of_tests.items()]
    title = "Items that excite the best neurons most and least; the shade is that of the standardised activation"
    return [Panel("Neurons and items", [], folds=folds, title_of_folds=title)]


def _activations(lines: Sequence[Mapping[str, str]]) -> Table:
    table = Table(["neuron", "end"], ["activation"], last=["label", "item"])
    most = max((abs(float(line["standardised"] or 0)) for line in lines), default=0) or 1
    for line in lines:
        share = abs(float(line["standardised"] or 0)) / most
        activation = Shaded(f"{float(line['activation']):.2f}", min(int(SHADES * share), SHADES - 1))
        item = _item(f"{line['sentence']}\t{int(line['position']) - 1}") if line["position"] else line["word"]
        table.add_row(line["neuron"], line["end"], activation, line["label"], item)
    return table


def made_panels(run: RunDirectory) -> list[Panel]:
    """Returns the panel of what generate.py made: labels of each split, what filters left, some items of each file."""
    tests = run.record().get("tests") or {}
    folds = [
        Fold(
            f"{file.relative_to(run.sets).as_posix()}: {plural(len(lines), 'line')}",
            [Table([""], [], [[line.replace("\t", " | ")] for line in lines])],
        )
        for file in sorted(run.sets.rglob("*.txt"))
        if (lines := _drawn_lines(file, derived_seed(0, "page", file.name)))
    ]
    title = "Lines drawn at random (from the first megabyte of each file, always the same)"
    panel = Panel("Labels, filters and items", [], lambda: _made_figures(tests), folds=folds, title_of_folds=title)
    return [panel] if folds else []


def _drawn_lines(file: Path, seed: int) -> list[str]:
    """Returns some lines of a file, in its order."""
    with file.open("rb") as opened:
        start = opened.read(MOST_BYTES)
    lines = start.decode("utf-8", errors="replace").split("\n")
    whole = [line for line in lines[: len(lines) - (len(start) == MOST_BYTES)] if line]
    places = random.Random(seed).sample(range(len(whole)), min(DRAWN_ITEMS, len(whole)))
    return [whole[place] for place in sorted(places)]


def _made_figures(tests: Mapping[str, Mapping[str, Any]]) -> list[Figure]:
    figures = []
    for name, test in tests.items():
        if counts := counts_in_parts(test.get("labels") or {}):
            labels, others = [*counts][: len(SERIES_OF_PARTS)], [*counts][len(SERIES_OF_PARTS) :]
            parts = {label: counts[label] for label in labels}
            if others:
                parts[plural(len(others), "other label")] = [*map(sum, zip(*map(counts.get, others), strict=True))]
            of_splits = [*zip(*parts.values(), strict=True)]
            drawing = stacked([*test["labels"]], [*parts], of_splits, COLOURS_OF_LABELS)
            figures.append(Figure(f"{name}: labels by split", [drawing], key_of_parts([*parts], COLOURS_OF_LABELS)))
    for names, test in tests_alike(tests, lambda test: test.get("filters") or []):
        steps = [step for step in test.get("filters") or [] if step["taken"]]
        for unit in dict.fromkeys(step["unit"] for step in steps):
            of_unit = [(step["filter"], step["left"], step["taken"]) for step in steps if step["unit"] == unit]
            most = max(left + taken for _, left, taken in of_unit)
            counts = [[left, taken, most - left - taken] for _, left, taken in of_unit]
            lines = [f"{filtered} ({left:,})" for filtered, left, _ in of_unit]
            drawing = stacked(lines, FUNNEL, counts, FUNNEL_COLOURS)
            title = f"{names}: items left and removed by filters ({unit})"
            figures.append(Figure(title, [drawing], key_of_parts(FUNNEL[:2], FUNNEL_COLOURS)))
    return figures
