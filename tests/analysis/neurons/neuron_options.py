"""The options of job=neurons, as its file has them."""

from dataclasses import fields

from polyprobe.analysis.neurons.neuron_settings import NeuronSettings
from polyprobe.runs.names.conf_folders import choice_settings

KEYS = choice_settings("job", "neurons")


def settings(**changes) -> NeuronSettings:
    """Returns the options with some changed."""
    return NeuronSettings.of({**{one.name: KEYS[one.name] for one in fields(NeuronSettings)}, **changes})
