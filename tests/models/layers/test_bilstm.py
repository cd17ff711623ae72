"""The bidirectional layer against `nn.LSTM`, one sequence at a time: values and gradients."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from polyprobe.models.layers.bilstm import BiLSTM
from polyprobe.models.layers.packing import Packing

LENGTHS = st.lists(st.integers(1, 9), min_size=1, max_size=8)


def case(lengths: list[int], dtype=torch.float64, n_inputs: int = 4) -> tuple[BiLSTM, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(sum(lengths))
    layer = BiLSTM(3, 5).to(dtype)
    for parameter in layer.parameters():
        nn.init.normal_(parameter, generator=generator)
    inputs = torch.randn(n_inputs, 3, generator=generator, dtype=dtype, requires_grad=True)
    return layer, inputs, torch.randint(n_inputs, (sum(lengths),), generator=generator)


def one_by_one(layer: BiLSTM, inputs, input_of_cell, lengths) -> tuple[torch.Tensor, torch.Tensor]:
    """Runs `nn.LSTM` with the same state dictionary over each sequence alone."""
    reference = nn.LSTM(3, 5, bidirectional=True).to(inputs.dtype)
    reference.load_state_dict(layer.state_dict())
    runs = [reference(inputs[cells]) for cells in input_of_cell.split(lengths)]
    return torch.cat([states for states, _ in runs]), torch.stack([torch.cat([*last]) for _, (last, _) in runs])


@settings(max_examples=40, deadline=None)
@given(LENGTHS)
def test_states_and_last_states_are_those_of_each_sequence_alone(lengths):
    layer, inputs, input_of_cell = case(lengths, torch.float32)
    states, last = one_by_one(layer, inputs, input_of_cell, lengths)
    packing = Packing.of(lengths)
    near = {"rtol": 0, "atol": 5e-6}  # float32: 1.5e-6 was seen with AVX2, in one of many sequences
    torch.testing.assert_close(layer(inputs, input_of_cell, packing), states, **near)
    torch.testing.assert_close(layer.last_states(inputs, input_of_cell, packing), last, **near)


@settings(max_examples=30, deadline=None)
@given(LENGTHS)
def test_gradients_are_those_of_the_packed_library_layer(lengths):
    layer, inputs, input_of_cell = case(lengths)
    packing = Packing.of(lengths)
    parameters = [inputs, *layer.parameters()]

    def gradients(run) -> tuple[torch.Tensor, ...]:
        states = run(inputs, input_of_cell, packing)
        last = states[packing.last_rows.flatten()]
        return torch.autograd.grad(states.sin().sum() + last.square().sum(), parameters)

    for own, library in zip(gradients(layer._steps_in_one_node), gradients(layer._packed), strict=True):
        torch.testing.assert_close(own, library, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("lengths", [[1], [1, 1, 1], [2, 4, 1], [3, 3]])
def test_gradients_are_those_of_finite_differences(lengths):
    layer, inputs, input_of_cell = case(lengths)
    packing = Packing.of(lengths)

    def states(inputs: torch.Tensor, *parameters: torch.Tensor) -> torch.Tensor:
        named = dict(zip((name for name, _ in layer.named_parameters()), parameters, strict=True))
        return torch.func.functional_call(layer, named, (inputs, input_of_cell, packing))

    assert torch.autograd.gradcheck(states, (inputs, *layer.parameters()))


def test_cells_with_an_input_each_have_the_same_states_and_gradients_bit_for_bit():
    lengths = [7, 30, 1, 12, 30]
    generator = torch.Generator().manual_seed(1)
    layer, packing = BiLSTM(40, 50), Packing.of(lengths)
    inputs = torch.randn(sum(lengths), 40, generator=generator, requires_grad=True)

    def outcome(input_of_cell: torch.Tensor | None) -> tuple[torch.Tensor, ...]:
        states = layer(inputs, input_of_cell, packing)
        return states, *torch.autograd.grad(states.sin().sum(), (inputs, *layer.parameters()))

    each_its_own = outcome(torch.arange(sum(lengths)))
    assert all(map(torch.equal, outcome(None), each_its_own))
    library = layer._packed(inputs, None, packing)[packing.rows_of_cell.flatten()].view(sum(lengths), -1)
    torch.testing.assert_close(library, each_its_own[0], rtol=0, atol=5e-6)


def test_an_input_that_no_cell_reads_gets_no_gradient():
    layer, inputs, _ = case([2])
    layer(inputs, torch.tensor([1, 1]), Packing.of([2])).sum().backward()
    assert inputs.grad[[0, 2, 3]].abs().sum() == 0
    assert inputs.grad[1].abs().sum() > 0
