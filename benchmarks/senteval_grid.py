"""SentEval's grid of 36 cells on one task, in the bank against one cell at a time.

A made-up task of the size of the Turkish bigram shift of Eger et al. 2020 (8,002 / 999 / 999 sentences, 2 labels) with
384-dimensional vectors; the probe of `conf/probe/senteval.yaml`. The bank trains all cells. One by one, by a Trainer
and in a tight loop, come the cells of a stated sample: every seventh of the grid, each to its end. Costs are compared
per step of one probe, evaluation and start included; "whole grid" is that cost times the steps of the bank.

Run: python -m benchmarks.senteval_grid --threads 2
"""

import argparse
import logging

import torch

from benchmarks.probe_bank import CLOCKS, Way, print_table, steps_of, timed, train_in_bank, train_one_by_one
from polyprobe.named import built
from polyprobe.probing.bank.jobs import ProbeData
from polyprobe.runs.names.conf_folders import choice_settings

SIZES = (8002, 999, 999)
WIDTH, N_LABELS = 384, 2


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    jobs = built(choice_settings("probe", "senteval"), "probe").jobs(made_up_task(), 1111, "bigram_shift")
    sample = jobs[:: arguments.every]
    print(f"{len(jobs)} cells; one by one {len(sample)} of them; {vars(arguments)}", flush=True)
    bank, lightning, tight, clock = Way(), Way(), Way(), CLOCKS[arguments.clock]
    for _ in range(arguments.repetitions):
        seconds, trained = timed(clock, lambda: train_in_bank(jobs, arguments.chunk_size))
        bank.take(seconds, jobs, trained)
        train_one_by_one(sample, clock, lightning, tight)
    print_table({"Trainer": lightning, "tight loop": tight, "bank": bank})
    n_steps = sum(steps_of(job, one) for job, one in zip(jobs, trained, strict=True))
    for name, way in {"Trainer": lightning, "tight loop": tight, "bank": bank}.items():
        print(f"Whole grid, {name}: {way.cost * n_steps:.0f} s ({n_steps} steps).")


def made_up_task() -> ProbeData:
    """Draws vectors, and labels by a noisy random teacher that is not linear."""
    generator = torch.Generator().manual_seed(1)
    vectors = torch.randn(sum(SIZES), WIDTH, generator=generator)
    first, second = (vectors @ torch.randn(WIDTH, generator=generator) / WIDTH**0.5 for _ in range(2))
    labels = (first + 0.5 * second**2 + torch.randn(len(vectors), generator=generator) > 0.5).long()
    rows = torch.arange(len(vectors))[:, None]
    return ProbeData(vectors, *rows.split(SIZES), *labels.split(SIZES), N_LABELS)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall")
    parser.add_argument("--every", type=int, default=7, help="one by one each such cell of the grid")
    parser.add_argument("--chunk-size", type=int, default=4)
    parser.add_argument("--repetitions", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
