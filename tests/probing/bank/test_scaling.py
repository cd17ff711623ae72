"""The scale of vectors: statistics of train, what standardised probes learn where others fail, memory."""

import numpy as np
import pytest
import torch

from polyprobe.probing.bank import bank
from polyprobe.probing.bank.bank import ProbeBank
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob
from polyprobe.probing.bank.scaling import Scaling
from polyprobe.probing.probes.online_coding import OnlineCoding
from tests.probing.probe_examples import SPEC, assert_same, random_data, sparse_data, spec_with, trained

WIDTH = 32


def with_informative_column(change) -> ProbeData:
    """600 items, of whose 32 columns the sixth says the label; `change` makes their scale another one."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, 600)
    vectors = random.normal(size=(600, WIDTH))
    vectors[:, 5] = (2 * labels - 1) * 1.5 + random.normal(0, 0.5, 600)
    rows = torch.arange(600)[:, None].split([400, 100, 100])
    split = torch.from_numpy(labels).split([400, 100, 100])
    return ProbeData(torch.from_numpy(change(vectors).astype(np.float32)), *rows, *split, 2)


def with_column(values):
    return lambda vectors: np.concatenate([np.broadcast_to(values, (600, 1)), vectors[:, 1:]], axis=1)


CHANGES = {
    "plain": lambda vectors: vectors,
    "a useless column times 1,000": with_column(1000 * np.random.default_rng(1).normal(size=(600, 1))),
    "all shifted by 100": lambda vectors: vectors + 100,
    "a constant column of 3,000": with_column(3000),
    "a constant column of 1e30": with_column(1e30),
    "all times 0.03": lambda vectors: 0.03 * vectors,
    "all times 0.003": lambda vectors: 0.003 * vectors,
    "all times 1e-38": lambda vectors: 1e-38 * vectors,
    "all times 1e30": lambda vectors: 1e30 * vectors,
}
PROBES = {"mlp": {"hidden_size": 300, "dropout": 0.5}, "linear": {"hidden_size": None, "dropout": 0.0}}


@pytest.mark.parametrize("probe", PROBES)
def test_a_standardised_probe_learns_at_any_scale(probe):
    spec = spec_with(**PROBES[probe], max_epochs=20, patience=5, scale="standard")
    jobs = [ProbeJob(with_informative_column(change), spec, 1, name) for name, change in CHANGES.items()]
    found = {
        job.key: float((one.test_predictions == job.data.test_labels.numpy()).mean())
        for job, one in zip(jobs, trained(jobs), strict=True)
    }
    assert min(found.values()) >= 0.95, found


def test_the_columns_of_train_get_mean_0_and_deviation_1_and_constant_ones_are_0_everywhere():
    vectors = 3.0 + 2.0 * torch.randn(50, 4, generator=torch.Generator().manual_seed(1))
    vectors[:40, 2], vectors[40:, 2] = 3000.1, 7.0
    vectors[:, 3] = 3000.1 + torch.arange(50) % 2 * 2**-12  # one unit in the last place: rounding
    scaling, train = Scaling.of(vectors, torch.arange(40)), vectors[:40].double().numpy()
    np.testing.assert_allclose(scaling.means, train.mean(axis=0))
    np.testing.assert_allclose(scaling.deviations[:2], train[:, :2].std(axis=0))
    scaled = scaling.standardised(vectors, torch.arange(50))
    np.testing.assert_allclose(scaled[:40, :2].mean(0), 0, atol=1e-6)
    np.testing.assert_allclose(scaled[:40, :2].std(0, correction=0), 1, rtol=1e-6)
    assert not scaled[:, 2:].any()


def test_a_large_constant_takes_no_digits():
    vectors = (2**20 + torch.arange(20) % 2)[:, None].float()
    scaled = Scaling.of(vectors, torch.arange(20)).standardised(vectors, torch.arange(20))
    assert scaled.flatten().tolist() == [-1.0, 1.0] * 10


def test_a_row_says_mean_and_deviation_of_the_median_column_and_how_much_larger_the_largest_is():
    scaling = Scaling(np.array([0.0, 3.0, -4.0, 0.0]), np.array([0.0, 4.0, 3.0, 500.0]))
    assert scaling.in_a_row == (3.0, 4.0, 100.0)  # the first column is 0 throughout
    assert Scaling(np.zeros(3), np.zeros(3)).in_a_row == (0.0, 0.0, 1.0)
    (outcome,) = trained([ProbeJob(random_data(1), spec_with(), 1, "measured, not standardised")])
    assert outcome.scale == Scaling.of(random_data(1).vectors, random_data(1).train_rows).in_a_row


def test_the_portions_of_a_code_are_at_the_scale_of_the_whole_train():
    data = with_informative_column(CHANGES["all shifted by 100"])
    coding = OnlineCoding([0.005, 1.0], **{**SPEC, "max_epochs": 20, "scale": "standard"})
    jobs = coding.jobs(data, 1, "code")
    first, whole = trained(jobs)
    assert first.scale == whole.scale
    assert_same(trained(jobs[:1])[0], first)


def test_counts_stay_as_they_are():
    counts, _ = sparse_data(1)
    plain, standard = (
        trained([ProbeJob(counts, spec_with(scale=one), 1, "counts")])[0] for one in ("none", "standard")
    )
    assert_same(plain, standard)
    assert standard.scale is None


def test_seeds_share_a_standardised_copy_which_goes_with_its_last_probe():
    data, spec = random_data(1), spec_with(scale="standard")
    jobs = [ProbeJob(data, spec, seed, "test") for seed in range(2)]
    probes = ProbeBank(jobs, 1, 1, torch.device("cpu"), lambda done, due: None)
    first, second = probes._family([0]), probes._family([1])
    assert first.data is second.data
    assert first.data.vectors is not data.vectors
    assert len(probes._standardised) == 1
    del first, second
    assert not probes._standardised
    probes.close()


def test_standardised_copies_count_in_the_memory_of_a_chunk(monkeypatch):
    plain, standard = (
        [ProbeJob(random_data(seed, width=16), spec_with(scale=scale), 1, "t") for seed in range(6)]
        for scale in ("none", "standard")
    )
    monkeypatch.setattr(bank, "MOST_BYTES", 6 * (bank.COPIES_OF_WEIGHTS + 1) * bank._copy_bytes(plain[0]))
    assert [len(bank._chunks_of(jobs, 8, 1)) for jobs in (plain, standard)] == [1, 2]
