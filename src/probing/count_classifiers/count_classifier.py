"""A choice of `probe=` for counts alone, which is fitted without chance."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from polyprobe.encoders.base.encoder import Features


class FittedClassifier(Protocol):
    """A classifier that has seen train."""

    n_iterations: int
    """Of its solver."""

    def predict(self, features: Features) -> np.ndarray:
        """Returns a label id for each row: int64 `[examples]`."""


class CountClassifier(ABC):
    """Learns labels from counts; nothing in it is drawn."""

    n_probes = 1
    over_all_layers = False
    """As those of a `Probe`."""
    name: str
    """For the column `probe` of the rows, one of `polyprobe.runs.results.COUNT_PROBES`."""
    settings: Mapping[str, Any]
    """All that can change a prediction, plain values."""

    def complaint(self, n_labels: int, n_features: int) -> str | None:
        """Says why so many labels and features cannot be fitted; None where they can."""
        return None

    @abstractmethod
    def fitted(self, features: Features, labels: np.ndarray, test: str) -> FittedClassifier:
        """Fits the features of train.

        Args:
            features: `[examples, features]`.
            labels: label ids, `[examples]`, of two labels at least.
        """
