"""The probe over neurons: a grid of 64 elastic nets on four tests, in the bank against one probe at a time.

Made-up vectors of the size of MiniLM's seven layers side by side (2,688 numbers), 5,000 train, 1,000 dev and 1,000 test
items, tests of 2, 2, 2 and 6 labels; the probe of `conf/probe/neurons.yaml`. The bank trains all 256 cells to their
end, ablations on dev and scores on test included. One by one come the cells of a stated sample of the grid, training
alone: by NeuroX's own function, and in a tight torch loop (autograd, fused Adam, each row gathered once an epoch; batch
by batch that is faster than all at once). All have the same batches, epochs and penalty; NeuroX does not shuffle. Ways
take turns; medians of repetitions.

The floor is what the bank's arithmetic takes at the best rates found in the same run: the products of each step for all
cells of a test as one, Adam over their weights, and the scores on dev and test, without anything between them.

Run: python -m benchmarks.neuron_probe --threads 2
NeuroX: pip install --no-deps --target FOLDER neurox==1.0.9 imbalanced-learn sklearn-compat, then PYTHONPATH=FOLDER
Memory: python -m benchmarks.neuron_probe --memory --number float16 trains the bank alone, in a process of its own.
"""

import argparse
import contextlib
import importlib.util
import io
import logging
import resource
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.optim.adam import adam

from benchmarks.probe_bank import CLOCKS, timed
from benchmarks.probe_floor import CALLS, MOMENT_OFFSET, ROUNDS
from polyprobe.models.base.torch_process import device_of
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.named import built
from polyprobe.probing.bank.bank import train_bank
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob, ProbeOutcome
from polyprobe.runs.names.conf_folders import choice_settings

SIZES = (5000, 1000, 1000)
WIDTH = 7 * 384
LABELS = {"A": 2, "B": 2, "C": 2, "D": 6}
INFORMATIVE = 40  # neurons that tell a label
Clock = Callable[[], float]


@dataclass
class Way:
    """Seconds per cell of each repetition, by test; dev accuracy of the cells trained."""

    by_test: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in LABELS})
    accuracies: dict[tuple[str, int], float] = field(default_factory=dict)

    def cost(self, test: str) -> float:
        return statistics.median(self.by_test[test])

    @property
    def grid(self) -> float:
        """Returns the seconds that the grids of all tests take, at these costs."""
        return sum(64 * self.cost(test) for test in LABELS)


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    probe, tests = _probe(arguments), _made_up_tests(getattr(torch, arguments.number))
    print(f"{probe.n_probes} cells x {len(tests)} tests; {vars(arguments)}", flush=True)
    if arguments.memory:
        _print_memory(probe, tests, arguments.chunk_size)
        return
    ways = {"bank": Way(), "tight loop": Way()}
    rivals: dict[str, Callable[[ProbeJob], float]] = {"tight loop": _train_by_tight_loop}
    if importlib.util.find_spec("neurox") and arguments.number == "float32":
        ways["NeuroX"], rivals["NeuroX"] = Way(), _train_by_neurox
    else:
        print("NeuroX is not installed, or the vectors are not float32: left out.")
    shares = []
    for repetition in range(arguments.repetitions):
        shares.append(_repeat(probe, tests, arguments, ways, rivals))
        print(f"repetition {repetition + 1}: share of the floor {shares[-1]:.0%}", flush=True)
    _print_table(ways, statistics.median(shares), arguments.every)


def _repeat(probe, tests: dict[str, ProbeData], arguments, ways: dict[str, Way], rivals: dict[str, Callable]) -> float:
    """Trains all tests in all ways; returns the bank's share of the floor."""
    clock, floor, taken = CLOCKS[arguments.clock], 0.0, 0.0
    for name, data in tests.items():
        jobs = probe.jobs(data, 1, name)
        seconds, outcomes = timed(clock, lambda jobs=jobs: _train_in_bank(probe, jobs, arguments.chunk_size))
        _take(ways["bank"], name, seconds, dict(enumerate(outcomes.searched[:, 2])), len(jobs))
        taken, floor = taken + seconds, floor + _floor(data, jobs[0].spec, len(jobs), clock)
        sample = {number: job for number, job in enumerate(jobs) if number % arguments.every == 1}
        for rival, train in rivals.items():
            seconds, accuracies = timed(clock, lambda train=train, of=sample: {n: train(of[n]) for n in of})
            _take(ways[rival], name, seconds, accuracies, len(sample))
    return floor / taken


