"""The chain against all of its paths, one by one."""

from itertools import pairwise, product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from polyprobe.formats.entities.span_tags import may_end, may_follow, may_start
from polyprobe.models.layers.packing import Packing
from polyprobe.models.structures.crf import LinearChainCrf

LABELS = ["O", "B-PER", "I-PER", "L-PER", "U-PER"]
LENGTHS = st.lists(st.integers(1, 5), min_size=1, max_size=4)
CASES = st.tuples(LENGTHS, st.sampled_from([0.1, 1.0, 10.0, 100.0]), st.integers(0, 1000))


def chain(lengths, scale, seed) -> tuple[LinearChainCrf, torch.Tensor, Packing]:
    generator = torch.Generator().manual_seed(seed)
    layer = LinearChainCrf(LABELS, may_follow, may_start, may_end).double()
    torch.nn.init.normal_(layer.transitions, std=scale, generator=generator)
    shape = sum(lengths), len(LABELS)
    emissions = scale * torch.randn(shape, generator=generator, dtype=torch.float64)
    return layer, emissions.requires_grad_(), Packing.of(lengths)


def path_scores(layer, emissions) -> tuple[torch.Tensor, torch.Tensor]:
    """Every path through one sentence, `[paths, words]`, and its score by the definition, `[paths]`."""
    paths = torch.tensor([*product(range(len(LABELS)), repeat=len(emissions))])
    steps = layer.transitions[paths[:, :-1], paths[:, 1:]].sum(1)
    return paths, emissions[torch.arange(len(emissions)), paths].sum(1) + steps


def is_allowed(path) -> bool:
    labels = [LABELS[number] for number in path]
    inside = all(may_follow(*pair) for pair in pairwise(labels))
    return inside and may_start(labels[0]) and may_end(labels[-1])


@settings(max_examples=15, deadline=None)
@given(CASES)
def test_the_loss_is_that_over_all_paths(case):
    layer, emissions, packing = chain(*case)
    gold = torch.randint(len(LABELS), (len(emissions),), generator=torch.Generator().manual_seed(case[2]))
    losses = layer.loss(emissions, gold, packing)
    for loss, ours, labels in zip(losses, emissions.split(case[0]), gold.split(case[0]), strict=True):
        paths, scores = path_scores(layer, ours)
        expected = scores.logsumexp(0) - scores[(paths == labels).all(1)].squeeze()
        torch.testing.assert_close(loss, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(CASES)
def test_the_best_path_is_the_best_of_all_that_are_allowed(case):
    layer, emissions, packing = chain(*case)
    found = layer.decode(emissions, packing).split(case[0])
    for path, sentence in zip(found, emissions.split(case[0]), strict=True):
        paths, scores = path_scores(layer, sentence)
        allowed = torch.tensor([is_allowed(one) for one in paths.tolist()])
        assert torch.equal(path, paths[scores.masked_fill(~allowed, -torch.inf).argmax()])


@settings(max_examples=10, deadline=None)
@given(LENGTHS, st.integers(0, 1000))
def test_gradients_are_those_of_finite_differences(lengths, seed):
    layer, emissions, packing = chain(lengths, 1.0, seed)
    gold = torch.randint(len(LABELS), (len(emissions),), generator=torch.Generator().manual_seed(seed))
    weights = torch.rand(len(lengths), dtype=torch.float64)

    def loss(emissions: torch.Tensor, transitions: torch.Tensor) -> torch.Tensor:
        layer.__dict__["transitions"] = transitions
        return layer.loss(emissions, gold, packing) @ weights

    transitions = layer.transitions.detach().clone().requires_grad_()
    del layer.transitions
    assert torch.autograd.gradcheck(loss, (emissions, transitions))


def test_a_sentence_with_an_unknown_label_has_neither_loss_nor_gradient():
    layer, emissions, packing = chain([2, 3], 1.0, 1)
    losses = layer.loss(emissions, torch.tensor([0, 1, 2, -1, 0]), packing)
    losses.sum().backward()
    assert losses[0] > 0
    assert losses[1] == 0
    assert emissions.grad[:2].abs().sum() > 0
    assert emissions.grad[2:].abs().sum() == 0


def test_a_path_that_no_emission_wants_keeps_to_the_rules():
    layer, emissions, packing = chain([3], 0.0, 1)
    with torch.no_grad():
        emissions[:, LABELS.index("I-PER")] = 1000.0
    path = [LABELS[number] for number in layer.decode(emissions, packing).tolist()]
    assert path == ["B-PER", "I-PER", "L-PER"]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_have_the_type_of_what_they_belong_to(dtype):
    layer, emissions, packing = chain([2, 3], 1.0, 1)
    emissions = emissions.detach().to(dtype).requires_grad_()
    layer.float().loss(emissions, torch.zeros(5, dtype=torch.int64), packing).sum().backward()
    assert emissions.grad.dtype == dtype
    assert layer.transitions.grad.dtype == torch.float32


def test_a_sentence_alone_has_the_loss_that_it_has_among_others():
    layer, emissions, packing = chain([40, 1, 7], 1.0, 1)
    gold = torch.randint(len(LABELS), (48,), generator=torch.Generator().manual_seed(1))
    together = layer.loss(emissions, gold, packing)
    alone = layer.loss(emissions[41:], gold[41:], Packing.of([7]))
    torch.testing.assert_close(together[2:], alone, rtol=1e-12, atol=0)
