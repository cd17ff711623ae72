"""What is said of a layer beside the accuracy of its probes: the one list that rows, tables and dashboards read.

A further metric is an entry point of an installed package (`polyprobe.metrics`), or a line here, a column of
`polyprobe.runs.results.ResultRow`, and a line in docs/results.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, make_dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from polyprobe.errors import briefly
from polyprobe.metrics.classification import macro_f1
from polyprobe.runs.metric_units import BITS, FACTOR, FRACTION, Unit
from polyprobe.runs.names.plugins import METRICS, Plugin, plugins
from polyprobe.runs.results import ResultRow


@dataclass(frozen=True)
class LayerColumn:
    """A column of rows that says more of a layer than the accuracy of its probes."""

    name: str
    """Of the column."""
    header: str
    """Beside the accuracies of a single layer."""
    title: str
    """Of a table of its own, where there are several layers."""
    unit: Unit
    """As which it is written: a fraction in percent, bits as a whole number, a factor with two decimals."""
    of_probe: Callable[[np.ndarray, Any], float | None] | None = None
    """What it is for the gold labels `[items]` and the outcome of a probe; None where other probes are compared."""
    is_compared: bool = False
    """Whether an accuracy or codelength of the layer is compared with it."""

    @property
    def is_baseline(self) -> bool:
        """Whether it is another accuracy, with which that of the layer is compared: it stands before it."""
        return self.is_compared and self.unit == FRACTION


COLUMNS_OF_LAYERS = (
    LayerColumn(
        "macro_f1", "macro-F1", "Macro-F1 (%)", FRACTION, lambda gold, probe: macro_f1(gold, probe.test_predictions)
    ),
    LayerColumn(
        "random", "random encoder", "Accuracy with a randomly initialised encoder (%)", FRACTION, is_compared=True
    ),
    LayerColumn("control", "control task", "Accuracy on the control task (%)", FRACTION, is_compared=True),
    LayerColumn("selectivity", "selectivity", "Selectivity: accuracy minus control-task accuracy (%)", FRACTION),
    LayerColumn(
        "codelength",
        "codelength (bits)",
        "Codelength of the labels by online coding (bits; lower is better)",
        BITS,
        lambda _, probe: probe.codelength,
    ),
    LayerColumn(
        "prior_codelength",
        "label prior (bits)",
        "Codelength by the shares of the labels, without vectors (bits)",
        BITS,
        lambda _, probe: probe.prior_codelength,
        is_compared=True,
    ),
    LayerColumn(
        "online_prior_codelength",
        "online label prior (bits)",
        "Codelength by the shares of the labels in the portions before, without vectors (bits)",
        BITS,
        lambda _, probe: probe.online_prior_codelength,
        is_compared=True,
    ),
    LayerColumn(
        "random_codelength",
        "random encoder (bits)",
        "Codelength with a randomly initialised encoder (bits)",
        BITS,
        is_compared=True,
    ),
    LayerColumn(
        "control_codelength", "control task (bits)", "Codelength of the control task (bits)", BITS, is_compared=True
    ),
    LayerColumn(
        "compression",
        "compression",
        "Compression: uniform code over codelength",
        FACTOR,
        lambda _, probe: probe.compression,
    ),
    LayerColumn(
        "prior_compression",
        "compression over prior",
        "Compression over the prior: codelength of the label prior over codelength (above 1: the vectors help)",
        FACTOR,
        lambda _, probe: probe.prior_codelength / probe.codelength if probe.codelength else None,
    ),
)


@cache
def columns_of_layers() -> tuple[LayerColumn, ...]:
    """Returns these columns and those of installed packages (entry points `polyprobe.metrics`).

    Raises:
        PolyprobeError: an entry point names no column, or one that rows have already.
    """
    further: list[LayerColumn] = []
    for plugin in plugins(METRICS):
        column = plugin.loaded()
        if not isinstance(column, LayerColumn) or column.unit not in (FRACTION, BITS, FACTOR) or not column.of_probe:
            raise plugin.refused("it is no LayerColumn with a unit and of_probe (docs/add_metric.md).")
        taken = {*(field.name for field in fields(ResultRow)), *(one.name for one in further), "run", "schema"}
        if not column.name.isidentifier() or column.name in taken:
            raise plugin.refused(f'its column is named "{column.name}". Expected a name of letters that no column has.')
        further.append(replace(column, of_probe=partial(_measured, plugin, column)))
    return (*COLUMNS_OF_LAYERS, *further)


def _measured(plugin: Plugin, column: LayerColumn, gold: np.ndarray, probe: Any) -> float | None:
    """Returns what a package's metric says of a probe, as a plain number; None where it is none."""
    try:
        value = column.of_probe(gold, probe)
        return None if value is None or not math.isfinite(value) else float(value)
    except Exception as error:  # whatever a package does
        raise plugin.refused(f"its metric failed ({type(error).__name__}: {briefly(error)}).") from error


def beside_accuracy() -> list[LayerColumn]:
    """Returns the columns as they stand beside a single accuracy.

    First what it is compared with, then what follows of that, then all else.
    """
    return sorted(
        columns_of_layers(),
        key=lambda column: (not column.is_baseline, column.of_probe is not None or column.unit != FRACTION),
    )


def probe_metrics() -> dict[str, Callable[[np.ndarray, Any], float | None]]:
    """Returns what is computed of each probe, and averaged over seeds, by the column of rows that it goes into."""
    return {column.name: column.of_probe for column in columns_of_layers() if column.of_probe is not None}


@cache
def probing_row() -> type[ResultRow]:
    """Returns the class of rows, with a column for each metric of an installed package."""
    known = {field.name for field in fields(ResultRow)}
    further = [(one.name, float | None, None) for one in columns_of_layers() if one.name not in known]
    if not further:
        return ResultRow
    return make_dataclass("ProbingRow", further, bases=(ResultRow,), frozen=True, slots=True)
