"""The similarities of all pairs of layers by one measure, kept in a run's folder: a killed run goes on there."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import numpy as np

from src.analysis.similarity.measures import PairValues
from src.errors import PolyprobeError
from src.runs.array_records import Array, ArrayRecord, array_record_path

_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class KeptSimilarities(ArrayRecord):
    """A record of one measure on the items of one test, named after both; see `PairValues`."""

    what = "similarities"

    layers: Annotated[np.ndarray, Array("U", "layers")]
    """Identities of the layers, with their encoders' fingerprints."""
    values: Annotated[np.ndarray, Array("f", "layers", "layers")]
    permuted: Annotated[np.ndarray, Array("f", "layers", "layers")]
    low: Annotated[np.ndarray, Array("f", "layers", "layers")]
    high: Annotated[np.ndarray, Array("f", "layers", "layers")]
    left_out: Annotated[np.ndarray, Array("i", "layers")]
    undefined: Annotated[np.ndarray, Array("U", "layers")]


def keep(folder: Path, test: str, measure: str, layers: Sequence[str], values: PairValues) -> None:
    """Writes the similarities of a measure, whole or not at all."""
    parts = {field.name: getattr(values, field.name) for field in fields(PairValues)}
    KeptSimilarities(_name(test, measure), np.array(layers), **parts).write(folder)


def kept(folder: Path, test: str, measure: str, layers: Sequence[str]) -> PairValues | None:
    """Reads what `keep` wrote for these layers; None where nothing is there, or what is there is damaged."""
    path = array_record_path(folder, _name(test, measure))
    if not path.is_file():
        return None
    try:
        record = KeptSimilarities.read(path)
    except PolyprobeError as error:
        _log.warning("%s Its measure is computed again.", error)
        return None
    if record.layers.tolist() != list(layers):
        return None
    return PairValues(**{field.name: getattr(record, field.name) for field in fields(PairValues)})


def _name(test: str, measure: str) -> str:
    return f"{test} {measure}"
