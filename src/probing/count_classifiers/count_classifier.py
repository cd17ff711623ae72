"""A choice of `probe=` for counts alone, which is fitted without chance, and which choice goes with which counts."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from src.encoders.base.encoder import CountEncoder, Features
from src.errors import BadValue
from src.named import built
from src.runs.names.conf_folders import choice_settings
from src.runs.results import COUNT_PROBES


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
    """For the column `probe` of the rows, one of `src.runs.results.COUNT_PROBES`."""
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
            test: its name, for messages.
        """


def with_own_probe(config: Mapping[str, Any], encoder: CountEncoder) -> Mapping[str, Any]:
    """Returns the configuration with the probe that belongs to a count encoder, if one does.

    An experiment names the probe of a whole table, counts among its rows; one that is typed is refused earlier, see
    `src.probing.effect`.
    """
    choices = config["choices"]
    if encoder.own_probe in (None, choices["probe"]):
        return config
    own = choice_settings("probe", encoder.own_probe)
    return {**config, "probe": own, "choices": {**choices, "probe": encoder.own_probe}}


def classifier_of_counts(config: Mapping[str, Any], encoder: CountEncoder) -> CountClassifier:
    """Builds the classifier of counts that a configuration chooses, or that belongs to the encoder."""
    config = with_own_probe(config, encoder)
    name, encoder_name = config["choices"]["probe"], config["choices"]["encoder"]
    classifier = built(config["probe"], "probe")
    if not isinstance(classifier, CountClassifier):
        raise BadValue("probe", name, f"{' or '.join(COUNT_PROBES)} with encoder={encoder_name} on downstream tasks")
    if config["seeds"] > 1:
        raise BadValue("seeds", config["seeds"], f"1 with probe={name} of encoder={encoder_name}, which draws nothing")
    return classifier
