"""Single sets and items on the page of a run: margins, the worst pairs, what probes take for what, wrong items."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyprobe.analysis.comparisons.pairings import SETS
from polyprobe.analysis.output.tables import NOTHING, Table
from polyprobe.analysis.page.marks import SHADES, histogram
from polyprobe.analysis.page.page_panels import Figure, Fold, Folds, Marked, Panel, Shaded
from polyprobe.analysis.results.paired_runs import (
    ERROR_COLUMNS,
    best_layer,
    confusion_counts,
    error_rows,
    label_rows,
    predictions_of,
)
from polyprobe.analysis.results.rows import Row, distinct, percent
from polyprobe.display.shown import plural
from polyprobe.formats.minimal_sets.clams import differing_spans
from polyprobe.metrics.minimal_sets import margins
from polyprobe.runs.array_records import Predictions, SetScores
from polyprobe.runs.directory import RunDirectory

MOST_PAIRS, FEWEST_PAIRS, MOST_OF_ALL = 20, 3, 200  # of a construction, of all together
MOST_BARS = 24  # of a histogram
MOST_ITEMS = 50  # of a list of errors
MOST_LABELS = 20  # of a matrix; of more the pairs of labels that are confused most
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
    records = [one for one in SETS.records(run) if isinstance(one, SetScores) and len(one.numbers)]
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
            folds=Folds(
                f"Pairs with the lowest margins, of {by} (log-probabilities in bits; words that differ are marked)",
                [_fold_of_pairs(one, worst_pairs(one, rule, most)) for one in records],
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
        most: how many.
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
    folds = [
        _fold_of_test(one, layer) for one in predictions_of(run).values() if (layer := best_layer(one)) is not None
    ]
    title = "Of each test its best layer on test items: a choice of what to look at, no result"
    return [Panel("Labels and errors", [], folds=Folds(title, folds))] if folds else []


def _fold_of_test(predictions: Predictions, layer: str) -> Fold:
    counts = confusion_counts(predictions, layer)
    errors, n_errors = _errors(predictions, layer)
    tables = [_labels(predictions, layer, counts), _confusion(predictions, counts), errors]
    wrong = f"{plural(n_errors, 'error')} in {plural(len(predictions.gold), 'item')}"
    return Fold(f"{predictions.test}, {layer}: {wrong}", tables)


def _labels(predictions: Predictions, layer: str, counts: np.ndarray) -> Table:
    """Returns of each label its F1 and what it is most often taken for."""
    names = [str(label) for label in predictions.labels]
    wrong = counts - np.diag(np.diag(counts))
    table = Table(["label"], ["n", "F1"], last=["most often taken for"])
    for _, at, label, f1, n in label_rows(predictions):
        if at == layer:
            of_label = wrong[names.index(label)]
            rival = f"{names[int(of_label.argmax())]} ({of_label.max():,})" if of_label.any() else NOTHING
            table.add_row(label, f"{n:,}", percent(f1), rival)
    return table.titled("F1 of labels (%)")


def _confusion(predictions: Predictions, counts: np.ndarray) -> Table:
    names = [str(label) for label in predictions.labels]
    if len(names) > MOST_LABELS:
        wrong = counts - np.diag(np.diag(counts))
        places = np.argsort(-wrong, axis=None, kind="stable")[:MOST_ITEMS]
        pairs = [np.unravel_index(place, wrong.shape) for place in places.tolist()]
        lines = [[names[one], names[other], f"{wrong[one, other]:,}"] for one, other in pairs if wrong[one, other]]
        return Table(["gold", "predicted"], ["n"], lines, "Labels that are confused most")
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shades = np.minimum((SHADES * shares).astype(int), SHADES - 1).tolist()
    lines = [
        [name, *(Shaded(f"{n:,}", shade) if n else "0" for n, shade in zip(of_label, of_shade, strict=True))]
        for name, of_label, of_shade in zip(names, counts.tolist(), shades, strict=True)
    ]
    note = f"Counts over {plural(len(predictions.seeds), 'seed')}; the shade is the share of a line."
    return Table(["gold \\ predicted"], names, lines, "Confusion", [note])


def _errors(predictions: Predictions, layer: str) -> tuple[Table, int]:
    rows = [row[:-1] for row in error_rows(predictions, layer)]
    lines = [[str(line), _item(item), *others] for line, item, *others in rows[:MOST_ITEMS]]
    first = f", the first {MOST_ITEMS}" if len(rows) > MOST_ITEMS else ""
    return Table(ERROR_COLUMNS[:-1], [], lines, f"Errors{first}"), len(rows)


def _item(text: str) -> str:
    """Returns the cell of an item; of a word in a sentence ("a b c", a tab, "1") the sentence with the word marked."""
    sentence, _, place = text.rpartition("\t")
    words = sentence.split(" ")
    if not (place.isdecimal() and int(place) < len(words)):
        return text
    before, behind = words[: int(place)], words[int(place) + 1 :]
    return Marked(sentence, " ".join([*before, ""]), words[int(place)], " ".join(["", *behind]))
