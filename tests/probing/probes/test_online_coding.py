"""Online coding against a plain loop, and its meaning: what can be learned compresses, noise does not."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch

from polyprobe.errors import BadValue
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob
from polyprobe.probing.probes.online_coding import OnlineCoding
from polyprobe.seeds import derived_seed
from tests.probing.plain_probe import plain_training
from tests.probing.probe_examples import SPEC, random_data, spec_with, trained

PORTIONS = [0.05, 0.1, 0.2, 0.4, 1.0]


def online_coding(**changes) -> OnlineCoding:
    return OnlineCoding(**{"portions": PORTIONS, **SPEC, **changes})


def coded(data: ProbeData, seed: int = 1, **changes):
    probe = online_coding(**changes)
    jobs = probe.jobs(data, seed, "test")
    return probe.outcome(jobs, trained(jobs))


def kinds(is_learnable: bool) -> ProbeData:
    """The vectors show the label plainly, or the labels are drawn."""
    generator = torch.Generator().manual_seed(2)
    labels = torch.randint(4, (500,), generator=generator)
    vectors = torch.randn(500, 16, generator=generator) * 0.1 + 2 * torch.nn.functional.one_hot(labels, 16)
    if not is_learnable:
        labels = torch.randint(4, (500,), generator=generator)
    rows = torch.arange(500)[:, None]
    return ProbeData(vectors, *rows.split([400, 50, 50]), *labels.split([400, 50, 50]), 4)


def test_the_codelength_is_that_of_a_plain_loop_over_portions():
    data, n = random_data(3, width=16, n_train=100), [5, 10, 20, 40, 100]
    order = np.random.default_rng(derived_seed(4, "online coding")).permutation(100)
    bits = 5 * math.log2(3)
    for known, end in pairwise(n):
        portion = ProbeData(
            data.vectors,
            data.train_rows[order[:known]],
            data.dev_rows,
            data.train_rows[order[known:end]],
            data.train_labels[order[:known]],
            data.dev_labels,
            data.train_labels[order[known:end]],
            3,
        )
        plain = plain_training(ProbeJob(portion, spec_with(), 4, f"test/first {known}"))
        bits += plain.test_losses.sum().item() / math.log(2)
    outcome = coded(data, seed=4)
    assert outcome.codelength == pytest.approx(bits, rel=1e-4)
    assert outcome.compression == pytest.approx(100 * math.log2(3) / bits, rel=1e-4)


def test_a_rare_label_compresses_by_itself_and_noise_no_further():
    """474 and 6: 480 times their entropy is 46.5 bits; the uniform code has 480."""
    labels = torch.tensor(([0] * 79 + [1]) * 6)
    rows = torch.arange(480)[:, None]
    vectors = torch.randn(480, 8, generator=torch.Generator().manual_seed(1))
    outcome = coded(ProbeData(vectors, rows, rows[:60], rows[:60], labels, labels[:60], labels[:60], 2))
    assert outcome.prior_codelength == pytest.approx(46.53, abs=0.01)
    assert outcome.compression > 2
    assert outcome.prior_codelength < outcome.codelength


def test_the_online_prior_codes_each_portion_by_the_labels_before_it():
    data, n = random_data(3, width=16, n_train=100), [5, 10, 20, 40, 100]
    labels = data.train_labels[np.random.default_rng(derived_seed(4, "online coding")).permutation(100)].tolist()
    bits = 5 * math.log2(3)
    for known, end in pairwise(n):
        bits -= sum(math.log2((labels[:known].count(one) + 0.5) / (known + 1.5)) for one in labels[known:end])
    assert coded(data, seed=4).online_prior_codelength == pytest.approx(bits)


def test_what_can_be_learnt_compresses_and_random_labels_do_not():
    by_loss = {"stopping": "patience_of_dev_loss", "kept_weights": "lowest_dev_loss", "max_epochs": 20}
    assert coded(kinds(is_learnable=True), **by_loss).compression > 4
    assert coded(kinds(is_learnable=False), **by_loss).compression < 1.05


def test_the_scores_are_those_of_the_same_probe_without_coding():
    data = random_data(6)
    (alone,) = trained([ProbeJob(data, spec_with(), 1, "test")])
    outcome = coded(data)
    np.testing.assert_array_equal(outcome.test_losses, alone.test_losses)
    np.testing.assert_array_equal(outcome.test_predictions, alone.test_predictions)
    assert outcome.dev_accuracy == alone.dev_accuracy


def test_portions_of_equally_many_examples_count_once():
    jobs = online_coding(portions=[0.001, 0.002, 0.1, 1.0]).jobs(random_data(1, n_train=40), 1, "test")
    assert [job.data.n_train for job in jobs] == [1, 4, 40]
    assert [len(job.data.test_labels) for job in jobs] == [3, 36, 11]


def test_a_failed_portion_fails_the_code():
    data = random_data(2)
    data.vectors[int(data.train_rows[0, 0])] = float("nan")
    assert "the loss is not a number" in coded(data).failed


@pytest.mark.parametrize("portions", [[], [0.5, 0.4, 1.0], [0.1, 0.5], [0.0, 1.0]])
def test_portions_that_do_not_rise_to_one_are_refused(portions):
    with pytest.raises(BadValue, match="rising shares, above 0 and up to 1"):
        online_coding(portions=portions)
