"""Choosing 50 neurons by a Gaussian probe, against a probe fitted to each candidate from scratch, and the floor.

Vectors are random: 64 shared directions and noise of their own, the means of labels shifted in one neuron of a hundred.
The rival takes for each candidate the marginal of its own and the chosen neurons, of covariances that are known before
its clock starts, and scores all items by a factorisation (numpy, float64, all labels). It is measured on the true
candidates of a few steps; between these its cost is interpolated, and summed over all candidates of all steps. The
probes it finds must lose what `gaussian_order` says. The floor is what the products of all steps would take at the rate
of a large float32 product, and one exponential for each item, candidate and further label with one logarithm for each
item and candidate at the rates of numpy on numbers that stay in cache.

Every row is measured in a process of its own; "peak" is its largest memory, "start" what it had before (imports and the
vectors). All times are the processor's, of one thread, so that others on the machine matter less; "clock" is the
clock's beside.

Run: OMP_NUM_THREADS=1 python -m benchmarks.gaussian_neurons
"""

import argparse
import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from polyprobe.metrics.gaussian_neurons import gaussian_order

N_SHARED = 64
INFORMATIVE = 100  # one neuron of so many
RIVAL_STEPS = (1, 13, 25, 37, 50)
RIVAL_CANDIDATES = 4
SMALL = 1 << 16  # numbers


@dataclass(frozen=True)
class Row:
    """What one size took: seconds and MiB."""

    neurons: int
    labels: int
    clock: float
    seconds: float
    floor: float
    rival: float
    start: float
    peak: float
    difference: float  # of the rival's information and ours, bits: the largest


def main() -> None:
    arguments = _arguments()
    print(f"{arguments.chosen} neurons by {arguments.items} items; {vars(arguments)}", flush=True)
    print("neurons labels clock s   CPU s floor s of floor start MiB peak MiB  one by one s   times  differs by (bits)")
    for n_labels in arguments.labels:
        for n_neurons in arguments.neurons:
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, context) as process:
                row = process.submit(measured, arguments.items, n_neurons, n_labels, arguments.chosen).result()
            times = f"{row.clock:7.1f} {row.seconds:7.1f} {row.floor:7.1f} {row.floor / row.seconds:8.0%}"
            memory = f"{row.start:9.0f} {row.peak:8.0f}"
            rival = f"{row.rival:12.0f} {row.rival / row.seconds:7.0f} {row.difference:18.0e}"
            print(f"{row.neurons:7} {row.labels:6} {times} {memory} {rival}", flush=True)


def measured(n_items: int, n_neurons: int, n_labels: int, n_chosen: int) -> Row:
    """Measures all ways on vectors of one size; first `gaussian_order`, whose memory counts."""
    vectors, label_ids = made_vectors(n_items, n_neurons, n_labels)
    start, before, clock_before = _peak(), time.process_time(), time.perf_counter()
    order, bits = gaussian_order(vectors, label_ids, n_labels, n_chosen)
    seconds, clock, peak = time.process_time() - before, time.perf_counter() - clock_before, _peak()
    floor = floor_seconds(n_items, n_neurons, n_labels, n_chosen)
    rival, difference = rival_seconds(vectors, label_ids, order, bits)
    return Row(n_neurons, n_labels, clock, seconds, floor, rival, start, peak, difference)


