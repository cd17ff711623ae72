"""The probe bank: alone equals company, gradients equal autograd's, and it learns."""

import signal
import sys
import threading
from _thread import interrupt_main
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.models.layers.score_columns import padded_label_count
from polyprobe.probing.bank import bank
from polyprobe.probing.bank.bank import train_bank
from polyprobe.probing.bank.chunk import Chunk
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob
from tests.probing.probe_examples import assert_same, random_data, spec_with, trained


def learnable_data(parts: int = 1) -> ProbeData:
    """Rows come in three kinds that the vectors show; a pair's label is a sum of two kinds modulo 3, not linear."""
    generator = torch.Generator().manual_seed(5)
    vectors = torch.nn.functional.one_hot(torch.arange(60) % 3, 8).float() * 2
    vectors += 0.1 * torch.randn(60, 8, generator=generator)
    rows = [torch.randint(60, (n, parts), generator=generator) for n in (200, 60, 60)]
    labels = [(part * torch.tensor([1, 2])[:parts]).sum(1) % 3 for part in rows]
    return ProbeData(vectors, *rows, *labels, 3)


job_options = st.fixed_dictionaries(
    {
        "width": st.sampled_from([7, 16, 33]),
        "n_train": st.sampled_from([1, 16, 41, 530]),
        "n_labels": st.sampled_from([2, 3, 17]),
        "parts": st.sampled_from([1, 2]),
    }
)


spec_options = st.fixed_dictionaries(
    {
        "hidden_size": st.sampled_from([None, 5, 24, 37]),
        "activation": st.sampled_from(["relu", "sigmoid", "tanh"]),
        "dropout_place": st.sampled_from(["after_activation", "before_activation"]),
        "gradient_clamp": st.sampled_from([None, 5.0]),
        "loss_reduction": st.sampled_from(["mean", "sum"]),
        "loss_weights": st.sampled_from(["none", "inverse_frequency"]),
        "batch_size": st.sampled_from([10, 16, 64]),
        "stopping": st.sampled_from(["patience", "tenacity_never_reset", "first_rise_of_dev_loss"]),
        "epochs_per_evaluation": st.sampled_from([1, 2]),
        "kept_weights": st.sampled_from(["best_dev", "last"]),
        "scale": st.sampled_from(["none", "standard"]),
    }
)
PAPER = {"hidden_size": 24, "activation": "relu", "dropout_place": "after_activation"}
# What may differ inside a stack.
CELLS = [(0.5, 0.0), (0.0, 0.0), (0.5, 0.1), (0.2, 0.001)]