def _take(way: Way, test: str, seconds: float, accuracies: dict[int, float], n_cells: int) -> None:
    way.by_test[test].append(seconds / n_cells)
    way.accuracies |= {(test, number): accuracy for number, accuracy in accuracies.items()}


def _train_in_bank(probe, jobs: Sequence[ProbeJob], chunk_size: int) -> ProbeOutcome:
    return probe.outcome(jobs, train_bank(jobs, chunk_size, device_of("cpu"), lambda done, due: None))


def _train_by_tight_loop(job: ProbeJob) -> float:
    """Trains one cell with autograd and fused Adam; returns dev accuracy."""
    torch.manual_seed(job.seed)
    data, spec = job.data, job.spec
    layer = torch.nn.Linear(data.input_width, data.n_labels)
    adam_of_layer = torch.optim.Adam(layer.parameters(), spec.learning_rate, fused=True)
    for _ in range(spec.max_epochs):
        for batch in torch.randperm(data.n_train).split(spec.batch_size):
            vectors = data.vectors.index_select(0, data.train_rows[batch, 0]).float()
            loss = F.cross_entropy(layer(vectors), data.train_labels[batch]) + _penalty(layer.weight, spec)
            adam_of_layer.zero_grad()
            loss.backward()
            adam_of_layer.step()
    return _dev_accuracy(layer, data)


def _penalty(weights: Tensor, spec: ProbeSpec) -> Tensor:
    net, squares = spec.elastic_net, weights.square().sum()
    return net.l1 * weights.abs().sum() + net.l2 * (squares if net.penalty == "squared" else squares.sqrt())


def _train_by_neurox(job: ProbeJob) -> float:
    """Trains one cell by NeuroX's own function, what it prints aside; returns dev accuracy."""
    from neurox.interpretation.linear_probe import train_logistic_regression_probe

    torch.manual_seed(job.seed)
    data, spec = job.data, job.spec
    train = data.vectors[data.train_rows[:, 0]].numpy(), data.train_labels.numpy()
    settings = {"num_epochs": spec.max_epochs, "batch_size": spec.batch_size, "learning_rate": spec.learning_rate}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        probe = train_logistic_regression_probe(*train, spec.elastic_net.l1, spec.elastic_net.l2, **settings)
    return _dev_accuracy(probe.linear, data)


@torch.no_grad()
def _dev_accuracy(layer: torch.nn.Linear, data: ProbeData) -> float:
    scores = layer(data.vectors[data.dev_rows[:, 0]].float())
    return (scores.argmax(1) == data.dev_labels).double().mean().item()


def _floor(data: ProbeData, spec: ProbeSpec, n_cells: int, clock: Clock) -> float:
    """Returns the seconds that products, Adam and scores of all cells of a test need."""
    n_columns = n_cells * data.n_labels
    n_steps = spec.max_epochs * data.n_train / spec.batch_size
    products = _product(n_columns, spec.batch_size, clock) + _gradient(n_columns, spec.batch_size, clock)
    n_scored = 3 * len(data.dev_labels) + len(data.test_labels)  # dev whole, top alone and bottom alone
    scores = _product(n_columns, 500, clock) / 500 * n_scored
    return n_steps * (products + _adam(n_columns * data.input_width, spec, clock)) + scores


def _product(n_columns: int, n_rows: int, clock: Clock) -> float:
    """Seconds of the scores of some rows, the weights lying this way or that."""
    rows, weights, out = torch.randn(n_rows, WIDTH), torch.randn(WIDTH, n_columns), torch.empty(n_rows, n_columns)
    turned, out_turned = weights.T.contiguous(), torch.empty(n_columns, n_rows)
    ways = (lambda: torch.mm(rows, weights, out=out), lambda: torch.mm(turned, rows.T, out=out_turned))
    return min(_seconds(clock, way) for way in ways)


def _gradient(n_columns: int, n_rows: int, clock: Clock) -> float:
    """Seconds of the gradient by the weights, lying this way or that."""
    rows, errors, out = torch.randn(n_rows, WIDTH), torch.randn(n_rows, n_columns), torch.empty(WIDTH, n_columns)
    turned, out_turned = errors.T.contiguous(), torch.empty(n_columns, WIDTH)
    ways = (lambda: torch.mm(rows.T, errors, out=out), lambda: torch.mm(turned, rows, out=out_turned))
    return min(_seconds(clock, way) for way in ways)


