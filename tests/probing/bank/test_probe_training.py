"""The hand-written training of the bank against torch's modules, autograd and Adam."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from polyprobe.errors import PolyprobeError
from polyprobe.models.layers.probe_random import ProbeRandom, kept_share
from polyprobe.models.layers.probe_spec import ElasticNet, ProbeSpec
from polyprobe.models.layers.score_columns import columns_of
from polyprobe.probing.bank.inputs import DenseInputs
from polyprobe.probing.bank.jobs import ProbeJob
from polyprobe.probing.bank.networks import ABSENT, Batch, network_of
from polyprobe.probing.bank.parameter_stack import ParameterStack
from tests.probing.plain_probe import plain_module, plain_training, set_dropout
from tests.probing.probe_examples import SPEC, random_data, spec_with, trained

SENTEVAL = {"activation": "sigmoid", "dropout_place": "before_activation", "gradient_clamp": None}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"dropout": 0.2},
        {"dropout": 0.0},
        {"hidden_size": None, "dropout": 0.0},
        {"gradient_clamp": 0.001},
        {"gradient_clamp": 0.001, "weight_decay": 0.1},
        {"adam_betas": (0.8, 0.99), "adam_epsilon": 1e-3},
        {"activation": "tanh"},
        {"activation": "tanh", "dropout_place": "before_activation"},
        {"dropout_place": "before_activation"},
        {**SENTEVAL, "dropout": 0.2, "weight_decay": 0.01, "batch_size": 64},
        {**SENTEVAL, "dropout_place": "after_activation"},
        {"hidden_size": None, "dropout": 0.0, "weight_decay": 0.1},
        {"loss_reduction": "sum", "gradient_clamp": None, "weight_decay": 0.1},
        {"loss_weights": "inverse_frequency"},
        {"loss_weights": "inverse_frequency", "loss_reduction": "sum", "gradient_clamp": None},
    ],
    ids=str,
)
def test_a_probe_trains_as_with_autograd_and_adam(changes):
    spec = spec_with(**{"max_epochs": 3, "patience": 3, "learning_rate": 0.001, **changes})
    # Two gathered blocks; the last batch holds 5 examples; examples are pairs.
    data = random_data(4, n_train=533, parts=2)
    jobs = [ProbeJob(data, spec, 7, "plain"), ProbeJob(data, spec, 8, "plain")]
    for job, outcome in zip(jobs, trained(jobs, chunk_size=2), strict=True):
        plain = plain_training(job)
        np.testing.assert_allclose(outcome.train_losses, plain.train_losses, rtol=1e-5)
        np.testing.assert_allclose(outcome.test_losses, plain.test_losses.numpy(), rtol=1e-3)
        assert outcome.best_epoch == plain.kept_epoch


@pytest.mark.parametrize(("n_labels", "clamp"), [(2, 0.01), (3, None), (6, 0.01)])
def test_linear_probes_side_by_side_train_as_with_autograd_and_adam(n_labels, clamp):
    changes = {"hidden_size": None, "dropout": 0.0, "max_epochs": 3, "patience": 3, "gradient_clamp": clamp}
    data = random_data(4, n_train=533, parts=2, n_labels=n_labels)
    jobs = [ProbeJob(data, spec_with(**changes, weight_decay=decay), 7, "plain") for decay in (0.0, 0.01, 0.1, 1.0)]
    outcomes = trained(jobs)
    for job, outcome in zip(jobs, outcomes, strict=True):
        plain = plain_training(job)
        np.testing.assert_allclose(outcome.train_losses, plain.train_losses, rtol=1e-5)
        np.testing.assert_allclose(outcome.test_losses, plain.test_losses.numpy(), rtol=1e-3)
    assert len({outcome.train_losses for outcome in outcomes}) == 4


@pytest.mark.parametrize("kept_weights", ["best_dev", "lowest_dev_loss", "last", "last_as_it_is"])
@pytest.mark.parametrize(
    "rule",
    [
        {"stopping": "patience", "patience": 3},
        {"stopping": "tenacity_never_reset", "patience": 4, "epochs_per_evaluation": 4},
        {"stopping": "tenacity_never_reset", "patience": 2, "max_epochs": 9, "epochs_per_evaluation": 4},
        {"stopping": "patience_of_dev_loss", "patience": 2},
        {"stopping": "first_rise_of_dev_loss", "dev_batch_size": 8},
        {"stopping": "first_rise_of_dev_loss", "dev_batch_size": 8, "loss_weights": "inverse_frequency"},
        {"stopping": "none", "max_epochs": 11, "epochs_per_evaluation": 4},
    ],
    ids=str,
)
def test_a_probe_stops_and_keeps_weights_as_a_plain_loop_with_a_counter(rule, kept_weights):
    changes = {"hidden_size": None, "dropout": 0.0, "max_epochs": 60, "learning_rate": 0.002}
    for seed in (1, 2, 3):
        job = ProbeJob(random_data(seed), spec_with(**{**changes, **rule, "kept_weights": kept_weights}), seed, "stop")
        (outcome,), plain = trained([job]), plain_training(job)
        assert (outcome.epochs, outcome.best_epoch) == (len(plain.train_losses), plain.kept_epoch)
        kept = plain.accuracies[-(-plain.kept_epoch // job.spec.epochs_per_evaluation) - 1]
        assert outcome.dev_accuracy == (max(plain.accuracies) if kept_weights == "last" else kept)
        np.testing.assert_allclose(outcome.test_losses, plain.test_losses.numpy(), rtol=1e-3)


def test_gradients_equal_those_of_autograd():
    spec = spec_with()
    data, random = random_data(6), ProbeRandom(3, "gradients")
    network, module = network_of(spec, columns_of(3, spec)), plain_module(data, spec, ProbeRandom(3, "gradients"))
    stack = ParameterStack([network.initial(random, 10, 3, 16)] * 2, spec, torch.zeros(2, 1, 1), torch.device("cpu"))
    generator = torch.Generator().manual_seed(1)
    inputs, labels = torch.randn(2, 9, 10, generator=generator), torch.randint(3, (2, 9, 1), generator=generator)
    kept = torch.randint(2, (2, 9, 24), generator=generator).float()
    targets = nn.functional.one_hot(labels[..., 0], 16).float()
    network.fill_gradients(
        stack.parameters,
        Batch(
            DenseInputs(inputs),
            labels,
            targets,
            torch.empty(2, 9, 1),
            torch.full((2, 9, 1), 1 / 9),
            kept,
            torch.full((2, 1, 1), 2.0),
            elastic_nets=None,
        ),
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
    weights, bias = network_of(spec, columns_of(3, spec)).initial(ProbeRandom(1, "absent"), 10, 3, 16)[2:]
    assert torch.all(weights[:, 3:] == 0)
    assert torch.all(bias[:, 3:] == ABSENT)
    data = random_data(1)
    (outcome,) = trained([ProbeJob(data, spec, 1, "a")])
    assert set(outcome.test_predictions) <= {0, 1, 2}


def test_probes_that_leave_the_stack_do_not_disturb_those_that_stay():
    spec, decays = spec_with(dropout=0.0), torch.tensor([0.0, 0.1, 0.2, 0.3]).view(4, 1, 1)
    initial = [[torch.full((3, 5), float(n)), torch.full((1, 5), float(n))] for n in range(4)]
    stack = ParameterStack(initial, spec, decays, torch.device("cpu"))
    whole = ParameterStack(initial, spec, decays, torch.device("cpu"))
    for step in range(4):
        if step == 1:
            stack.keep([0, 1, 3])
        if step == 2:
            stack.keep([1, 2])
        for some in (stack, whole):
            for gradient in some.gradients:
                gradient.fill_(0.5 + step)
            some.step()
    for ours, theirs in zip(stack.parameters, whole.parameters, strict=True):
        assert torch.equal(ours, theirs[[1, 3]])


def test_probes_that_stay_take_no_memory_anew():
    initial = [[torch.full((3, 5), float(n)), torch.full((1, 5), float(n))] for n in range(4)]
    stack = ParameterStack(initial, spec_with(), torch.full((4, 1, 1), 0.1), torch.device("cpu"))
    before = stack.parameters[0].untyped_storage().data_ptr()
    stack.keep([0, 2, 3])
    assert stack.parameters[0].untyped_storage().data_ptr() == before
    assert [part[:, 0, 0].tolist() for part in stack.parameters] == [[0.0, 2.0, 3.0], [0.0, 2.0, 3.0]]


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
        ({"hidden_size": 0}, "probe.hidden_size must be an integer of at least 1, got 0."),
        ({"dropout": 1.0}, "probe.dropout must be a number of at least 0, below 1, got 1.0."),
        ({"batch_size": 0}, "probe.batch_size must be an integer of at least 1, got 0."),
        ({"learning_rate": -1.0}, "probe.learning_rate must be a number above 0, got -1.0."),
        ({"hidden_size": None}, "probe.dropout must be 0 where there is no hidden layer"),
        ({"batch_size": [16, 32]}, "probe.batch_size must be an integer of at least 1, got \\[16, 32\\]."),
        ({"weight_decay": -1.0}, "probe.weight_decay must be a number of at least 0, got -1.0."),
        ({"gradient_clamp": 0}, "probe.gradient_clamp must be a number above 0, got 0."),
        ({"order": "sorted"}, 'probe.order "sorted" is unknown. Known: file, shuffled.'),
        (
            {"elastic_net": ElasticNet(l1=0.1, l2=0.0, penalty="squared")},
            "hidden_size must be null where there is an elastic net",
        ),
        ({"activation": "sigmod"}, 'probe.activation "sigmod" is unknown. Did you mean sigmoid?'),
        (
            {"stopping": "never"},
            "Known: first_rise_of_dev_loss, none, patience, patience_of_dev_loss, tenacity_never_reset.",
        ),
    ],
)
def test_a_value_out_of_range_is_refused_by_its_key(changes, message):
    with pytest.raises(PolyprobeError, match=message):
        ProbeSpec(**{**SPEC, **changes})
