"""A metric: Matthews' correlation coefficient, 0 for a probe that knows only how frequent each label is."""

from sklearn.metrics import matthews_corrcoef

from polyprobe.metrics.probe_metrics import FACTOR, LayerColumn

MATTHEWS = LayerColumn(
    "matthews",
    "MCC",
    "Matthews' correlation coefficient",
    FACTOR,
    lambda gold, probe: matthews_corrcoef(gold, probe.test_predictions),
)
