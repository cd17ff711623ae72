"""Writes what is found of neurons: rows and CSV files."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from polyprobe.analysis.neurons.ablations import AblationPoint, StudiedTest
from polyprobe.analysis.neurons.neuron_settings import (
    FULL,
    ITEMS,
    LAYERS,
    NEURONS,
    NEURONS_OF_MASS,
    NEURONS_OF_NUMBER,
    RANDOM,
    STAGE,
    WEIGHTS,
    ZEROED,
)
from polyprobe.analysis.neurons.probed_test import ProbedTest
from polyprobe.analysis.neurons.rankings import (
    ExcitedItem,
    RankedNeuron,
    Ranking,
    excited_items,
    ranked_neurons,
    ranking_of_weights,
)
from polyprobe.analysis.neurons.top_neurons import (
    CONTROL,
    MASS,
    NUMBER,
    TEST,
    CountedTest,
    LayerCountRow,
    LayerCounts,
    counts_by_mass,
    counts_by_number,
    layer_count_rows,
)
from polyprobe.analysis.output.tables import write_records
from polyprobe.analysis.results.rows import Row
from polyprobe.display.progress import each
from polyprobe.metrics.bootstrap import bootstrap_interval
from polyprobe.probing.baselines.columns import baseline_columns
from polyprobe.probing.item_vectors import ALL
from polyprobe.probing.suites.tests import ProbingTest
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.results import ResultRow, known_number, note_of
from polyprobe.seeds import derived_seed

Maker = Callable[..., ResultRow]
"""Makes a row about a test, of what all its rows say; n is that of its train items unless it is said."""


def write_output(of_run: Sequence[Row], studied: Sequence[StudiedTest], directory: RunDirectory) -> list[ResultRow]:
    """Writes CSV files that are not made of rows.

    Args:
        of_run: rows of the run whose neurons they are.
        studied: its tests, at every epoch.

    Returns:
        The rows.
    """
    counted = []
    for one in studied:
        of_control = {} if one.control is None else _counts(one, one.control, ranking_of_weights(one.control))
        of_test = _counts(one, one.probed, one.by_weights)
        counted.append(CountedTest(one.probed.test.name, one.probed.epoch, of_test, of_control))
    write_records(directory.path / NEURONS, RankedNeuron, _neuron_rows(studied))
    write_records(directory.path / LAYERS, LayerCountRow, _layer_count_rows(studied, counted))
    write_records(directory.path / ITEMS, ExcitedItem, _item_rows(studied))
    return list(_rows(of_run, studied, counted))


def _counts(one: StudiedTest, probed: ProbedTest, by_weights: Ranking) -> dict[str, LayerCounts]:
    """Counts the top neurons of a test, or of its control task, by layer."""
    share = one.settings.top_share
    return {
        MASS: counts_by_mass(probed.weights, probed.train_labels, probed.space, share),
        NUMBER: counts_by_number(by_weights, probed.space, share),
    }


def _neuron_rows(studied: Sequence[StudiedTest]) -> Iterator[RankedNeuron]:
    """Yields the neurons of all rankings; of a random one where there is no other."""
    for one in studied:
        rankings = [ranking for ranking in one.rankings if ranking.name != RANDOM]
        for ranking in rankings or one.rankings:
            yield from ranked_neurons(one.probed, ranking)


def _layer_count_rows(studied: Sequence[StudiedTest], counted: Sequence[CountedTest]) -> Iterator[LayerCountRow]:
    """Yields the counts by layer of all tests, together and by label; of rankings without weights by number."""
    for one, counts_of in zip(studied, counted, strict=True):
        labels, about = one.probed.test.labels, (counts_of.test, counts_of.epoch)
        for task, of_task in ((TEST, counts_of.of_test), (CONTROL, counts_of.of_control)):
            for counts in of_task.values():
                yield from layer_count_rows(counts, (*about, task), WEIGHTS, labels)
        for ranking in one.rankings:
            if ranking.name not in (WEIGHTS, RANDOM):
                counts = counts_by_number(ranking, one.probed.space, one.settings.top_share)
                yield from layer_count_rows(counts, (*about, TEST), ranking.name, labels)


def _item_rows(studied: Sequence[StudiedTest]) -> Iterator[ExcitedItem]:
    """Yields the items that excite the best neurons of each test, and those that `show` names."""
    for one in studied:
        best = one.by_weights.order[: one.settings.shown_neurons].tolist()
        named = one.probed.space.places(one.settings.show, "show")
        yield from excited_items(one.probed, list(dict.fromkeys([*named, *best])), one.settings.shown_items)


def _rows(of_run: Sequence[Row], studied: Sequence[StudiedTest], counted: Sequence[CountedTest]) -> Iterator[ResultRow]:
    """Yields the rows of all tests."""
    first = next(row for row in of_run if row["stage"] == "probing")
    known = {key: first.get(key) for key in ("lang", "suite", "encoder", "model", "options", "probe")}
    for one, counts in zip(each(studied, "bootstrap", "tests"), counted, strict=True):
        test = one.probed.test
        about = {"stage": STAGE, "test": test.name, "epoch": one.probed.epoch, "layer": ALL, "split": "test"}
        yield from _rows_of_test(partial(ResultRow, **known, **about, n=len(test.train.label_ids)), one, counts)


def _rows_of_test(make: Maker, one: StudiedTest, counted: CountedTest) -> Iterator[ResultRow]:
    test = one.probed.test
    full = replace(_accuracy_row(make, test, one.full, FULL), **baseline_columns(test))
    if one.full_control is not None:
        selectivity = known_number(one.full.accuracy - one.full_control.accuracy)
        full = replace(full, control=known_number(one.full_control.accuracy), selectivity=selectivity)
    yield full
    yield from _point_rows(make, test, one.points)
    for counts in counted.of_test.values():
        yield from _layer_rows(make, counts)


def _point_rows(make: Maker, test: ProbingTest, points: Sequence[AblationPoint]) -> Iterator[ResultRow]:
    """Yields two rows for each point: its accuracy on test items, with its interval, and on dev."""
    for point in points:
        row = _accuracy_row(make, test, point, f"{point.kept}_{ZEROED}")
        n_dev = len(test.dev.label_ids)
        yield row
        dev = {"split": "dev", "n": n_dev, "value": known_number(point.dev_accuracy)}
        yield replace(row, **dev, interval_low=None, interval_high=None, note=note_of([], n_dev, point.n_seeds))


def _layer_rows(make: Maker, counts: LayerCounts) -> Iterator[ResultRow]:
    """Yields for each layer how many of the top neurons lie in it, and how many of as many drawn evenly would."""
    metric = NEURONS_OF_MASS if counts.share_of == MASS else NEURONS_OF_NUMBER
    found = zip(counts.layers, counts.numbers.tolist(), counts.if_even(counts.n_top)[0].tolist(), strict=True)
    for layer, number, expected in found:
        yield make(
            layer=layer,
            metric=metric,
            value=number,
            permuted=expected,
            ranking=WEIGHTS,
            neurons=round(counts.n_top),
        )


def _accuracy_row(make: Maker, test: ProbingTest, point: AblationPoint, ablation: str) -> ResultRow:
    low, high = bootstrap_interval(point.correct, derived_seed(0, "bootstrap", test.name))
    return make(
        metric="accuracy",
        value=known_number(point.accuracy),
        n=len(point.correct),
        n_seeds=point.n_seeds,
        ranking=point.ranking or None,
        neurons=point.n_neurons,
        ablation=ablation,
        note=note_of([], len(point.correct), point.n_seeds),
        interval_low=low,
        interval_high=high,
    )
