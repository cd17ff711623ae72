"""Tests whether each layer is better than the one before it, as RuSentEval does: `analyze.py job=layers run=a`."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from polyprobe.analysis.comparisons.compare import CELLS, corrected, marked_n, notes_on_marked
from polyprobe.analysis.comparisons.differences import ComparedTest
from polyprobe.analysis.output.tables import Cells, Printable, Table, empty_where_none, write_table
from polyprobe.analysis.pictures.curves import layers_figure
from polyprobe.analysis.pictures.panels import save_figure
from polyprobe.analysis.results.collection import comparisons_folder
from polyprobe.analysis.results.kinds import PROBING
from polyprobe.analysis.results.paired_runs import PairedRun, read_paired_run
from polyprobe.analysis.results.rows import percent
from polyprobe.analysis.statistics.significance import SIGNIFICANT, SMALLEST_P, rise_p
from polyprobe.display.progress import each
from polyprobe.errors import PolyprobeError
from polyprobe.metrics.bootstrap import RESAMPLES
from polyprobe.runs.array_records import Predictions
from polyprobe.seeds import derived_seed

COLUMNS = {
    **{name: name for name in ("test", "n", "n_seeds")},
    **{"before": "first_layer", "layer": "second_layer", "score_before": "first", "score": "second"},
    **{name: name for name in ("difference", "p", "p_holm")},
}
"""Of the CSV file, with the fields of `ComparedTest`: first is the layer before; p is one-sided (`rise_p`)."""


def compare_layers(work: Path, reference: str, tests: object = None) -> Iterator[Printable]:
    """Tells on which layers each test rises significantly, and draws it.

    `comparisons/` has a CSV file with a row per test and pair of neighbouring layers (`COLUMNS`).

    Args:
        reference: name or folder of a run with several layers.
        tests: names of tests, or None for all; Holm's correction runs over these.

    Raises:
        PolyprobeError: the run is unknown, unfinished, without predictions, or has one layer.
    """
    predicted = read_paired_run(work, PROBING, reference, tests)
    pairs = neighbours(predicted.parts)
    if not pairs:
        raise PolyprobeError(f"{predicted.run.name} has one layer, {predicted.parts[0]}: there is no previous layer.")
    cells = [(one, *pair) for one in predicted.tests.values() for pair in pairs]
    rises = corrected([_rise(predicted.run.name, *cell) for cell in each(cells, "resampling", "comparisons")])
    rows = ([empty_where_none(getattr(rise, field)) for field in COLUMNS.values()] for rise in rises)
    path = write_table(
        comparisons_folder(work, predicted.run.path) / f"layers-{predicted.run.name}.csv", [*COLUMNS], rows
    )
    yield _table(predicted, rises)
    yield f"{len(rises)} rows in {path}"
    yield from (f"picture   {picture}" for picture in _draw(predicted, rises))


def neighbours(layers: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs each layer with the one before it: of the same epoch, or for a single layer at several epochs, each epoch.

    >>> neighbours(["0", "1", "2"])
    [('0', '1'), ('1', '2')]
    >>> neighbours(["encoding/0", "encoding/8", "lstm/0", "lstm/8"])
    [('encoding/0', 'lstm/0'), ('encoding/8', 'lstm/8')]
    """
    by_epoch: dict[str, list[str]] = {}
    for layer in layers:
        by_epoch.setdefault(_name_and_epoch(layer)[1], []).append(layer)
    has_one_name = len({_name_and_epoch(layer)[0] for layer in layers}) == 1
    chains = [list(layers)] if has_one_name else list(by_epoch.values())
    return [pair for chain in chains for pair in pairwise(chain)]


def _name_and_epoch(layer: str) -> tuple[str, str]:
    name, slash, epoch = layer.rpartition("/")
    return (name, epoch) if slash else (layer, "")


def _rise(run: str, predictions: Predictions, before: str, layer: str) -> ComparedTest:
    scores = predictions.correct(before), predictions.correct(layer)
    means = [float(score.mean()) for score in scores]
    is_known = not np.isnan(means).any()
    n_seeds = min(len(predictions.trained(before)), len(predictions.trained(layer)))
    return ComparedTest(
        test=predictions.test,
        n=len(predictions.gold),
        n_seeds=n_seeds,
        has_one_seed=n_seeds < 2,
        first_run=run,
        first_layer=before,
        second_run=run,
        second_layer=layer,
        first=means[0],
        second=means[1],
        difference=means[1] - means[0],
        p=rise_p(*scores, derived_seed(0, "layers", predictions.test)) if is_known else np.nan,
    )


def _is_significant(rise: ComparedTest) -> bool:
    return rise.p_holm < SIGNIFICANT


def _table(predicted: PairedRun, rises: Sequence[ComparedTest]) -> Table:
    left: Cells = {
        "test": lambda rise: rise.test,
        "layer": lambda rise: rise.second_layer,
        "before": lambda rise: rise.first_layer,
    }
    right: Cells = {
        **{"n": marked_n, "score": lambda rise: percent(rise.second)},
        **dict(CELLS[name] for name in ("difference", "p", "p_holm")),
        "": lambda rise: "▲" if _is_significant(rise) else "",
    }
    table = Table.of(rises, left, right)
    notes = [
        "p: one-sided paired bootstrap test over items for a rise: (k+1)/(B+1), where "
        f"k of B = {RESAMPLES:,} resamples, centred at no difference, exceed the observed rise.",
        f"Holm: p corrected over the {len(rises)} rows; ▲ marks p below {SIGNIFICANT}.",
        *beyond_resampling(sum(not np.isnan(rise.p) for rise in rises)),
        *notes_on_marked(rises, "test items"),
    ]
    run = ", ".join(filter(None, (predicted.run.name, predicted.which)))
    return table.titled(f"Each layer vs. the previous layer (%): {run}", notes)


def beyond_resampling(n_tested: int) -> list[str]:
    """Says so where the smallest p that resampling can show is not significant among so many rows."""
    if n_tested * SMALLEST_P < SIGNIFICANT:
        return []
    return [f"With {n_tested} rows no p of {RESAMPLES:,} resamples can reach significance: choose fewer, tests=[…]."]


def _draw(predicted: PairedRun, rises: Sequence[ComparedTest]) -> list[Path]:
    """Draws the curves over layers with marks; nothing for a run over epochs, which has no such curves."""
    rows = predicted.run.rows()
    if any(row.get("epoch") is not None for row in rows if row["stage"] == "probing"):
        return []
    risen: dict[str, list[str]] = {test: [] for test in predicted.tests}
    for rise in rises:
        if _is_significant(rise):
            risen[rise.test].append(rise.second_layer)
    return save_figure(layers_figure(rows, risen), predicted.run.pictures / "layers")
