"""Writes what is found of neurons: rows, CSV files, pictures."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from src.analysis.neurons.ablations import AblationPoint
from src.analysis.neurons.excited_items import ExcitedItem, excited_items
from src.analysis.neurons.layer_counts import (
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
from src.analysis.neurons.layer_pictures import (
    layer_numbers_figure,
    layer_shares_figure,
    layers_by_epoch_figure,
    overlaps_figure,
)
from src.analysis.neurons.neuron_settings import NeuronSettings
from src.analysis.neurons.overlaps import CONTROL as WITH_CONTROL
from src.analysis.neurons.overlaps import RANKINGS as OF_RANKINGS
from src.analysis.neurons.overlaps import SEEDS as OF_SEEDS
from src.analysis.neurons.overlaps import TESTS as OF_TESTS
from src.analysis.neurons.overlaps import OverlapRow, Overlaps, orders_of_seeds, overlaps
from src.analysis.neurons.probed_test import ProbedTest, n_of_share
from src.analysis.neurons.rankings import RankedNeuron, Ranking, ranked_neurons, ranking_of_weights
from src.analysis.neurons.row_names import (
    FULL,
    ITEMS,
    LAYERS,
    MINIMAL_SET,
    NEURONS,
    NEURONS_OF_MASS,
    NEURONS_OF_NUMBER,
    NO_MINIMAL_SET,
    OVERLAP,
    OVERLAPS,
    RANDOM,
    STAGE,
    WEIGHTS,
)
from src.analysis.neurons.studied_test import StudiedTest
from src.analysis.output.tables import write_records, write_table
from src.analysis.pictures.panels import save_figure
from src.analysis.results.rows import Row, said_of_one
from src.display.progress import each
from src.metrics.bootstrap import bootstrap_interval
from src.probing.all_layers import ALL
from src.probing.baselines.columns import baseline_columns
from src.probing.suites.tests import ProbingTest
from src.runs.directory import RunDirectory
from src.runs.results import FEW_ITEMS, ResultRow
from src.seeds import derived_seed

Maker = Callable[..., ResultRow]
"""Makes a row about a test, of what all its rows say; n is that of its train items unless it is said."""


@dataclass(frozen=True, eq=False)
class Output:
    """What is written."""

    probed: Sequence[Row]
    """Rows of the run whose neurons they are."""
    studied: Sequence[StudiedTest]
    """Its tests, at every epoch."""
    settings: NeuronSettings

    @property
    def n_top(self) -> int:
        """How many neurons are the top ones by number."""
        return n_of_share(self.studied[0].ranked.probed.space.n_neurons, self.settings.top_share)

    @property
    def last_epoch(self) -> int | None:
        """The last epoch; None where the encoder has none."""
        return self.studied[-1].ranked.probed.epoch

    def rows(self) -> Iterator[ResultRow]:
        """Yields the rows of all tests."""
        first = next(row for row in self.probed if row["stage"] == "probing")
        of_run = {key: first.get(key) for key in ("lang", "suite", "encoder", "model", "options", "probe")}
        for one, counted in zip(each(self.studied, "bootstrap", "tests"), self.counted, strict=True):
            probed = one.ranked.probed
            about = {"stage": STAGE, "test": probed.test.name, "epoch": probed.epoch, "layer": ALL, "split": "test"}
            n = len(probed.test.train.label_ids)
            yield from self._rows(partial(ResultRow, **of_run, **about, n=n), one, counted)

    def _rows(self, make: Maker, one: StudiedTest, counted: CountedTest) -> Iterator[ResultRow]:
        test = one.ranked.probed.test
        yield replace(_selectivity_row(make, one.full, one.full_control, "", FULL), **baseline_columns(test))
        yield from _point_rows(make, test, one.points)
        for ranking, point in one.minimal.items():
            control = one.minimal_controls.get(ranking) if point else one.full_control
            yield _selectivity_row(make, point or one.full, control, ranking, MINIMAL_SET)
        for ranking, reason in one.without_minimal.items():
            about = {"metric": "accuracy", "value": None, "n": len(one.full.correct), "ranking": ranking}
            yield make(**about, ablation=MINIMAL_SET, note=f"{NO_MINIMAL_SET}{reason}")
        for counts in counted.of_test.values():
            yield from _layer_rows(make, counts)
        if one.ranked.control is not None:
            shared = self._with_control(one)
            yield make(metric=OVERLAP, value=float(shared.shares[0, 1]), ranking=WEIGHTS, neurons=shared.n)

    @cached_property
    def counted(self) -> list[CountedTest]:
        """The top neurons of each test, and of its control task, by layer."""
        found = []
        for one in self.studied:
            probed, control = one.ranked.probed, one.ranked.control
            of_test = self._counts(probed, one.ranked.by_weights)
            of_control = {} if control is None else self._counts(control, _by_weights(control))
            found.append(CountedTest(probed.test.name, probed.epoch, of_test, of_control))
        return found

    def _counts(self, probed: ProbedTest, by_weights: Ranking) -> dict[str, LayerCounts]:
        share = self.settings.top_share
        return {
            MASS: counts_by_mass(probed.weights, probed.train_labels, probed.space, share),
            NUMBER: counts_by_number(by_weights, probed.space, share),
        }

    def neurons(self) -> Iterator[RankedNeuron]:
        """Yields the neurons of all rankings; of a random one where there is no other."""
        for one in self.studied:
            rankings = [ranking for ranking in one.ranked.rankings if ranking.name != RANDOM]
            for ranking in rankings or one.ranked.rankings:
                minimal = one.minimal.get(ranking.name)
                yield from ranked_neurons(one.ranked.probed, ranking, minimal and minimal.n_neurons)

    def layers(self) -> Iterator[LayerCountRow]:
        """Yields the counts by layer of all tests, together and by label; of rankings without weights by number."""
        for one, counted in zip(self.studied, self.counted, strict=True):
            labels = one.ranked.probed.test.labels
            for task, of_task in ((TEST, counted.of_test), (CONTROL, counted.of_control)):
                for counts in of_task.values():
                    yield from layer_count_rows(counts, (counted.test, counted.epoch, task), WEIGHTS, labels)
            for ranking in one.ranked.rankings:
                if ranking.name not in (WEIGHTS, RANDOM):
                    counts = counts_by_number(ranking, one.ranked.probed.space, self.settings.top_share)
                    yield from layer_count_rows(counts, (counted.test, counted.epoch, TEST), ranking.name, labels)

    def overlaps(self) -> Iterator[OverlapRow]:
        """Yields the overlaps of tests at each epoch; of a test's rankings, its seeds, and it with its control task."""
        for epoch, found in self.of_tests.items():
            yield from found.rows(OF_TESTS, None, epoch)
        for one in self.studied:
            probed = one.ranked.probed
            about = probed.test.name, probed.epoch
            orders = {ranking.name: ranking.order for ranking in one.ranked.rankings}
            yield from overlaps(orders, self.n_top, probed.space.n_neurons).rows(OF_RANKINGS, *about)
            yield from overlaps(orders_of_seeds(probed), self.n_top, probed.space.n_neurons).rows(OF_SEEDS, *about)
            if one.ranked.control is not None:
                yield from self._with_control(one).rows(WITH_CONTROL, *about)

    @cached_property
    def of_tests(self) -> dict[int | None, Overlaps]:
        """What the top neurons of tests have in common, by epoch."""
        by_epoch: dict[int | None, dict] = {}
        for one in self.studied:
            orders = by_epoch.setdefault(one.ranked.probed.epoch, {})
            orders[one.ranked.probed.test.name] = one.ranked.by_weights.order
        n_neurons = self.studied[0].ranked.probed.space.n_neurons
        return {epoch: overlaps(orders, self.n_top, n_neurons) for epoch, orders in by_epoch.items()}

    def _with_control(self, one: StudiedTest) -> Overlaps:
        orders = {
            one.ranked.probed.test.name: one.ranked.by_weights.order,
            "control task": _by_weights(one.ranked.control).order,
        }
        return overlaps(orders, self.n_top, one.ranked.probed.space.n_neurons)

    def items(self) -> Iterator[ExcitedItem]:
        """Yields the items that excite the best neurons of each test, and those that are asked for."""
        for one in self.studied:
            probed = one.ranked.probed
            best = one.ranked.by_weights.order[: self.settings.shown_neurons].tolist()
            named = probed.space.places(self.settings.show, "of_neurons.show")
            yield from excited_items(probed, list(dict.fromkeys([*named, *best])), self.settings.shown_items)