def made_vectors(n_items: int, n_neurons: int, n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Draws float32 vectors `[items, neurons]` and label ids."""
    generator = np.random.default_rng(n_neurons + n_labels)
    label_ids = generator.integers(n_labels, size=n_items)
    loadings = generator.standard_normal((N_SHARED, n_neurons), np.float32) / np.float32(np.sqrt(N_SHARED))
    shifts = generator.standard_normal((n_labels, len(range(0, n_neurons, INFORMATIVE))), np.float32)
    vectors = np.empty((n_items, n_neurons), np.float32)
    for item, label in enumerate(label_ids):  # one by one, for the peak of memory is to be that of choosing
        vectors[item] = generator.standard_normal(n_neurons, np.float32)
        vectors[item] += generator.standard_normal(N_SHARED, np.float32) @ loadings
        vectors[item, ::INFORMATIVE] += np.float32(0.5) * shifts[label]
    return vectors, label_ids


def rival_seconds(
    vectors: np.ndarray, label_ids: np.ndarray, order: np.ndarray, bits: np.ndarray
) -> tuple[float, float]:
    """Returns the rival's seconds for all candidates of all steps, and the largest difference of its information."""
    n_chosen, generator = len(order), np.random.default_rng(1)
    steps = sorted({min(step, n_chosen) for step in RIVAL_STEPS})
    costs, differences = [], []
    for step in steps:
        before = order[: step - 1]
        others = generator.choice(np.setdiff1d(np.arange(vectors.shape[1]), before), RIVAL_CANDIDATES, replace=False)
        seconds = [_rival(vectors, label_ids, np.append(before, other))[0] for other in others]
        costs.append(np.median(seconds))
        differences.append(abs(_rival(vectors, label_ids, order[:step])[1] - bits[step - 1]))
    each = np.interp(np.arange(1, n_chosen + 1), steps, costs)
    return float((each * (vectors.shape[1] - np.arange(n_chosen))).sum()), max(differences)


def _rival(vectors: np.ndarray, label_ids: np.ndarray, chosen: np.ndarray) -> tuple[float, float]:
    """Returns the seconds and the information, bits, of one candidate with the chosen neurons."""
    values = vectors[:, chosen].astype(np.float64)
    n_labels = label_ids.max() + 1
    groups = [values[label_ids == label] for label in range(n_labels)]
    counts = np.array([len(group) for group in groups])
    means = [group.mean(axis=0) for group in groups]
    covariances = [np.atleast_2d(np.cov(group.T, bias=True)) for group in groups]
    marginals = [
        (n * of_label + np.diag(of_label.diagonal())) / (n + 1) for n, of_label in zip(counts, covariances, strict=True)
    ]
    start = time.process_time()
    scores = np.empty((n_labels, len(values)))
    for label in range(n_labels):
        centred = values - means[label]
        quadratic = (centred * np.linalg.solve(marginals[label], centred.T).T).sum(axis=1)
        scores[label] = np.log(counts[label] / len(values)) - 0.5 * (quadratic + np.linalg.slogdet(marginals[label])[1])
    mean = (scores[label_ids, np.arange(len(values))] - np.logaddexp.reduce(scores, axis=0)).mean()
    seconds = time.process_time() - start
    shares = counts / len(values)
    return seconds, float(mean / np.log(2) - (shares * np.log2(shares)).sum())


def floor_seconds(n_items: int, n_neurons: int, n_labels: int, n_chosen: int) -> float:
    """Returns the seconds of the products, exponentials and logarithms alone."""
    left, right = (np.ones((2048, 2048), np.float32) for _ in range(2))
    out = np.empty_like(left)
    product = _best(lambda: np.matmul(left, right, out=out)) / (2 * 2048**3)
    numbers = np.linspace(0.1, 1, SMALL, dtype=np.float32)
    exponential, logarithm = (
        _best(lambda f=f: f(numbers, out=np.empty_like(numbers))) / SMALL for f in (np.exp, np.log)
    )
    entries = n_items * n_neurons
    operations = 2 * entries * n_labels * sum(range(1, n_chosen + 1))
    return operations * product + n_chosen * entries * ((n_labels - 1) * exponential + logarithm)


def _best(work) -> float:
    """Returns the seconds of the fastest of several calls."""
    seconds = []
    for _ in range(10):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=5000)
    parser.add_argument("--neurons", type=int, nargs="+", default=[2688, 9984])
    parser.add_argument("--labels", type=int, nargs="+", default=[2, 6])
    parser.add_argument("--chosen", type=int, default=50)
    return parser.parse_args()


if __name__ == "__main__":
    main()
