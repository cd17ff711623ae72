"""The hand-written training of the bank against torch's modules, autograd and Adam."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

from src.formats.errors import BadValue
from src.probing.chunk import gathered_examples
from src.probing.jobs import ProbeData, ProbeJob
from src.probing.networks import ABSENT, Batch, network_of
from src.probing.parameter_stack import ParameterStack
from src.probing.probe_spec import ProbeSpec
from src.probing.randomness import ProbeRandom, kept_share
from tests.probing.probe_examples import SPEC, random_data, spec_with, trained


class GivenDropout(nn.Module):
    """Dropout with masks that were drawn elsewhere."""

    def __init__(self, share: float):
        super().__init__()
        self.share, self.kept = share, None

    def forward(self, hidden):
        return hidden if self.kept is None else hidden * self.kept / self.share


def plain_module(data: ProbeData, spec: ProbeSpec, random: ProbeRandom) -> nn.Sequential:
    """The probe as torch would write it, with the initial weights that the bank draws."""
    sizes = [data.input_width, *([spec.hidden_size] if spec.hidden_size else []), data.n_labels]
    layers = []
    for n_inputs, n_outputs in pairwise(sizes):
        linear = nn.Linear(n_inputs, n_outputs)
        linear.weight.data = torch.from_numpy(random.uniform((n_inputs, n_outputs), n_inputs**-0.5)).T.contiguous()
        linear.bias.data = torch.from_numpy(random.uniform((n_outputs,), n_inputs**-0.5))
        layers += [linear, nn.ReLU(), GivenDropout(kept_share(spec.dropout))]
    return nn.Sequential(*layers[:-2])


def set_dropout(module: nn.Sequential, kept) -> None:
    for layer in module:
        if isinstance(layer, GivenDropout):
            layer.kept = kept


def plain_losses(data: ProbeData, spec: ProbeSpec, seed: int, key: str) -> list[float]:
    """Trains one probe with autograd and Adam, same order and masks; gives the mean loss of each epoch."""
    random = ProbeRandom(seed, key)
    module = plain_module(data, spec, random)
    adam = torch.optim.Adam(module.parameters(), spec.learning_rate, tuple(spec.adam_betas), spec.adam_epsilon)
    inputs = data.vectors[data.train_rows].flatten(1)
    losses = []
    for _ in range(spec.max_epochs):
        order, total = torch.from_numpy(random.order(data.n_train)), 0.0
        for rows in order.split(gathered_examples(spec.batch_size)):
            kept = random.kept(len(rows) * spec.hidden_size, spec.dropout) if spec.dropout else None
            for start in range(0, len(rows), spec.batch_size):
                batch = rows[start : start + spec.batch_size]
                if kept is not None:
                    drawn = torch.from_numpy(kept).view(len(rows), -1)[start : start + spec.batch_size]
                    set_dropout(module, drawn.float())
                loss = nn.functional.cross_entropy(module(inputs[batch]), data.train_labels[batch])
                adam.zero_grad()
                loss.backward()
                nn.utils.clip_grad_value_(module.parameters(), spec.gradient_clamp)
                adam.step()
                total += loss.item() * len(batch)
        losses.append(total / data.n_train)
    return losses


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"dropout": 0.2},
        {"dropout": 0.0},
        {"hidden_size": None, "dropout": 0.0},
        {"gradient_clamp": 0.001},
        {"adam_betas": (0.8, 0.99), "adam_epsilon": 1e-3},
    ],
)
@pytest.mark.parametrize("parts", [1, 2])
def test_a_probe_trains_as_with_autograd_and_adam(changes, parts):
    spec = spec_with(max_epochs=3, patience=3, learning_rate=0.001, **changes)
    data = random_data(4, n_train=533, parts=parts)  # two gathered blocks; the last batch holds 5 examples
    jobs = [ProbeJob(data, spec, 7, "plain"), ProbeJob(data, spec, 8, "plain")]
    outcomes = trained(jobs, chunk_size=2)
    for job, outcome in zip(jobs, outcomes, strict=True):
        np.testing.assert_allclose(outcome.train_losses, plain_losses(data, spec, job.seed, job.key), rtol=1e-5)


def test_gradients_equal_those_of_autograd():
    spec = spec_with()
    data, random = random_data(6), ProbeRandom(3, "gradients")
    network, module = network_of(spec), plain_module(data, spec, ProbeRandom(3, "gradients"))
    stack = ParameterStack([network.initial(random, 10, 3, 16)] * 2, spec, [0.0, 0.0], torch.device("cpu"))
    generator = torch.Generator().manual_seed(1)
    inputs, labels = torch.randn(2, 9, 10, generator=generator), torch.randint(3, (2, 9, 1), generator=generator)
    kept = torch.randint(2, (2, 9, 24), generator=generator).float()
    targets = nn.functional.one_hot(labels[..., 0], 16).float()
    network.fill_gradients(
        stack.parameters,
        Batch(inputs, labels, targets, torch.empty(2, 9, 1), kept, torch.full((2, 1, 1), 2.0), None),
        stack.gradients,
    )
    for slot in range(2):
        set_dropout(module, kept[slot])
        module.zero_grad()
        nn.functional.cross_entropy(module(inputs[slot]), labels[slot, :, 0]).backward()
        expected = [module[0].weight.grad.T, module[0].bias.grad, module[3].weight.grad.T, module[3].bias.grad]
        found = [gradient[slot] for gradient in stack.gradients]
        for ours, theirs in zip(found[:2] + [part[:, :3] for part in found[2:]], expected, strict=True):
            torch.testing.assert_close(ours, theirs.view(ours.shape), rtol=1e-5, atol=1e-7)


def test_absent_labels_are_never_predicted_and_never_move():
    spec = spec_with()
    weights, bias = network_of(spec).initial(ProbeRandom(1, "absent"), 10, 3, 16)[2:]
    assert torch.all(weights[:, 3:] == 0)
    assert torch.all(bias[:, 3:] == ABSENT)
    data = random_data(1)
    (outcome,) = trained([ProbeJob(data, spec, 1, "a")])
    assert set(outcome.test_predictions) <= {0, 1, 2}


def test_probes_that_leave_the_stack_do_not_disturb_those_that_stay():
    spec = spec_with(dropout=0.0)
    initial = [[torch.full((3, 5), float(n)), torch.full((1, 5), float(n))] for n in range(4)]
    stack = ParameterStack(initial, spec, [0.0] * 4, torch.device("cpu"))
    whole = ParameterStack(initial, spec, [0.0] * 4, torch.device("cpu"))
    for step in range(4):
        if step == 2:
            stack.keep([1, 3])
        for some in (stack, whole):
            for gradient in some.gradients:
                gradient.fill_(0.5 + step)
            some.step()
    for ours, theirs in zip(stack.parameters, whole.parameters, strict=True):
        assert torch.equal(ours, theirs[[1, 3]])


@pytest.mark.parametrize("dropout", [0.5, 0.1, 0.9, 1 / 3])
def test_dropout_keeps_its_share(dropout):
    kept = ProbeRandom(1, "dropout").kept(200_000, dropout)
    assert set(np.unique(kept)) == {0, 1}
    deviation = math.sqrt(dropout * (1 - dropout) / len(kept))
    assert abs(kept.mean() - (1 - dropout)) < 4 * deviation
    assert abs(kept_share(dropout) - (1 - dropout)) < 1e-5


def test_chance_depends_on_seed_and_key_alone():
    draws = [ProbeRandom(seed, key).order(50).tolist() for seed, key in ((1, "a"), (1, "a"), (2, "a"), (1, "b"))]
    assert draws[0] == draws[1]
    assert len({tuple(draw) for draw in draws}) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden_size": 0}, "probe.hidden_size must be null or at least 1, is 0."),
        ({"dropout": 1.0}, "probe.dropout must be at least 0 and below 1, is 1.0."),
        ({"batch_size": 0}, "probe.batch_size must be at least 1, is 0."),
        ({"learning_rate": -1.0}, "probe.learning_rate must be above 0, is -1.0."),
        ({"hidden_size": None}, "probe.dropout must be 0 where there is no hidden layer"),
    ],
)
def test_a_value_out_of_range_is_refused_by_its_key(changes, message):
    with pytest.raises(BadValue, match=message):
        ProbeSpec(**{**SPEC, **changes})