def _by_weights(probed: ProbedTest) -> Ranking:
    return ranking_of_weights(probed.weights[0], probed.train_labels)


def write_output(output: Output, directory: RunDirectory) -> list[ResultRow]:
    """Writes CSV files and pictures that are not made of rows; returns the rows."""
    tables = {NEURONS: output.neurons(), LAYERS: output.layers(), OVERLAPS: output.overlaps(), ITEMS: output.items()}
    write_tables(directory.path, tables)
    rows = list(output.rows())
    _draw(output, [said_of_one([asdict(row) for row in rows], "lang", "suite", "encoder")], directory)
    return rows


def _draw(output: Output, said: Sequence[str], directory: RunDirectory) -> None:
    """Draws what cannot be drawn of rows: the top neurons by layer, and those that tests share."""
    counted = output.counted
    last = [one for one in counted if one.epoch == output.last_epoch]
    save_figure(layer_shares_figure(last, said), directory.pictures / "layer_shares")
    save_figure(layer_numbers_figure(last, said), directory.pictures / "layer_numbers")
    if len(counted) > len(last):
        save_figure(layers_by_epoch_figure(counted, MASS, said), directory.pictures / "layers_by_epoch")
    if len(last) > 1:
        figure = overlaps_figure(output.of_tests[output.last_epoch], f"tests, ranking {WEIGHTS}", said)
        save_figure(figure, directory.pictures / "overlap_of_tests")


