"""The result rows of `python analyze.py neurons=<run>`."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from src.analysis.neurons.ablations import AblationPoint
from src.analysis.neurons.layer_counts import MASS, LayerCounts
from src.analysis.neurons.row_names import (
    FULL,
    MINIMAL_SET,
    NEURONS_OF_MASS,
    NEURONS_OF_NUMBER,
    NO_MINIMAL_SET,
    OVERLAP,
    STAGE,
    WEIGHTS,
)
from src.analysis.results.rows import Row
from src.metrics.bootstrap import bootstrap_interval
from src.probing.all_layers import ALL
from src.probing.baselines.columns import baseline_columns
from src.probing.suites.tests import ProbingTest
from src.runs.results import FEW_ITEMS, ResultRow
from src.seeds import derived_seed


@dataclass(frozen=True, slots=True)
class ProbedRun:
    """What all rows say of the run whose neurons are looked at.

    Attributes:
        lang, suite, encoder, model, options, probe: as in the run's own rows, see `ResultRow`.
    """

    lang: str
    suite: str
    encoder: str | None
    model: str | None
    options: str | None
    probe: str | None

    @classmethod
    def of(cls, row: Row) -> "ProbedRun":
        """Reads a row of the run."""
        return cls(row["lang"], row["suite"], *(row.get(key) for key in ("encoder", "model", "options", "probe")))

    def row(self, **columns: Any) -> ResultRow:
        """Returns a row of this run."""
        columns = {"stage": STAGE, "layer": ALL, "split": "test", **columns}
        return ResultRow(**{name: getattr(self, name) for name in self.__slots__}, **columns)


@dataclass(frozen=True, eq=False)
class Selectivity:
    """What probes of the same neurons score on a test and on its control task.

    Attributes:
        ablation: FULL or MINIMAL_SET.
        point: of the test.
        control: of its control task; None where the run has none.
    """

    ablation: str
    point: AblationPoint
    control: AblationPoint | None


def point_rows(run: ProbedRun, test: ProbingTest, points: Sequence[AblationPoint]) -> Iterator[ResultRow]:
    """Yields two rows for each point: its accuracy on test items, with its interval, and on dev."""
    for point in points:
        row = _row(run, test, point, f"{point.kept}_{point.manner}")
        n_dev = len(test.dev.label_ids)
        yield row
        dev = {"split": "dev", "n": n_dev, "value": _known(point.dev_accuracy)}
        yield replace(row, **dev, interval_low=None, interval_high=None, note=_note(point, n_dev))


def selectivity_row(run: ProbedRun, test: ProbingTest, found: Selectivity, ranking: str) -> ResultRow:
    """Returns the row of all neurons or of a minimal set, with its control task where there is one.

    That of all neurons has the baselines of the test, too.

    Args:
        run, test: what was probed.
        found: the accuracies.
        ranking: whose minimal set it is; "" for all neurons.
    """
    baselines = baseline_columns(test) if found.ablation == FULL else {}
    row = replace(_row(run, test, found.point, found.ablation), ranking=ranking or None, **baselines)
    if found.control is None:
        return row
    control = found.control.accuracy
    return replace(row, control=_known(control), selectivity=_known(found.point.accuracy - control))


def no_minimal_set_row(run: ProbedRun, test: ProbingTest, full: AblationPoint, ranking: str, reason: str) -> ResultRow:
    """Returns the row of a ranking without a minimal set: no value, and why in its note."""
    n = len(full.correct)
    about = {"test": test.name, "epoch": full.epoch, "metric": "accuracy", "ranking": ranking, "ablation": MINIMAL_SET}
    return run.row(**about, value=None, n=n, note=f"{NO_MINIMAL_SET}{reason}")


def layer_rows(
    run: ProbedRun, test: ProbingTest, epoch: int | None, ranking: str, counts: LayerCounts
) -> Iterator[ResultRow]:
    """Yields for each layer how many of the top neurons lie in it, and how many of as many drawn evenly would."""
    metric = NEURONS_OF_MASS if counts.share_of == MASS else NEURONS_OF_NUMBER
    found = zip(counts.layers, counts.numbers.tolist(), counts.if_even(counts.n_top), strict=True)
    for layer, number, by_chance in found:
        yield run.row(
            test=test.name,
            epoch=epoch,
            layer=layer,
            metric=metric,
            value=number,
            permuted=by_chance.expected,
            n=len(test.train.label_ids),
            ranking=ranking,
            neurons=round(counts.n_top),
        )


def overlap_row(run: ProbedRun, test: ProbingTest, epoch: int | None, share: float, n_neurons: int) -> ResultRow:
    """Returns the share of a test's first neurons that are also among those of its control task."""
    n = len(test.train.label_ids)
    about = {"test": test.name, "epoch": epoch, "ranking": WEIGHTS, "neurons": n_neurons}
    return run.row(metric=OVERLAP, value=share, n=n, **about)


def _row(run: ProbedRun, test: ProbingTest, point: AblationPoint, ablation: str) -> ResultRow:
    return run.row(
        test=test.name,
        epoch=point.epoch,
        metric="accuracy",
        value=_known(point.accuracy),
        n=len(point.correct),
        n_seeds=point.n_seeds,
        ranking=point.ranking or None,
        neurons=point.n_neurons,
        ablation=ablation,
        note=_note(point, len(point.correct)),
        **_interval(point),
    )


def _interval(point: AblationPoint) -> Mapping[str, float]:
    if not point.n_seeds:
        return {}
    low, high = bootstrap_interval(point.correct, derived_seed(0, "bootstrap", point.test))
    return {"interval_low": low, "interval_high": high}


def _note(point: AblationPoint, n_items: int) -> str | None:
    notes = [] if point.n_seeds else ["failed: every probe"]
    if n_items < FEW_ITEMS:
        notes.append(f"fewer than {FEW_ITEMS} items")
    if point.n_seeds == 1:
        notes.append("one seed")
    return ", ".join(notes) or None


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