def cell_of(options: dict, number: int) -> ProbeSpec:
    dropout, weight_decay = CELLS[number % len(CELLS)]
    return spec_with(**options, dropout=dropout if options["hidden_size"] else 0.0, weight_decay=weight_decay)


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.generate])  # shrinking takes minutes
@given(
    kinds=st.lists(job_options, min_size=1, max_size=2),
    specs=st.lists(st.one_of(st.just(PAPER), spec_options), min_size=1, max_size=2),
    n_jobs=st.integers(2, 7),
    chunk_size=st.integers(1, 7),
    draw=st.randoms(use_true_random=False),
)
def test_a_probe_is_the_same_alone_and_in_any_company(kinds, specs, n_jobs, chunk_size, draw):
    jobs = [
        ProbeJob(
            random_data(n // 2, **kinds[n % len(kinds)]),
            cell_of(draw.choice(specs), draw.randrange(4)),
            n % 3,
            f"test {n // 3}",
        )
        for n in range(n_jobs)
    ]
    order = draw.sample(range(n_jobs), n_jobs)
    together = trained([jobs[n] for n in order], chunk_size)
    alone = draw.randrange(n_jobs)
    assert_same(together[order.index(alone)], trained([jobs[alone]])[0])


FAMILY = {"hidden_size": None, "dropout": 0.0, "batch_size": 16, "max_epochs": 12, "stopping": "tenacity_never_reset"}
DECAYS = [0.0, 1e-3, 0.1, 1.0, 1e-5, 0.3, 3.0, 1e-2, 0.5]  # more than there is room for side by side


@pytest.mark.parametrize("n_labels", [2, 3, 5, 6, 8, 9, 17])
@pytest.mark.parametrize("n_train", [41, 530])
def test_linear_probes_that_differ_in_decay_are_the_same_side_by_side_and_alone(n_labels, n_train):
    tests = [random_data(seed, width=33, n_train=n_train, n_labels=n_labels) for seed in range(2)]
    specs = [spec_with(**FAMILY, weight_decay=decay) for decay in DECAYS]
    jobs = [ProbeJob(data, spec, 1, "family") for spec in specs for data in tests]
    together = trained(jobs, 2)
    for number in (0, 3, 10, 17):
        assert_same(together[number], trained([jobs[number]])[0])
    assert len({outcome.epochs for outcome in together}) > 1


def test_a_linear_probe_that_fails_harms_none_at_its_side():
    data = random_data(1, n_labels=2)
    jobs = [ProbeJob(data, spec_with(**FAMILY, weight_decay=decay), 1, "family") for decay in (0.1, 1e300, 0.0)]
    first, failed, last = trained(jobs)
    assert failed.failed == "family: the loss is not a number in epoch 1"
    assert_same(first, trained(jobs[:1])[0])
    assert_same(last, trained(jobs[2:])[0])


def test_linear_probes_of_another_seed_or_key_see_another_order():
    data, spec = random_data(1, n_labels=2), spec_with(**FAMILY)
    jobs = [ProbeJob(data, spec, seed, key) for seed, key in ((1, "a"), (2, "a"), (1, "b"), (1, "a"))]
    first, other_seed, other_key, again = trained(jobs)
    assert_same(first, again)
    assert len({outcome.train_losses for outcome in (first, other_seed, other_key)}) == 3


@pytest.mark.parametrize(("hidden_size", "parts"), [(24, 1), (24, 2), (None, 1)])
def test_a_toy_problem_is_learnt(hidden_size, parts):
    spec = spec_with(hidden_size=hidden_size, dropout=0.5 if hidden_size else 0.0, max_epochs=60, patience=60)
    data = learnable_data(parts)
    (outcome,) = trained([ProbeJob(data, spec, 1, "toy")])
    np.testing.assert_array_equal(outcome.test_predictions, data.test_labels.numpy())
    assert outcome.dev_accuracy == 1.0


def test_outcomes_come_in_the_order_of_the_jobs():
    wide, narrow = random_data(1, width=12), random_data(2, width=9, parts=2)
    jobs = [ProbeJob(data, spec_with(), seed, "order") for seed in range(2) for data in (wide, narrow)]
    backwards = trained(jobs[::-1])
    for outcome, other in zip(trained(jobs), backwards[::-1], strict=True):
        assert_same(outcome, other)


def test_a_probe_whose_loss_is_not_a_number_fails_and_harms_no_other():
    good, bad = random_data(1), random_data(2)
    bad.vectors[int(bad.train_rows[0, 0])] = float("nan")
    spec = spec_with()
    jobs = [ProbeJob(good, spec, 1, "good"), ProbeJob(bad, spec, 1, "Case/encoding/8"), ProbeJob(good, spec, 2, "good")]
    first, failed, third = trained(jobs)
    assert failed.failed == "Case/encoding/8: the loss is not a number in epoch 1"
    assert len(failed.test_predictions) == 0
    assert_same(first, trained(jobs[:1])[0])
    assert_same(third, trained(jobs[2:])[0])


def test_a_probe_stops_when_patience_is_over_and_the_first_best_epoch_counts():
    data = random_data(3, n_labels=2)
    data.dev_labels.zero_()  # one label: dev accuracy can reach 1 early and is never exceeded
    spec = spec_with(learning_rate=1e-9, max_epochs=20, patience=3)
    (outcome,) = trained([ProbeJob(data, spec, 1, "constant")])
    assert (outcome.epochs, outcome.best_epoch) == (4, 1)
    assert outcome.dev_accuracy == (outcome.dev_predictions == 0).mean()


def test_progress_ends_at_what_is_due():
    seen = []
    jobs = [ProbeJob(random_data(seed), spec_with(), seed, "progress") for seed in range(3)]
    train_bank(jobs, 2, torch.device("cpu"), lambda done, due: seen.append((done, due)))
    assert seen[-1] == (12, 12)
    assert seen == sorted(seen)


@pytest.fixture
def two_threads():
    before, flushes = torch.get_num_threads(), sys.float_info.min * 0.5 == 0.0
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)
    torch.set_flush_denormal(flushes)


def test_chunks_side_by_side_in_threads_train_as_one_alone(two_threads):
    torch.set_flush_denormal(True)
    jobs = [ProbeJob(random_data(seed, width=33, n_train=100), spec_with(), seed, "threads") for seed in range(7)]
    together = trained(jobs, chunk_size=2)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)
    for job, outcome in zip(jobs, together, strict=True):
        assert_same(trained([job])[0], outcome)


