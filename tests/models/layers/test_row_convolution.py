"""The convolution over rows against `F.conv1d`: values and gradients."""

import pytest
import torch
from torch.nn import functional as F

from polyprobe.models.sentence_networks.gated_convnet import row_convolution


@pytest.mark.parametrize("kernel_size", [1, 3, 7])
@pytest.mark.parametrize("n_rows", [1, 2, 5, 9])
def test_values_and_gradients_are_those_of_conv1d(n_rows, kernel_size):
    generator = torch.Generator().manual_seed(n_rows)
    rows, weight, bias = (
        torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
        for shape in ((n_rows, 3), (4, 3, kernel_size), (4,))
    )
    own = row_convolution(rows, weight, bias)
    library = F.conv1d(rows.T[None], weight, bias, padding=kernel_size // 2)[0].T
    torch.testing.assert_close(own, library)
    found, expected = (torch.autograd.grad(one.sin().sum(), (rows, weight, bias)) for one in (own, library))
    torch.testing.assert_close(found, expected)


def test_the_parameters_are_left_as_they_are():
    weight, bias = torch.ones(2, 2, 3), torch.zeros(2)
    row_convolution(torch.ones(1, 2), weight, bias)
    assert weight.equal(torch.ones(2, 2, 3))
    assert bias.equal(torch.zeros(2))
