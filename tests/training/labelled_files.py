"""Labels files as the command does."""

from collections.abc import Mapping
from pathlib import Path

from polyprobe.analysis.output.tables import show
from polyprobe.training.predict import predict


def labelled_file(config: Mapping) -> Path:
    """Labels the file that a configuration names, and shows what is told; returns the file that is written."""
    lines = list(predict(config))
    show(lines)
    return Path(lines[-1].removeprefix("predictions").strip())
