"""The loss over a large vocabulary equals that of plain layers, in one block or many."""

import pytest
import torch
from torch.nn import functional as F

from polyprobe.models.layers import linear_cross_entropy
from polyprobe.models.layers.linear_cross_entropy import log_probabilities, summed_cross_entropy

N_ROWS, WIDTH, N_WORDS = 7, 5, 11


@pytest.fixture(params=[1 << 28, 3 * 4 * N_WORDS, 1], ids=["whole", "blocks of 3 rows", "single rows"])
def blocks(request, monkeypatch):
    monkeypatch.setattr(linear_cross_entropy, "BYTES_AT_ONCE", request.param)


def problem():
    generator = torch.Generator().manual_seed(1)
    sizes = [(N_ROWS, WIDTH), (N_WORDS, WIDTH), (N_WORDS,)]
    tensors = [torch.randn(size, generator=generator, requires_grad=True) for size in sizes]
    return tensors, torch.randint(N_WORDS, (N_ROWS,), generator=generator)


@pytest.mark.parametrize("factor", [1.0, 0.25])
def test_loss_and_gradients_equal_those_of_plain_layers(blocks, factor):
    tensors, ids = problem()
    loss = summed_cross_entropy(*tensors, ids, 4.0) * factor
    expected = F.cross_entropy(F.linear(*tensors), ids, reduction="sum") / 4 * factor
    torch.testing.assert_close(loss, expected)
    for found, plain in zip(torch.autograd.grad(loss, tensors), torch.autograd.grad(expected, tensors), strict=True):
        torch.testing.assert_close(found, plain)


def test_without_rows_loss_and_gradients_are_zero():
    (states, weight, bias), ids = problem()
    loss = summed_cross_entropy(states[:0], weight, bias, ids[:0], 1.0)
    assert loss == 0
    assert all(not one.any() for one in torch.autograd.grad(loss, (weight, bias)))


def test_log_probabilities_are_asked_for_as_often_as_wanted_for_each_row(blocks):
    (states, weight, bias), _ = problem()
    rows, words = torch.tensor([0, 2, 2, 2, 5, 6]), torch.tensor([3, 0, 10, 3, 1, 1])
    expected = F.linear(states, weight, bias).log_softmax(1)[rows, words]
    torch.testing.assert_close(log_probabilities(states, weight, bias, rows, words), expected)
    assert log_probabilities(states[:0], weight, bias, rows[:0], words[:0]).shape == (0,)
