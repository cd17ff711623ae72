"""The floor under a bank's time: its arithmetic alone, at the best rates this machine shows.

With several threads a rate is the better of two: all threads share a call, or each does its own.
"""

import statistics
import time
from collections.abc import Callable, Sequence

import torch
from torch.optim.adam import adam

from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.probing.bank.jobs import ProbeData

Clock = Callable[[], float]

STACKS = (1, 4, 8, 12)  # the best of these sizes counts
CALLS = 50
ROUNDS = 5
SCORED = 500
MOMENT_OFFSET = 256  # float32 numbers: tensors that start at the same place of a page slow Adam down


def floor_seconds(trainings: Sequence[tuple[ProbeData, int]], spec: ProbeSpec, clock: Clock) -> float:
    """Returns the seconds that products, Adam and dev scores need.

    Args:
        trainings: the data of each probe and the epochs that it took. Its labels are not padded.
        clock: what to measure with.
    """
    shapes = {(data.input_width, data.n_labels) for data, _ in trainings}
    step = {shape: _products(*shape, spec, clock) + _adam(*shape, spec, clock) for shape in shapes}
    score = {shape: _score(*shape, spec, clock) for shape in shapes}
    total = 0.0
    for data, epochs in trainings:
        shape = data.input_width, data.n_labels
        total += epochs * (data.n_train / spec.batch_size) * step[shape]
        total += (epochs * len(data.dev_labels) + len(data.test_labels)) * score[shape]
    return total


def _products(width: int, n_labels: int, spec: ProbeSpec, clock: Clock) -> float:
    """Seconds for the five products of one probe and step."""
    sizes = [(spec.batch_size, width, spec.hidden_size), (width, spec.batch_size, spec.hidden_size)]
    sizes += [(spec.batch_size, spec.hidden_size, n_labels), (spec.hidden_size, spec.batch_size, n_labels)]
    sizes += [(spec.batch_size, n_labels, spec.hidden_size)]
    return sum(min(_product(n, *size, clock) for n in STACKS) for size in sizes)


def _product(n_probes: int, n_rows: int, n_inner: int, n_columns: int, clock: Clock) -> float:
    left, right = torch.randn(n_probes, n_rows, n_inner), torch.randn(n_probes, n_inner, n_columns)
    out = torch.empty(n_probes, n_rows, n_columns)
    return _seconds(clock, lambda: torch.bmm(left, right, out=out)) / n_probes


def _adam(width: int, n_labels: int, spec: ProbeSpec, clock: Clock) -> float:
    """Seconds for Adam over the weights of one probe."""
    count = width * spec.hidden_size + spec.hidden_size * n_labels + spec.hidden_size + n_labels
    return min(_adam_of(n, count, spec, clock) for n in STACKS)


def _adam_of(n_probes: int, count: int, spec: ProbeSpec, clock: Clock) -> float:
    stride = n_probes * count // 1024 * 1024 + 1024 + MOMENT_OFFSET
    memory = torch.zeros(4 * stride)
    roles = [memory[role * stride : role * stride + n_probes * count] for role in range(4)]
    steps = torch.ones(())
    (beta1, beta2), options = spec.adam_betas, {"weight_decay": 0.0, "amsgrad": False, "maximize": False}
    options |= {"beta1": beta1, "beta2": beta2, "lr": spec.learning_rate, "eps": spec.adam_epsilon, "fused": True}
    return _seconds(clock, lambda: adam(*([role] for role in roles), [], [steps], **options)) / n_probes


def _score(width: int, n_labels: int, spec: ProbeSpec, clock: Clock) -> float:
    """Seconds for scoring one example."""
    vectors, hidden_weights = torch.randn(SCORED, width), torch.randn(width, spec.hidden_size)
    hidden, weights = torch.randn(SCORED, spec.hidden_size), torch.randn(spec.hidden_size, n_labels)
    return _seconds(clock, lambda: (torch.mm(vectors, hidden_weights), torch.mm(hidden, weights))) / SCORED


def _seconds(clock: Clock, work: Callable) -> float:
    """Returns the time of one call, of the two ways to use the threads the better one."""
    threads = torch.get_num_threads()
    shared = _median_seconds(clock, work)
    if threads == 1:
        return shared
    torch.set_num_threads(1)
    alone = _median_seconds(clock, work)
    torch.set_num_threads(threads)
    return min(shared, alone if clock is time.process_time else alone / threads)


def _median_seconds(clock: Clock, work: Callable) -> float:
    """Returns the median time of one call over several rounds."""
    work()
    rounds = []
    for _ in range(ROUNDS):
        start = clock()
        for _ in range(CALLS):
            work()
        rounds.append((clock() - start) / CALLS)
    return statistics.median(rounds)