def _adam(count: int, spec: ProbeSpec, clock: Clock) -> float:
    stride = count // 1024 * 1024 + 1024 + MOMENT_OFFSET
    memory = torch.zeros(4 * stride)
    roles, steps = [memory[role * stride : role * stride + count] for role in range(4)], torch.ones(())
    (beta1, beta2), options = spec.adam_betas, {"weight_decay": 0.0, "amsgrad": False, "maximize": False}
    options |= {"beta1": beta1, "beta2": beta2, "lr": spec.learning_rate, "eps": spec.adam_epsilon, "fused": True}
    return _seconds(clock, lambda: adam(*([role] for role in roles), [], [steps], **options))


@torch.inference_mode()
def _seconds(clock: Clock, work: Callable) -> float:
    """Returns the least mean time of a call among several rounds."""
    work()
    rounds = []
    for _ in range(ROUNDS):
        start = clock()
        for _ in range(CALLS):
            work()
        rounds.append((clock() - start) / CALLS)
    return min(rounds)


def _print_table(ways: dict[str, Way], share_of_floor: float, every: int) -> None:
    bank = ways["bank"]
    print(f"\n{'ms a cell':12s}" + "".join(f"{f'{name}: {n} labels':>14s}" for name, n in LABELS.items()), end="")
    print(f"{'all grids, s':>14s} {'bank = 1':>9s} {'dev accuracy':>13s}")
    common = set.intersection(*(set(way.accuracies) for way in ways.values()))
    for name, way in ways.items():
        costs = "".join(f"{1000 * way.cost(test):14.1f}" for test in LABELS)
        accuracy = 100 * statistics.mean(way.accuracies[cell] for cell in common)
        print(f"{name:12s}{costs}{way.grid:14.1f} {way.grid / bank.grid:9.1f} {accuracy:13.2f}")
    print(
        f"One by one: every {every}th cell, the rest at their cost. The bank is at {share_of_floor:.0%} of the floor."
    )


def _print_memory(probe, tests: dict[str, ProbeData], chunk_size: int) -> None:
    """Trains one test, then prints what was taken at most above what the vectors had taken before."""
    data = tests["D"]
    narrow = replace(data, vectors=data.vectors[:, :16].contiguous())
    _train_in_bank(probe, probe.jobs(narrow, 1, "loads what training needs"), chunk_size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    jobs = probe.jobs(data, 1, "D")
    _train_in_bank(probe, jobs, chunk_size)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    vectors = data.vectors.nbytes / 2**20
    stack = 64 * data.n_labels * data.input_width * 4 * 4 / 2**20
    print(f"Vectors {vectors:.0f} MiB; weights, gradients and moments of 64 cells {stack:.0f} MiB.")
    print(f"The peak of the process grew by {grown:.0f} MiB while one test was trained.")


def _probe(arguments: argparse.Namespace):
    changes = {"batch_size": arguments.batch_size, "penalty": arguments.penalty}
    return built({**choice_settings("probe", "neurons"), **changes}, "probe")


def _made_up_tests(number: torch.dtype) -> dict[str, ProbeData]:
    """Draws vectors, and labels that a few neurons tell with noise; the tests share the vectors."""
    generator = torch.Generator().manual_seed(1)
    vectors = torch.empty(sum(SIZES), WIDTH, dtype=number)
    for block in vectors.split(500):
        block.copy_(torch.randn(len(block), WIDTH, generator=generator))
    rows = torch.arange(len(vectors))[:, None]
    return {name: _made_up_test(vectors, rows, n_labels, generator) for name, n_labels in LABELS.items()}


def _made_up_test(vectors: Tensor, rows: Tensor, n_labels: int, generator: torch.Generator) -> ProbeData:
    chosen = torch.randperm(WIDTH, generator=generator)[:INFORMATIVE]
    scores = vectors[:, chosen].float() @ torch.randn(INFORMATIVE, n_labels, generator=generator)
    labels = (scores + 3 * torch.randn(scores.shape, generator=generator)).argmax(1)
    return ProbeData(vectors, *rows.split(SIZES), *labels.split(SIZES), n_labels)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--batch-size", type=int, default=32, help="32 is NeuroX's default, 512 that of its example")
    parser.add_argument("--penalty", choices=["squared", "released"], default="released")
    parser.add_argument("--every", type=int, default=21, help="one by one each such cell of a grid")
    parser.add_argument("--chunk-size", type=int, default=8, help="stacks of 16 columns that are trained together")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--number", choices=["float32", "float16"], default="float32")
    parser.add_argument("--memory", action="store_true", help="only the bank, and what it takes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
