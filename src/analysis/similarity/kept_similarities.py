"""The similarities of all pairs of layers by one measure, kept in a run's folder: a killed run goes on there."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from src.analysis.similarity.measures import PairValues
from src.errors import PolyprobeError
from src.runs.array_records import array_record_path, read_array_record, write_array_record

_log = logging.getLogger(__name__)
_PAIRS = ("f", "layers", "layers")
_LAYOUT = {
    "layers": ("U", "layers"),
    **dict.fromkeys(("values", "permuted", "low", "high"), _PAIRS),
    "left_out": ("i", "layers"),
    "undefined": ("U", "layers"),
}


@dataclass(frozen=True, eq=False)
class KeptSimilarities:
    """A record of one measure on the items of one test.

    Attributes:
        test: names of the test and of the measure.
        layers: identities of the layers, with their encoders' fingerprints: str `[layers]`.
        values, permuted, low, high, left_out, undefined: see `PairValues`.
    """

    test: str
    layers: np.ndarray
    values: np.ndarray
    permuted: np.ndarray
    low: np.ndarray
    high: np.ndarray
    left_out: np.ndarray
    undefined: np.ndarray


def keep(folder: Path, test: str, measure: str, layers: Sequence[str], values: PairValues) -> None:
    """Writes the similarities of a measure, whole or not at all."""
    parts = {field.name: getattr(values, field.name) for field in fields(PairValues)}
    write_array_record(folder, KeptSimilarities(_name(test, measure), np.array(layers), **parts))


def kept(folder: Path, test: str, measure: str, layers: Sequence[str]) -> PairValues | None:
    """Reads what `keep` wrote for these layers; None where nothing is there, or what is there is damaged."""
    path = array_record_path(folder, _name(test, measure))
    if not path.is_file():
        return None
    try:
        record = read_array_record(path, KeptSimilarities, _LAYOUT, lambda _: None, "similarities")
    except PolyprobeError as error:
        _log.warning("%s Its measure is computed again.", error)
        return None
    if record.layers.tolist() != list(layers):
        return None
    return PairValues(**{field.name: getattr(record, field.name) for field in fields(PairValues)})


def _name(test: str, measure: str) -> str:
    return f"{test} {measure}"
