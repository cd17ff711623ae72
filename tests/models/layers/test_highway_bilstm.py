"""The highway layer against steps written out one by one, and against finite differences."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from polyprobe.models.layers import highway_bilstm
from polyprobe.models.layers.highway_bilstm import HighwayBiLSTM
from polyprobe.models.layers.initialisation import initialise_lstm_gates
from polyprobe.models.layers.packing import Packing

LENGTHS = st.lists(st.integers(1, 7), min_size=1, max_size=6)


def case(lengths: list[int], dtype=torch.float64) -> tuple[HighwayBiLSTM, torch.Tensor]:
    generator = torch.Generator().manual_seed(sum(lengths))
    layer = HighwayBiLSTM(3, 5).to(dtype)
    for parameter in layer.parameters():
        nn.init.normal_(parameter, generator=generator)
    return layer, torch.randn(sum(lengths), 3, generator=generator, dtype=dtype, requires_grad=True)


def step_by_step(layer: HighwayBiLSTM, cells: torch.Tensor, direction: str, mask: torch.Tensor) -> torch.Tensor:
    """Runs one direction over one sequence, gate by gate, as the released code says it in words."""
    weight_ih, weight_hh, bias = (
        getattr(layer, f"{name}_l0{direction}") for name in ("weight_ih", "weight_hh", "bias_ih")
    )
    state, memory, states = torch.zeros(5, dtype=cells.dtype), torch.zeros(5, dtype=cells.dtype), []
    for cell in cells.flip(0) if direction else cells:
        of_input, of_state = weight_ih @ cell, weight_hh @ state + bias
        gate = [of_input[5 * k : 5 * k + 5] + of_state[5 * k : 5 * k + 5] for k in range(5)]
        memory = gate[0].sigmoid() * gate[2].tanh() + gate[1].sigmoid() * memory
        highway = gate[4].sigmoid()
        state = highway * gate[3].sigmoid() * memory.tanh() + (1 - highway) * of_input[25:]
        state = state * mask
        states.append(state)
    found = torch.stack(states)
    return found.flip(0) if direction else found


def expected(layer: HighwayBiLSTM, inputs: torch.Tensor, lengths: list[int], masks: torch.Tensor) -> torch.Tensor:
    """`masks`: `[2, sequences, hidden]`, longest sequence first, as they are drawn."""
    place = Packing.of(lengths).order.argsort().tolist()
    sentences = [
        [step_by_step(layer, cells, name, masks[k, place[n]]) for k, name in enumerate(("", "_reverse"))]
        for n, cells in enumerate(inputs.split(lengths))
    ]
    return torch.cat([torch.cat(both, 1) for both in sentences])


@pytest.fixture
def known_masks(monkeypatch):
    """Replaces what is drawn by numbers that the test knows."""

    def drawn(share, shape, device):
        numbers = torch.arange(torch.tensor(shape).prod(), dtype=torch.float64)
        return numbers.remainder(7).sub(2).view(*shape)

    monkeypatch.setattr(highway_bilstm, "drawn_masks", drawn)
    return drawn


@settings(max_examples=30, deadline=None)
@given(LENGTHS)
def test_states_are_those_of_each_sequence_step_by_step(lengths):
    layer, inputs = case(lengths)
    no_masks = torch.ones(2, len(lengths), 5, dtype=torch.float64)
    states = layer(inputs, Packing.of(lengths), 0.0)
    torch.testing.assert_close(states, expected(layer, inputs, lengths, no_masks), rtol=0, atol=1e-12)


@pytest.mark.parametrize("lengths", [[1], [1, 1], [2, 4, 1], [3, 3], [1, 6, 2, 6]])
def test_a_mask_holds_at_all_steps_of_its_sequence_and_gradients_are_those_of_the_steps(lengths, known_masks):
    layer, inputs = case(lengths)
    masks = known_masks(0.5, (2, len(lengths), 5), None)
    states, slow = layer(inputs, Packing.of(lengths), 0.5), expected(layer, inputs, lengths, masks)
    torch.testing.assert_close(states, slow, rtol=0, atol=1e-12)
    parameters = [inputs, *layer.parameters()]
    one, other = (torch.autograd.grad(found.sin().sum(), parameters) for found in (states, slow))
    for own, plain in zip(one, other, strict=True):
        torch.testing.assert_close(own, plain, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("lengths", [[1], [2, 4, 1]])
def test_gradients_are_those_of_finite_differences(lengths):
    layer, inputs = case(lengths)

    def states(inputs: torch.Tensor, *parameters: torch.Tensor) -> torch.Tensor:
        named = dict(zip((name for name, _ in layer.named_parameters()), parameters, strict=True))
        return torch.func.functional_call(layer, named, (inputs, Packing.of(lengths), 0.0))

    assert torch.autograd.gradcheck(states, (inputs, *layer.parameters()))


def test_what_is_dropped_is_dropped_at_every_word_of_a_sentence_and_drawn_for_each():
    layer, inputs = case([20, 20])
    states = layer(inputs, Packing.of([20, 20]), 0.5)
    is_dropped = [one == 0 for one in states.split(20)]
    for of_sentence in is_dropped:
        assert torch.equal(of_sentence, of_sentence[:1].expand(20, -1))
    of_wide = HighwayBiLSTM(3, 200)
    for parameter in of_wide.parameters():
        nn.init.normal_(parameter)
    first, second = (of_wide(inputs.float(), Packing.of([20, 20]), 0.5) == 0).split(20)
    assert not torch.equal(first[0], second[0])
    assert not torch.equal(first[0, :200], first[0, 200:])
    assert 0.3 < first[0].float().mean() < 0.7


def test_all_blocks_start_orthogonal_and_forget_gates_open():
    layer = HighwayBiLSTM(9, 4)
    initialise_lstm_gates(layer, torch.Generator().manual_seed(1))
    assert layer.weight_ih_l0.shape == (24, 9)
    for block in (*layer.weight_ih_l0.split(4), *layer.weight_hh_l0_reverse.split(4)):
        torch.testing.assert_close(block @ block.T, torch.eye(4), rtol=0, atol=1e-5)
    assert layer.bias_ih_l0_reverse.tolist() == [0.0] * 4 + [1.0] * 4 + [0.0] * 12
