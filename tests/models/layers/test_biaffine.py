"""Biaffine scores of chosen pairs: however many dependents a head has."""

import pytest
import torch

from polyprobe.models.layers.biaffine import ROW, Biaffine


def biaffine(width=3, n_outputs=4):
    generator = torch.Generator().manual_seed(1)
    layer = Biaffine(width, n_outputs).double()
    torch.nn.init.normal_(layer.weight, generator=generator)
    vectors = (torch.randn(n, width, dtype=torch.float64, generator=generator) for n in (30, 12))
    return layer, *(one.requires_grad_() for one in vectors)


CHOICES = {
    "each its own": [*range(12)] * 2 + [*range(6)],
    "one for all, in several rows": [5] * 30,
    "a full row and one more": [0] * ROW + [7] * (ROW + 1) + [3] * (30 - 2 * ROW - 1),
}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_scores_and_gradients_are_those_of_every_pair_alone(choice):
    layer, dependents, heads = biaffine()
    chosen = torch.tensor(choice)
    one = torch.ones(30, 1, dtype=torch.float64)
    pairs = torch.cat([dependents, one], 1), torch.cat([heads[chosen], one], 1)
    expected = torch.einsum("pi,oij,pj->po", pairs[0], layer.weight, pairs[1])
    scores = layer.pairs(dependents, heads, chosen)
    torch.testing.assert_close(scores, expected)
    parameters = (layer.weight, dependents, heads)
    weights = torch.arange(120.0, dtype=torch.float64).view(30, 4)
    gradients = torch.autograd.grad((scores * weights).sum(), parameters)
    torch.testing.assert_close(gradients, torch.autograd.grad((expected * weights).sum(), parameters))


def test_no_dependent_has_no_score():
    layer, dependents, heads = biaffine()
    assert layer.pairs(dependents[:0], heads, torch.empty(0, dtype=torch.int64)).shape == (0, 4)
