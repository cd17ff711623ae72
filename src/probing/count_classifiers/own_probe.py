"""Which probe goes with counts: the one that is chosen, or the one that belongs to the encoder."""

from collections.abc import Mapping
from typing import Any

from src.encoders.base.encoder import CountEncoder
from src.errors import BadValue
from src.named import built
from src.probing.count_classifiers.count_classifier import CountClassifier
from src.runs.names.conf_folders import choice_settings
from src.runs.results import COUNT_PROBES


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