def write_tables(folder: Path, tables: Mapping[str, Iterable[Any]]) -> list[Path]:
    """Writes files of records into a folder, a column for every field of the data class; returns their paths.

    A file without records has the header of its kind in `KINDS`.
    """
    found: Mapping[str, Sequence[Any]] = {name: list(records) for name, records in tables.items()}
    return [
        write_records(folder / name, records)
        if records
        else write_table(folder / name, [field.name for field in fields(KINDS[name])], [])
        for name, records in found.items()
    ]


KINDS = {NEURONS: RankedNeuron, LAYERS: LayerCountRow, OVERLAPS: OverlapRow, ITEMS: ExcitedItem}
"""The data class of each file."""


def _point_rows(make: Maker, test: ProbingTest, points: Sequence[AblationPoint]) -> Iterator[ResultRow]:
    """Yields two rows for each point: its accuracy on test items, with its interval, and on dev."""
    for point in points:
        row = _accuracy_row(make, point, point.ranking, f"{point.kept}_{point.manner}")
        n_dev = len(test.dev.label_ids)
        yield row
        dev = {"split": "dev", "n": n_dev, "value": _known(point.dev_accuracy)}
        yield replace(row, **dev, interval_low=None, interval_high=None, note=_note(point, n_dev))


def _selectivity_row(
    make: Maker, point: AblationPoint, control: AblationPoint | None, ranking: str, ablation: str
) -> ResultRow:
    """Returns the row of all neurons or of the minimal set of a ranking, with its control task where there is one."""
    row = _accuracy_row(make, point, ranking, ablation)
    if control is None:
        return row
    selectivity = _known(point.accuracy - control.accuracy)
    return replace(row, control=_known(control.accuracy), selectivity=selectivity)


def _layer_rows(make: Maker, counts: LayerCounts) -> Iterator[ResultRow]:
    """Yields for each layer how many of the top neurons lie in it, and how many of as many drawn evenly would."""
    metric = NEURONS_OF_MASS if counts.share_of == MASS else NEURONS_OF_NUMBER
    found = zip(counts.layers, counts.numbers.tolist(), counts.if_even(counts.n_top), strict=True)
    for layer, number, by_chance in found:
        yield make(
            layer=layer,
            metric=metric,
            value=number,
            permuted=by_chance.expected,
            ranking=WEIGHTS,
            neurons=round(counts.n_top),
        )


def _accuracy_row(make: Maker, point: AblationPoint, ranking: str, ablation: str) -> ResultRow:
    interval = {}
    if point.n_seeds:
        low, high = bootstrap_interval(point.correct, derived_seed(0, "bootstrap", point.test))
        interval = {"interval_low": low, "interval_high": high}
    return make(
        metric="accuracy",
        value=_known(point.accuracy),
        n=len(point.correct),
        n_seeds=point.n_seeds,
        ranking=ranking or None,
        neurons=point.n_neurons,
        ablation=ablation,
        note=_note(point, len(point.correct)),
        **interval,
    )


def _note(point: AblationPoint, n_items: int) -> str | None:
    notes = [] if point.n_seeds else ["failed: every probe"]
    if n_items < FEW_ITEMS:
        notes.append(f"fewer than {FEW_ITEMS} items")
    if point.n_seeds == 1:
        notes.append("one seed")
    return ", ".join(notes) or None


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
