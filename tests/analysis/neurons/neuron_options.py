"""What is asked of neurons, as conf/analyze.yaml has it."""

from pathlib import Path

import yaml

from polyprobe.analysis.neurons.neuron_settings import NeuronSettings

SECTION = yaml.safe_load((Path(__file__).parents[3] / "conf/analyze.yaml").read_text(encoding="utf-8"))["of_neurons"]


def settings(**changes) -> NeuronSettings:
    """Returns the options of the section with some changed."""
    return NeuronSettings.of({**SECTION, **changes})
