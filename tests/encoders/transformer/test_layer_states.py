"""Which layers of a model are run, and what is held of them."""

import gc
import weakref

import numpy as np
import pytest
import torch
from torch import nn
from transformers import AlbertConfig, AlbertModel, BertConfig, BertModel

from polyprobe.encoders.transformer.inner_sites import Place, handed_over, layer_places
from polyprobe.items import Form
from tests.encoders.kinds.transformer import transformer
from tests.encoders.tiny_transformers import ARCHITECTURES, SIZES, write_transformer

IDS = torch.arange(4)[None]


class Stack(nn.Module):
    """Layers that add 1, 2, … to the pieces; counts its runs."""

    def __init__(self, n_layers=4):
        super().__init__()
        self.layers = nn.ModuleList(Adding(number + 1) for number in range(n_layers))
        self.n_run = 0

    def forward(self, input_ids):
        states = input_ids[:, :, None].float()
        for layer in self.layers:
            (states,) = layer(states)
            self.n_run += 1
        return -states  # as a norm changes the last state


class Adding(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.number = number

    def forward(self, states):
        return (states + self.number,)


def run(model, places):
    found = []
    with handed_over(places, lambda key, state: found.append((key, state[0, :, 0].tolist()))):
        model(IDS)
    return found


def test_states_come_as_they_are_computed_and_the_run_ends_after_the_last():
    model = Stack()
    places = {"out": Place(model.layers[1]), "in": Place(model.layers[0], is_input=True)}
    assert run(model, places) == [("in", [0, 1, 2, 3]), ("out", [3, 4, 5, 6])]
    assert model.n_run == 1  # the second layer was run, what follows it was not


def test_no_hook_stays():
    model = Stack()
    run(model, {0: Place(model.layers[1])})
    with pytest.raises(ZeroDivisionError), handed_over({0: Place(model.layers[1])}, lambda key, state: 1 / 0):
        model(IDS)
    assert run(model, {"all": Place(model)}) == [("all", [-10, -11, -12, -13])]
    assert model.n_run == 1 + 1 + 4


def test_a_layer_that_is_used_several_times_is_no_stack():
    model = Stack()
    model.layers = nn.ModuleList([Adding(1)] * 4)
    states = tuple((IDS + number)[:, :, None].float() for number in (0, 1, 2, 3, -4))
    assert layer_places(model, IDS, states) is None


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_layers_above_the_highest_are_not_run(tmp_path, architecture):
    folder = write_transformer(tmp_path, architecture)
    every, lowest = transformer(folder), transformer(folder, layers=[0, 1])
    expected = next(iter(every.encode([Form("talo")])))
    model = lowest._model.model
    above = next(module for module in model.modules() if isinstance(module, nn.ModuleList))[1]
    above.forward = None
    for one, other in zip(next(iter(lowest.encode([Form("talo")]))), expected, strict=False):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(TypeError, match="NoneType"):
        model(input_ids=IDS)


def test_a_state_is_let_go_before_the_one_after_the_next_is_there(tmp_path):
    folder = write_transformer(tmp_path, "bert")
    BertModel(BertConfig(vocab_size=100, **{**SIZES, "num_hidden_layers": 6})).save_pretrained(folder)
    encoder = transformer(folder)
    held, most = [], []

    def take(layer, state):
        held.append(weakref.ref(state))
        gc.collect()
        most.append(sum(one() is not None for one in held))

    encoder._model.hidden_states(IDS + 5, None, {number: number for number in range(7)}, take)
    assert len(most) == 7
    assert max(most) <= 2


def test_a_model_of_one_shared_layer_has_all_its_layers(tmp_path):
    folder = write_transformer(tmp_path, "bert")
    config = AlbertConfig(vocab_size=100, embedding_size=8, max_position_embeddings=24, **SIZES)
    torch.manual_seed(1)
    model = AlbertModel(config).eval()
    model.save_pretrained(folder)
    encoder = transformer(folder, layers=[1])
    ids = torch.arange(2, 8)[None]
    found = []
    encoder._model.hidden_states(ids, None, {1: 1}, lambda layer, state: found.append(state))
    with torch.inference_mode():
        expected = model(input_ids=ids, output_hidden_states=True).hidden_states[1]
    assert torch.equal(found[0], expected)
