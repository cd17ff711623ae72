"""Names of neurons: a layer and a number."""

import pytest

from src.analysis.neurons.probed_test import NeuronSpace
from src.errors import BadValue, UnknownChoice

SPACE = NeuronSpace(("embeddings", "layer_1", "layer_2"), (2, 3, 4))


def test_a_neuron_has_the_name_of_its_layer_and_its_number_there():
    assert [SPACE.name(neuron) for neuron in range(9)] == [
        "embeddings:0", "embeddings:1", "1:0", "1:1", "1:2", "2:0", "2:1", "2:2", "2:3",
    ]  # fmt: skip
    assert SPACE.layer_of.tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 2]


def test_every_name_leads_back_to_its_neuron():
    names = [SPACE.name(neuron) for neuron in range(SPACE.n_neurons)]
    assert SPACE.places(names, "show") == list(range(9))
    assert SPACE.places(["layer_2:3"], "show") == [8]


def test_a_neuron_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(BadValue, match="a neuron of layer_2: 0 to 3"):
        SPACE.places(["2:4"], "show")
    with pytest.raises(BadValue, match="such as embeddings:0"):
        SPACE.places(["412"], "show")
    with pytest.raises(
        UnknownChoice, match=r'show=embedding:1: layer "embedding" is unknown\. Did you mean embeddings'
    ):
        SPACE.places(["embedding:1"], "show")
