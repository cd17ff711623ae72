"""LSTMs under autocast: whatever the processor can, they run, and give nearly the states of full precision."""

import pytest
import torch

from polyprobe.models.layers.bilstm import BiLSTM
from polyprobe.models.layers.packing import Packing
from polyprobe.models.layers.text_lstm import TextLSTM

HALF = (torch.bfloat16, torch.float16)


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("lengths", [[40, 40, 40], [40, 3, 1]])
def test_a_bidirectional_lstm_runs_on_sequences_of_equal_and_of_different_lengths(dtype, lengths):
    generator = torch.Generator().manual_seed(1)
    layer, inputs = BiLSTM(64, 64), torch.randn(sum(lengths), 64, generator=generator)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.uniform_(-0.1, 0.1, generator=generator)
    packing, cells = Packing.of(lengths), torch.arange(sum(lengths))
    exact = layer(inputs, cells, packing)
    with torch.autocast("cpu", dtype):
        half = layer(inputs, cells, packing)
    half.sum().backward()
    assert torch.allclose(half.float(), exact, atol=0.03)
    assert all(parameter.grad is not None for parameter in layer.parameters())


@pytest.mark.parametrize("dtype", HALF)
def test_an_lstm_over_text_runs(dtype):
    network = TextLSTM(20, 16, 16, 2, dropout=0.0, tied=True)
    network.initialise(0.1, torch.Generator().manual_seed(1))
    word_ids = torch.arange(20).view(5, 4)
    exact, _ = network(word_ids, network.zero_states(4))
    with torch.autocast("cpu", dtype):
        half, _ = network(word_ids, network.zero_states(4))
    half[-1].sum().backward()
    assert torch.allclose(half[-1].float(), exact[-1], atol=0.03)
