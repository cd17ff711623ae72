"""The score of the task that a probed model was trained for, epoch by epoch, to be drawn with its probing curves."""

import csv
from collections.abc import Sequence
from pathlib import Path

from polyprobe.encoders.base.encoder import CountEncoder, Encoder
from polyprobe.encoders.checkpoint import CheckpointEncoder
from polyprobe.errors import PolyprobeError
from polyprobe.runs.directory import RunDirectory
from polyprobe.runs.epoch_metrics import read_metrics
from polyprobe.runs.results import ResultRow


def rows_of_probed(encoder: Encoder | CountEncoder) -> list[ResultRow]:
    """Returns the `downstream_rows` of the run whose checkpoints an encoder reads; none for another encoder."""
    if not isinstance(encoder, CheckpointEncoder):
        return []
    return downstream_rows(encoder.run, [layer.epoch for layer in encoder.layers])


def downstream_rows(run: Path, epochs: Sequence[int]) -> list[ResultRow]:
    """Returns the monitored dev score of a training run at some of its epochs.

    Args:
        run: the folder of the training run, finished or not.
        epochs: which; those that were not scored are left out.
    """
    directory = RunDirectory(run)
    try:
        kept = directory.configuration()
        cells = read_metrics(directory.checked(directory.metrics))
        values = {epoch: row.get(kept["monitor"]) for epoch, row in cells.items()}
        scores = {epoch: float(values[epoch]) for epoch in sorted(set(epochs)) if values.get(epoch)}
        split, _, metric = kept["monitor"].partition("/")
        named = {"lang": kept["lang"]["code"], "suite": kept["task"]["name"], "corpus": kept["data"]["corpus"]}
        what = {"stage": "downstream", **named, "split": split, "metric": metric, "seed": kept["seed"], "n": 0}
        return [ResultRow(**what, epoch=epoch, value=value) for epoch, value in scores.items()]
    except (OSError, KeyError, TypeError, ValueError, AttributeError, csv.Error) as error:
        raise PolyprobeError(
            f"{run} has no readable config.yaml and metrics.csv ({error}). Expected a run of train.py."
        ) from error
