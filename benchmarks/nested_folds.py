"""The 410 fits of a task of SentEval in the bank against one fit at a time.

MR of Pang and Lee (10,662 sentences, 2 labels), each sentence the mean of its words' vectors, which are random numbers
that the word alone fixes; 10 folds, in each 10 inner folds x 4 values of L2 and one fit with the best
(`nested_cross_validation`). One by one, in a tight torch loop with autograd and fused Adam, come the fits of a stated
sample, each to its end. Costs are compared per step (mini-batch) of one fit, evaluation and start included; "all fits"
is that cost times the steps of the bank. The floor is what the products of the bank's steps would take at the best rate
that a large product reaches here.

Run: python -m benchmarks.nested_folds --data $POLYPROBE_DATA --threads 2
With one thread on a busy machine, `--clock cpu` counts the processor's seconds instead of the clock's.
"""

import argparse
import hashlib
import logging
import resource
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from benchmarks.one_by_one import train_by_tight_loop
from benchmarks.probe_bank import CLOCKS, steps_of, timed
from polyprobe.metrics.classification import accuracy
from polyprobe.models.base.torch_process import device_of
from polyprobe.probing.bank.bank import train_bank
from polyprobe.probing.bank.jobs import ProbeJob, ProbeOutcome
from polyprobe.probing.downstream.cross_validation import FitSettings, nested_cross_validation
from polyprobe.probing.probes.grid import GridProbe

SENTEVAL = {
    "hidden_size": None,
    "activation": "sigmoid",
    "dropout": 0.0,
    "dropout_place": "before_activation",
    "learning_rate": 0.001,
    "adam_betas": (0.9, 0.999),
    "adam_epsilon": 1e-8,
    "weight_decay": [1e-5, 1e-4, 1e-3, 1e-2],
    "gradient_clamp": None,
    "loss_reduction": "mean",
    "loss_weights": "none",
    "batch_size": 64,
    "max_epochs": 204,
    "epochs_per_evaluation": 4,
    "stopping": "tenacity_never_reset",
    "patience": 5,
    "dev_batch_size": 128,
    "kept_weights": "best_dev",
    "dev_decimals": None,
}

STEMS = {"MR": "rt-polarity", "CR": "custrev"}


class Bank:
    """Trains in the bank and keeps what was trained."""

    def __init__(self, chunk_size: int):
        self.jobs: list[ProbeJob] = []
        self.outcomes: list[ProbeOutcome] = []
        self._chunk_size = chunk_size

    def __call__(self, jobs: Sequence[ProbeJob]) -> list[ProbeOutcome]:
        outcomes = train_bank(jobs, self._chunk_size, device_of("cpu"), lambda done, due: None)
        self.jobs += jobs
        self.outcomes += outcomes
        return outcomes

    @property
    def n_steps(self) -> int:
        return sum(steps_of(job, outcome) for job, outcome in zip(self.jobs, self.outcomes, strict=True))


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    clock = CLOCKS[arguments.clock]
    features, label_ids = movie_reviews(arguments.data, arguments.width)
    settings = FitSettings(GridProbe(**SENTEVAL), 10, 10, 0.05, 1111, 1111, "of_each_fit")
    print(f"{len(label_ids)} sentences, {arguments.width} wide; {vars(arguments)}", flush=True)
    before, bank = _peak(), Bank(arguments.chunk_size)
    seconds, outcome = timed(clock, lambda: nested_cross_validation(features, label_ids, settings, bank))
    cost = seconds / bank.n_steps
    epochs = np.mean([one.epochs for one in bank.outcomes])
    print(f"bank: {outcome.n_fits} fits in {seconds:.1f} s, {bank.n_steps} steps ({epochs:.1f} passes a fit), ", end="")
    print(f"{cost * 1e6:.2f} µs a step; accuracy {100 * accuracy(label_ids, outcome.predictions):.2f}; ", end="")
    print(f"peak memory {_peak():.0f} MiB, of which {before:.0f} before", flush=True)
    floor = floor_seconds(bank, clock)
    print(
        f"floor: the products of two labels, without padding, {floor:.1f} s: the bank is at {floor / seconds:.0%} of it"
    )
    sample = bank.jobs[:: -(-len(bank.jobs) // arguments.sample)]
    seconds, trained = timed(clock, lambda: [train_by_tight_loop(job) for job in sample])
    loop_cost = seconds / sum(steps_of(job, one) for job, one in zip(sample, trained, strict=True))
    print(f"one by one: {len(sample)} fits in {seconds:.1f} s, {loop_cost * 1e6:.1f} µs a step: ", end="")
    print(f"all fits {loop_cost * bank.n_steps:.0f} s; the bank is {loop_cost / cost:.1f} times as fast")
    compare(sample, trained, bank)


def movie_reviews(folder: Path, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns float32 vectors `[sentences, width]` and labels of MR; cp1252, as its files are."""
    texts, label_ids = labelled_lines(folder, "MR")
    vectors: dict[str, np.ndarray] = {}
    for word in {word for text in texts for word in text.split()}:
        seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
        vectors[word] = np.random.Generator(np.random.SFC64(seed)).standard_normal(width, dtype=np.float32)
    features = np.stack([np.mean([vectors[word] for word in text.split()], 0) for text in texts])
    return features, label_ids


def labelled_lines(folder: Path, task: str) -> tuple[list[str], np.ndarray]:
    """Returns the lines of a task, blank ones too, and their labels, 0 for the negative ones; cp1252, as MR is."""
    paths = [folder / "senteval/downstream" / task / f"{STEMS[task]}.{label}" for label in ("neg", "pos")]
    lines = [path.read_text(encoding="cp1252").removesuffix("\n").split("\n") for path in paths]
    return lines[0] + lines[1], np.repeat([0, 1], [len(part) for part in lines])


def floor_seconds(bank: Bank, clock) -> float:
    """Returns the seconds of two products a step (scores, gradients) at the rate of a product of 2,048 rows."""
    left, right = torch.randn(2048, 2048), torch.randn(2048, 2048)
    seconds = min(timed(clock, lambda: left @ right)[0] for _ in range(5))
    rate = 2 * 2048**3 / seconds
    data, spec = bank.jobs[0].data, bank.jobs[0].spec
    return bank.n_steps * 2 * 2 * spec.batch_size * data.input_width * data.n_labels / rate


def compare(sample: Sequence[ProbeJob], trained: Sequence, bank: Bank) -> None:
    """Prints mean accuracy on test and mean passes of the sampled fits both ways."""
    outcomes = [bank.outcomes[bank.jobs.index(job)] for job in sample]
    ours = [
        accuracy(job.data.test_labels.numpy(), one.test_predictions) for job, one in zip(sample, outcomes, strict=True)
    ]
    theirs = [one.accuracy for one in trained]
    print(
        f"the same fits: accuracy {100 * np.mean(ours):.2f} in the bank, {100 * np.mean(theirs):.2f} one by one; ",
        end="",
    )
    passes = [np.mean([one.epochs for one in ways]) for ways in (outcomes, trained)]
    print(f"passes {passes[0]:.1f} and {passes[1]:.1f}")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the data folder")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--width", type=int, default=300)
    parser.add_argument("--sample", type=int, default=12, help="about so many fits one by one")
    parser.add_argument("--chunk-size", type=int, default=8)
    return parser.parse_args()


if __name__ == "__main__":
    main()
