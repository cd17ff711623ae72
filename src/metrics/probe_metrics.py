"""What is said of a layer beside the accuracy of its probes: the one list that rows, tables and dashboards read.

A further metric is a line here, a column of `polyprobe.runs.results.ResultRow`, and a line in docs/results.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyprobe.metrics.classification import macro_f1

FRACTION, BITS, FACTOR = "fraction", "bits", "factor"


@dataclass(frozen=True)
class LayerColumn:
    """A column of rows that says more of a layer than the accuracy of its probes."""

    name: str
    """Of the column."""
    header: str
    """Beside the accuracies of a single layer."""
    title: str
    """Of a table of its own, where there are several layers."""
    unit: str
    """As which it is written: a fraction in percent, bits as a whole number, a factor with two decimals."""
    of_probe: Callable[[np.ndarray, Any], float | None] | None = None
    """What it is for the gold labels `[items]` and the outcome of a probe; None where other probes are compared."""
    is_compared: bool = False
    """Whether it is another accuracy, with which that of the layer is compared: it stands before it; none is best."""
    is_lower_better: bool = False


COLUMNS_OF_LAYERS = (
    LayerColumn(
        "macro_f1", "macro-F1", "Macro-F1 (%)", FRACTION, lambda gold, probe: macro_f1(gold, probe.test_predictions)
    ),
    LayerColumn(
        "random", "random encoder", "Accuracy with an encoder of fresh weights (%)", FRACTION, is_compared=True
    ),
    LayerColumn("control", "control task", "Accuracy on the control task (%)", FRACTION, is_compared=True),
    LayerColumn("selectivity", "selectivity", "Selectivity: accuracy less that on the control task (%)", FRACTION),
    LayerColumn(
        "codelength",
        "codelength (bits)",
        "Codelength of the labels by online coding (bits)",
        BITS,
        lambda _, probe: probe.codelength,
        is_lower_better=True,
    ),
    LayerColumn(
        "compression",
        "compression",
        "Compression: uniform code over codelength",
        FACTOR,
        lambda _, probe: probe.compression,
    ),
)
BESIDE_ACCURACY = tuple(
    sorted(COLUMNS_OF_LAYERS, key=lambda column: (not column.is_compared, column.of_probe is not None))
)
"""As they stand beside a single accuracy: what it is compared with, then what follows of that, then all else."""
PROBE_METRICS = {column.name: column.of_probe for column in COLUMNS_OF_LAYERS if column.of_probe is not None}
"""What is computed of each probe, and averaged over seeds, by the column of rows that it goes into."""
