"""The probe bank against one probe at a time, and against the floor.

The 12 Finnish type-level tests x 3 seeds, the probe of `conf/probe/mlp.yaml`. Each repetition trains all 36 in the
bank, and one by one the 12 probes of one seed (another in each repetition), by a Trainer and in a tight loop, the ways
taking turns test by test. Costs are compared per step of one probe: the time of whole trainings, evaluation and start
included, divided by their mini-batches.

The floor is what the bank's arithmetic takes at the best rates found in the same run: products, Adam and dev scores of
small stacks that stay in cache, without anything between them.

Run: python -m benchmarks.probe_bank --threads 2
On a busy machine, `--clock cpu` counts the processor's seconds, of all threads, instead of the clock's.
"""

import argparse
import logging
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch

from benchmarks.finnish_tests import finnish_tests
from benchmarks.one_by_one import Trained, train_by_lightning, train_by_tight_loop
from benchmarks.probe_floor import floor_seconds
from polyprobe.models.base.torch_process import device_of
from polyprobe.models.layers.probe_spec import ProbeSpec
from polyprobe.named import built
from polyprobe.probing.bank.bank import train_bank
from polyprobe.probing.bank.jobs import ProbeJob
from polyprobe.runs.names.conf_folders import choice_settings

SEEDS = (1, 2, 3)
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
FAIR_LIGHTNING_STEP = 1.6e-3  # seconds; a slower Trainer would flatter the bank


@dataclass
class Way:
    """What one way of training took: seconds per probe and step of each repetition, and what came out."""

    costs: list[float] = field(default_factory=list)
    shares_of_floor: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    trained: dict[str, Trained] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        return statistics.median(self.costs)

    def take(self, seconds: float, jobs: Sequence[ProbeJob], trained: Sequence[Trained]) -> None:
        """Adds a repetition."""
        self.seconds.append(seconds)
        self.costs.append(seconds / sum(steps_of(job, one) for job, one in zip(jobs, trained, strict=True)))
        self.trained |= {name_of(job): one for job, one in zip(jobs, trained, strict=True)}


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    spec = paper_probe()
    about, tests = finnish_tests()
    jobs = [ProbeJob(data, spec, seed, name) for name, data in tests.items() for seed in SEEDS]
    print(f"{about}\n{len(jobs)} probes; {vars(arguments)}", flush=True)
    bank, lightning, tight = Way(), Way(), Way()
    for repetition in range(arguments.repetitions):
        _repeat(jobs, arguments, SEEDS[repetition % len(SEEDS)], bank, lightning, tight)
        print(f"repetition {repetition + 1}: bank {bank.seconds[-1]:.1f} s", flush=True)
    print_table({"Trainer": lightning, "tight loop": tight, "bank": bank})


def _repeat(jobs: list[ProbeJob], arguments: argparse.Namespace, seed: int, bank: Way, *others: Way) -> None:
    clock = CLOCKS[arguments.clock]
    seconds, trained = timed(clock, lambda: train_in_bank(jobs, arguments.chunk_size))
    bank.take(seconds, jobs, trained)
    floor = floor_seconds([(job.data, one.epochs) for job, one in zip(jobs, trained, strict=True)], jobs[0].spec, clock)
    bank.shares_of_floor.append(floor / seconds)
    sample = [job for job in jobs if job.seed == seed][: arguments.tests]
    train_one_by_one(sample, clock, *others)


def train_one_by_one(jobs: list[ProbeJob], clock: Callable[[], float], lightning: Way, tight: Way) -> None:
    """Trains each probe by a Trainer and in a tight loop, taking turns, and adds a repetition to both ways."""
    ways = (train_by_lightning, train_by_tight_loop)
    turns = [[timed(clock, lambda way=way, job=job: way(job)) for way in ways] for job in jobs]
    for way, results in zip((lightning, tight), zip(*turns, strict=True), strict=True):
        way.take(sum(seconds for seconds, _ in results), jobs, [one for _, one in results])


def train_in_bank(jobs: list[ProbeJob], chunk_size: int) -> list[Trained]:
    """Trains all probes together."""
    outcomes = train_bank(jobs, chunk_size, device_of("cpu"), lambda done, due: None)
    return [
        Trained(outcome.epochs, float((outcome.test_predictions == job.data.test_labels.numpy()).mean()))
        for job, outcome in zip(jobs, outcomes, strict=True)
    ]


def timed(clock: Callable[[], float], work: Callable) -> tuple[float, object]:
    """Returns the seconds that the work took, and its result."""
    start = clock()
    result = work()
    return clock() - start, result


def steps_of(job: ProbeJob, trained: Trained) -> int:
    """Counts the mini-batches that a probe took."""
    return trained.epochs * -(-job.data.n_train // job.spec.batch_size)


def name_of(job: ProbeJob) -> str:
    cell = f"{job.spec.hidden_size}/{job.spec.dropout}/{job.spec.weight_decay}"
    return f"{job.key}/{job.seed}/{cell}"


def print_table(ways: dict[str, Way]) -> None:
    """Prints cost, ratios, accuracy and epochs of the three ways."""
    bank, lightning, tight = ways["bank"], ways["Trainer"], ways["tight loop"]
    common = bank.trained.keys() & lightning.trained.keys()
    print(f"\n{'way':12s} {'µs a step':>10s} {'Trainer = 1':>12s} {'loop = 1':>9s} {'accuracy':>9s} {'epochs':>7s}")
    for name, way in ways.items():
        accuracy = 100 * statistics.mean(way.trained[probe].accuracy for probe in common)
        epochs = statistics.mean(way.trained[probe].epochs for probe in common)
        ratios = f"{lightning.cost / way.cost:12.1f} {tight.cost / way.cost:9.1f}"
        print(f"{name:12s} {way.cost * 1e6:10.1f} {ratios} {accuracy:9.2f} {epochs:7.1f}")
    print(f"\nBank: {len(bank.trained)} probes in {statistics.median(bank.seconds):.1f} s.")
    if bank.shares_of_floor:
        print(f"That is {statistics.median(bank.shares_of_floor):.0%} of the floor.")
    for name in ("Trainer", "tight loop"):
        print(f"Accuracy, bank minus {name}: {_mean_difference(bank, ways[name]):+.2f} points.")
    if lightning.cost > FAIR_LIGHTNING_STEP:
        print(f"UNFAIR: the Trainer takes over {FAIR_LIGHTNING_STEP * 1e3} ms a step here.")


def _mean_difference(bank: Way, other: Way) -> float:
    """Returns the mean over the probes that both trained, in percentage points."""
    return 100 * statistics.mean(bank.trained[name].accuracy - one.accuracy for name, one in other.trained.items())


def paper_probe() -> ProbeSpec:
    """Returns the probe of `conf/probe/mlp.yaml`."""
    return built(choice_settings("probe", "mlp"), "probe").specs[0]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--tests", type=int, default=12, help="so many tests one by one; the bank always trains all")
    parser.add_argument("--chunk-size", type=int, default=4)
    parser.add_argument("--repetitions", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    main()
