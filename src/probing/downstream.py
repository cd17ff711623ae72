"""The score of the task that a probed model was trained for, epoch by epoch, to be drawn with its probing curves."""

import csv
from collections.abc import Sequence
from pathlib import Path

import yaml

from src.formats.errors import PolyprobeError
from src.runs.results import ResultRow


def downstream_rows(run: Path, epochs: Sequence[int]) -> list[ResultRow]:
    """Gives the monitored dev score of a training run at some of its epochs.

    Args:
        run: the folder of the training run, finished or not.
        epochs: which; those that were not scored are left out.

    Raises:
        PolyprobeError: a file of the run is missing or damaged.
    """
    try:
        config = yaml.safe_load((run / "config.yaml").read_text(encoding="utf-8"))
        with open(run / "metrics.csv", encoding="utf-8", newline="") as file:
            values = {int(row["epoch"]): row.get(config["monitor"]) for row in csv.DictReader(file)}
    except (OSError, KeyError, ValueError, yaml.YAMLError) as error:
        raise PolyprobeError(
            f"{run} has no readable config.yaml and metrics.csv ({error}). Expected a run of train.py."
        ) from error
    split, _, metric = config["monitor"].partition("/")
    return [
        ResultRow(
            stage="downstream",
            lang=config["lang"]["code"],
            suite=config["task"]["name"],
            corpus=config["data"]["corpus"],
            split=split,
            epoch=epoch,
            seed=config["seed"],
            metric=metric,
            value=float(values[epoch]),
            n=0,
        )
        for epoch in sorted(set(epochs))
        if values.get(epoch)
    ]
