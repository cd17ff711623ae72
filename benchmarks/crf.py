"""Loss and decoding of our linear-chain CRF against pytorch-crf: 20 labels, batches of 32, lengths 5 to 40.

Ways take turns; a loss is timed with its gradients. pytorch-crf has scores for starts and ends besides: they are zero
here, so that losses and paths must be equal. Every label may follow every other, in both.

Run: pip install --target crf_rival --no-deps pytorch-crf==0.7.2
     PYTHONPATH=crf_rival python -m benchmarks.crf --threads 1
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch import nn
from torchcrf import CRF

from polyprobe.models.layers.packing import Packing
from polyprobe.models.structures.crf import LinearChainCrf

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
N_LABELS, BATCH_SIZE, SHORTEST, LONGEST = 20, 32, 5, 40


class Batch:
    """One batch in both layouts: packed cells, and padded with a mask."""

    def __init__(self, generator: torch.Generator):
        self.lengths = torch.randint(SHORTEST, LONGEST + 1, (BATCH_SIZE,), generator=generator)
        self.is_real = torch.arange(int(self.lengths.max())) < self.lengths.unsqueeze(1)
        shape = *self.is_real.shape, N_LABELS
        self.padded = torch.randn(shape, generator=generator).requires_grad_()
        self.packed = self.padded.detach()[self.is_real].requires_grad_()
        self.padded_ids = torch.randint(N_LABELS, self.is_real.shape, generator=generator)
        self.packed_ids = self.padded_ids[self.is_real]
        self.packing = Packing.of(self.lengths.numpy())


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    generator = torch.Generator().manual_seed(1)
    ours, theirs = _chains(generator)
    batches = [Batch(generator) for _ in range(arguments.batches)]
    for batch in batches:
        _check_equal(ours, theirs, batch)
    ways = {
        "pytorch-crf loss": lambda batch: theirs(batch.padded, batch.padded_ids, mask=batch.is_real).neg().backward(),
        "our loss": lambda batch: ours.loss(batch.packed, batch.packed_ids, batch.packing).sum().backward(),
        "pytorch-crf decoding": lambda batch: theirs.decode(batch.padded, mask=batch.is_real),
        "our decoding": lambda batch: ours.decode(batch.packed, batch.packing).tolist(),
    }
    clock = CLOCKS[arguments.clock]
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for batch in batches * (arguments.repetitions + 1):
        for name, way in ways.items():
            taken[name].append(_seconds(way, batch, clock))
    # The first round warms up.
    median = {name: 1e3 * statistics.median(seconds[len(batches) :]) for name, seconds in taken.items()}
    _report(median, arguments)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu, with one thread, on a busy machine")
    return parser.parse_args()


def _chains(generator: torch.Generator) -> tuple[LinearChainCrf, CRF]:
    ours = LinearChainCrf(range(N_LABELS), lambda *_: True, lambda _: True, lambda _: True)
    theirs = CRF(N_LABELS, batch_first=True)
    nn.init.normal_(ours.transitions, generator=generator)
    with torch.no_grad():
        theirs.transitions.copy_(ours.transitions)
        theirs.start_transitions.zero_()
        theirs.end_transitions.zero_()
    return ours, theirs


def _check_equal(ours: LinearChainCrf, theirs: CRF, batch: Batch) -> None:
    our_loss = ours.loss(batch.packed, batch.packed_ids, batch.packing).sum()
    their_loss = -theirs(batch.padded, batch.padded_ids, mask=batch.is_real)
    torch.testing.assert_close(our_loss.float(), their_loss, rtol=1e-5, atol=0)
    (by_our_cell,) = torch.autograd.grad(our_loss, batch.packed)
    (by_their_cell,) = torch.autograd.grad(their_loss, batch.padded)
    torch.testing.assert_close(by_our_cell, by_their_cell[batch.is_real], rtol=0, atol=1e-4)
    paths = [label for path in theirs.decode(batch.padded, mask=batch.is_real) for label in path]
    assert ours.decode(batch.packed, batch.packing).tolist() == paths


def _seconds(way: Callable[[Batch], object], batch: Batch, clock: Callable[[], float]) -> float:
    start = clock()
    way(batch)
    return clock() - start


def _report(median: dict[str, float], arguments: argparse.Namespace) -> None:
    print(f"{arguments.threads} threads, {arguments.clock} time; losses, gradients and paths equal")
    print(f"medians over {arguments.batches} batches, {arguments.repetitions} times each")
    for name, milliseconds in median.items():
        print(f"{name:22s} {milliseconds:7.2f} ms")
    for work in ("loss", "decoding"):
        print(f"{work}: {median[f'pytorch-crf {work}'] / median[f'our {work}']:.2f} times as fast")


if __name__ == "__main__":
    main()
