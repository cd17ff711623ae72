"""7 layers x 4 tests x 3 seeds, in the bank against one probe at a time.

Four Finnish type-level tests and the probe of `conf/probe/mlp.yaml`. A layer is the test's vectors with their columns
in another order, so that all layers are equally hard and lie in memory of their own. The bank trains all 84 probes;
one by one, by a Trainer and in a tight loop, come the probes of the first layer and seed.

Run: python -m benchmarks.layers_tests_seeds --threads 2
"""

import argparse
import logging
from dataclasses import replace

import torch

from benchmarks.finnish_tests import finnish_tests
from benchmarks.probe_bank import CLOCKS, SEEDS, Way, paper_probe, print_table, timed, train_in_bank, train_one_by_one
from polyprobe.probing.bank.jobs import ProbeData, ProbeJob

N_LAYERS = 7
TESTS = ("Case", "Number", "POS", "Tense")


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    about, tests = finnish_tests()
    spec = paper_probe()
    jobs = [
        ProbeJob(layer_of(tests[name], number), spec, seed, f"{name}/{number}")
        for name in TESTS
        for number in range(N_LAYERS)
        for seed in SEEDS
    ]
    print(f"{about}\n{len(jobs)} probes; {vars(arguments)}", flush=True)
    bank, lightning, tight, clock = Way(), Way(), Way(), CLOCKS[arguments.clock]
    for _ in range(arguments.repetitions):
        seconds, trained = timed(clock, lambda: train_in_bank(jobs, arguments.chunk_size))
        bank.take(seconds, jobs, trained)
        train_one_by_one(jobs[:: N_LAYERS * len(SEEDS)], clock, lightning, tight)
    print_table({"Trainer": lightning, "tight loop": tight, "bank": bank})


def layer_of(data: ProbeData, number: int) -> ProbeData:
    """Returns the test on vectors whose columns are drawn in another order."""
    order = torch.randperm(data.vectors.shape[1], generator=torch.Generator().manual_seed(number))
    return replace(data, vectors=data.vectors[:, order].contiguous())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--chunk-size", type=int, default=4)
    parser.add_argument("--repetitions", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
