"""Writes what is found of neurons: rows, CSV files, pictures."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

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
from src.analysis.neurons.layer_pictures import draw_layer_numbers, draw_layer_shares, draw_layers_by_epoch
from src.analysis.neurons.neuron_files import RankedNeuron, ranked_neurons, write_tables
from src.analysis.neurons.neuron_rows import (
    ProbedRun,
    Selectivity,
    layer_rows,
    no_minimal_set_row,
    overlap_row,
    point_rows,
    selectivity_row,
)
from src.analysis.neurons.neuron_settings import NeuronSettings
from src.analysis.neurons.neuron_space import n_of_share
from src.analysis.neurons.overlap_pictures import draw_overlaps
from src.analysis.neurons.overlaps import CONTROL as WITH_CONTROL
from src.analysis.neurons.overlaps import RANKINGS as OF_RANKINGS
from src.analysis.neurons.overlaps import SEEDS as OF_SEEDS
from src.analysis.neurons.overlaps import TESTS as OF_TESTS
from src.analysis.neurons.overlaps import OverlapRow, Overlaps, orders_of_seeds, overlaps
from src.analysis.neurons.probed_test import ProbedTest
from src.analysis.neurons.rankings import Ranking, ranking_of_weights
from src.analysis.neurons.row_names import FULL, ITEMS, LAYERS, MINIMAL_SET, NEURONS, OVERLAPS, RANDOM, WEIGHTS
from src.analysis.neurons.studied_test import StudiedTest
from src.analysis.results.rows import Row, said_of_one
from src.display.progress import each
from src.runs.directory import RunDirectory
from src.runs.results import ResultRow


@dataclass(frozen=True, eq=False)
class Output:
    """What is written.

    Attributes:
        probed: rows of the run whose neurons they are.
        studied: its tests, at every epoch.
        settings: how they were looked at.
    """

    probed: Sequence[Row]
    studied: Sequence[StudiedTest]
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
        run = ProbedRun.of(next(row for row in self.probed if row["stage"] == "probing"))
        for one, counted in zip(each(self.studied, "bootstrap", "tests"), self.counted, strict=True):
            yield from self._rows(run, one, counted)

    def _rows(self, run: ProbedRun, one: StudiedTest, counted: CountedTest) -> Iterator[ResultRow]:
        probed, test = one.ranked.probed, one.ranked.probed.test
        yield selectivity_row(run, test, Selectivity(FULL, one.full, one.full_control), "")
        yield from point_rows(run, test, one.points)
        for ranking, point in one.minimal.items():
            control = one.minimal_controls.get(ranking) if point else one.full_control
            yield selectivity_row(run, test, Selectivity(MINIMAL_SET, point or one.full, control), ranking)
        for ranking, reason in one.without_minimal.items():
            yield no_minimal_set_row(run, test, one.full, ranking, reason)
        for counts in counted.of_test.values():
            yield from layer_rows(run, test, probed.epoch, WEIGHTS, counts)
        if one.ranked.control is not None:
            with_control = self._with_control(one)
            yield overlap_row(run, test, probed.epoch, float(with_control.shares[0, 1]), with_control.n)

    @cached_property
    def counted(self) -> list[CountedTest]:
        """The top neurons of each test, and of its control task, by layer."""
        return [self._counted(one) for one in self.studied]

    def _counted(self, one: StudiedTest) -> CountedTest:
        probed, control = one.ranked.probed, one.ranked.control
        of_control = {} if control is None else self._counts(control, _by_weights(control))
        return CountedTest(probed.test.name, probed.epoch, self._counts(probed, one.ranked.by_weights), of_control)

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


def write_output(output: Output, directory: RunDirectory) -> None:
    """Writes CSV files, pictures and rows; rows last: a finished run has all files that are not made of its rows."""
    tables = {NEURONS: output.neurons(), LAYERS: output.layers(), OVERLAPS: output.overlaps(), ITEMS: output.items()}
    write_tables(directory.path, tables)
    rows = list(output.rows())
    _draw(output, [said_of_one([asdict(row) for row in rows], "lang", "suite", "encoder")], directory)
    directory.finish(rows, {})


def _draw(output: Output, said: Sequence[str], directory: RunDirectory) -> None:
    """Draws what cannot be drawn of rows: the top neurons by layer, and those that tests share."""
    counted = output.counted
    last = [one for one in counted if one.epoch == output.last_epoch]
    draw_layer_shares(last, said, directory.pictures / "layer_shares")
    draw_layer_numbers(last, said, directory.pictures / "layer_numbers")
    if len(counted) > len(last):
        draw_layers_by_epoch(counted, MASS, said, directory.pictures / "layers_by_epoch")
    if len(last) > 1:
        of_last = output.of_tests[output.last_epoch]
        draw_overlaps(of_last, f"tests, ranking {WEIGHTS}", said, directory.pictures / "overlap_of_tests")
