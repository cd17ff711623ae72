"""Probes of counts in the bank: as on the dense matrix, alone as in company, within stated memory."""

from itertools import product

import numpy as np
import pytest

from polyprobe.errors import PolyprobeError
from polyprobe.probing.bank import bank
from polyprobe.probing.bank.jobs import ProbeJob
from tests.probing.probe_examples import assert_same, random_data, sparse_data, spec_with, trained

RUSENTEVAL = {"activation": "sigmoid", "dropout_place": "before_activation", "gradient_clamp": None}
RUSENTEVAL |= {"stopping": "first_rise_of_dev_loss", "max_epochs": 30}
SPECS = [
    spec_with(**RUSENTEVAL, hidden_size=24, dropout=0.2, weight_decay=1e-3),
    spec_with(**RUSENTEVAL, hidden_size=None, dropout=0.0, weight_decay=1e-2),
    spec_with(hidden_size=24, loss_weights="inverse_frequency"),
]
DECAYS = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("n_train", "n_labels"), [(41, 3), (530, 2), (48, 17)])
def test_a_probe_of_few_entries_is_that_of_the_dense_matrix(spec, n_train, n_labels):
    sparse, dense = (ProbeJob(data, spec, 1, "toy") for data in sparse_data(3, n_train=n_train, n_labels=n_labels))
    one, other = trained([sparse])[0], trained([dense])[0]
    assert (one.epochs, one.best_epoch, one.dev_accuracy) == (other.epochs, other.best_epoch, other.dev_accuracy)
    np.testing.assert_allclose(one.train_losses, other.train_losses, atol=1e-5)
    np.testing.assert_allclose(one.test_losses, other.test_losses, atol=1e-5)
    np.testing.assert_array_equal(one.test_predictions, other.test_predictions)


def test_probes_of_few_entries_are_the_same_alone_and_in_company():
    tests = [sparse_data(seed, width=width)[0] for seed, width in ((1, 40), (2, 40), (3, 33))]
    specs = [spec_with(**RUSENTEVAL, hidden_size=None, dropout=0.0, weight_decay=decay) for decay in DECAYS]
    specs += [spec_with(**RUSENTEVAL, dropout=dropout) for dropout in (0.0, 0.2)]
    jobs = [ProbeJob(data, spec, seed, "toy") for data, spec, seed in product(tests, specs, (1, 2))]
    dense = ProbeJob(random_data(1, width=40, n_train=41), specs[0], 1, "dense")
    together = trained([*jobs, dense], 3)
    for place in (0, 7, 12, 20, 41):
        assert_same(together[place], trained([jobs[place]])[0])
    assert_same(together[-1], trained([dense])[0])
    assert len({outcome.epochs for outcome in together}) > 1


def test_what_memory_does_not_hold_together_is_trained_one_after_another(monkeypatch):
    data = sparse_data(1, width=100, n_labels=2)[0]
    jobs = [ProbeJob(data, spec_with(weight_decay=decay), 1, "toy") for decay in DECAYS]
    together = trained(jobs)
    # 24 hidden units, 100 inputs and 16 columns: 2,784 weights of 4 bytes, seven times: 77,952 bytes a probe.
    monkeypatch.setattr(bank, "MOST_BYTES", 160_000)
    assert [len(chunk) for chunk in bank._chunks_of(jobs, 8, 1)] == [2, 2, 1]
    for outcome, other in zip(trained(jobs), together, strict=True):
        assert_same(outcome, other)
    monkeypatch.setattr(bank, "MOST_BYTES", 77_952)
    assert [len(chunk) for chunk in bank._chunks_of(jobs, 8, 1)] == [1] * 5


def test_linear_probes_that_memory_does_not_hold_side_by_side_are_trained_in_smaller_families(monkeypatch):
    data = sparse_data(1, width=100, n_labels=2)[0]
    specs = [spec_with(**RUSENTEVAL, hidden_size=None, dropout=0.0, weight_decay=decay) for decay in DECAYS]
    jobs = [ProbeJob(data, spec, 1, "toy") for spec in specs]
    together = trained(jobs)
    assert bank._chunks_of(jobs, 8, 1) == [[[0, 1, 2, 3, 4]]]
    # 100 inputs and 16 columns: 1,600 weights of 4 bytes, six times and once for each member: 51,200 bytes for two.
    monkeypatch.setattr(bank, "MOST_BYTES", 51_200)
    assert bank._chunks_of(jobs, 8, 1) == [[[0, 1]], [[2, 3]], [[4]]]
    for outcome, other in zip(trained(jobs), together, strict=True):
        assert_same(outcome, other)


def test_a_probe_that_memory_does_not_hold_alone_is_refused(monkeypatch):
    monkeypatch.setattr(bank, "MOST_BYTES", 77_951)
    job = ProbeJob(sparse_data(1, width=100, n_labels=2)[0], spec_with(), 1, "WC/tfidf_char")
    with pytest.raises(PolyprobeError, match=r"WC/tfidf_char: .* 100 inputs and 24 columns .*encoder\.max_features"):
        trained([job])