def test_threads_round_small_numbers_as_the_one_that_asks(two_threads, monkeypatch):
    seen = []
    advance = Chunk.advance
    monkeypatch.setattr(Chunk, "advance", lambda chunk: (seen.append(sys.float_info.min * 0.5), advance(chunk)))
    torch.set_flush_denormal(True)
    trained([ProbeJob(random_data(seed), spec_with(), seed, "small") for seed in range(2)], chunk_size=1)
    assert set(seen) == {0.0}


def test_what_fails_in_a_thread_is_raised(two_threads, monkeypatch):
    def fail(chunk: Chunk) -> None:
        raise MemoryError("no room for the chunk")

    monkeypatch.setattr(Chunk, "advance", fail)
    with pytest.raises(MemoryError, match="no room for the chunk"):
        trained([ProbeJob(random_data(seed), spec_with(), seed, "fails") for seed in range(3)], chunk_size=1)


def test_few_threads_train_what_memory_does_not_hold_side_by_side(two_threads, monkeypatch):
    # 24 hidden units, 10 inputs and 16 columns: 664 weights of 4 bytes (624 without biases), seven times: 17,472 bytes.
    jobs = [ProbeJob(random_data(seed), spec_with(), seed, "large") for seed in range(3)]
    monkeypatch.setattr(bank, "MOST_BYTES", 17_472)
    running, most = set(), []
    advance = Chunk.advance

    def watched(chunk: Chunk) -> None:
        running.add(id(chunk))
        most.append(len(running))
        advance(chunk)
        running.discard(id(chunk))

    monkeypatch.setattr(Chunk, "advance", watched)
    trained(jobs, chunk_size=1)
    assert max(most) == 1


def test_no_job_needs_no_training():
    assert trained([]) == []


def test_labels_are_padded_to_fixed_sizes():
    assert [padded_label_count(n, 16) for n in (1, 16, 17, 32, 33, 100)] == [16, 16, 32, 32, 64, 128]


class SecondSignal(BaseException):
    pass


def kill_main(number):
    signal.pthread_kill(threading.main_thread().ident, number)


# The second does what a signal does that comes after Python's last look for signals: the system's wait goes on.
SENDS = pytest.mark.parametrize("send", [kill_main, interrupt_main], ids=["in_the_wait", "as_the_wait_begins"])


@SENDS
def test_a_signal_does_not_wait_for_the_end_of_a_block(monkeypatch, send):
    is_waiting, is_over, wait = threading.Event(), threading.Event(), bank.wait

    def advance(chunk):
        is_waiting.wait()
        send(signal.SIGINT)
        is_over.wait()

    def waited(*arguments, **options):
        is_waiting.set()
        return wait(*arguments, **options)

    def interrupt(number, frame):
        is_over.set()
        raise KeyboardInterrupt

    monkeypatch.setattr(bank, "_advance", advance)
    monkeypatch.setattr(bank, "wait", waited)
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            train_bank([ProbeJob(random_data(0), spec_with(), 0, "Case")], 1, torch.device("cpu"), lambda *done: None)
    finally:
        signal.signal(signal.SIGINT, before)


@SENDS
def test_a_second_signal_lets_no_thread_be_forgotten_that_still_trains(monkeypatch, send):
    """Python would not wait for it when it ends, and abort."""
    is_ending, is_over, threads = threading.Event(), threading.Event(), []

    class Pool(ThreadPoolExecutor):
        def shutdown(self, *arguments, **options):
            is_ending.set()
            super().shutdown(*arguments, **options)

    def advance(chunk):
        threads.append(threading.current_thread())
        if len(threads) == 2:
            is_ending.wait()
            send(signal.SIGUSR2)
            is_over.wait()

    def interrupt(done, due):
        raise KeyboardInterrupt

    def interrupt_again(number, frame):
        raise SecondSignal

    monkeypatch.setattr(bank, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(bank, "_advance", advance)
    before = signal.signal(signal.SIGUSR2, interrupt_again)
    try:
        with pytest.raises(SecondSignal):
            train_bank([ProbeJob(random_data(0), spec_with(), 0, "Case")], 1, torch.device("cpu"), interrupt)
        assert threads[1].is_alive()
    finally:
        is_over.set()
        signal.signal(signal.SIGUSR2, before)
