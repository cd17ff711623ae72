"""Training steps of the role labeller: our bi-LSTM against the packed nn.LSTM, and against the floor.

Real batches of Finnish train, spread evenly over an epoch. The two ways take turns, each doing whole steps (loss,
gradients, clipping, SGD). The floor is the time of the matrix products that such a step
needs, each at its own size, with nothing between them, in the same run.

Run: POLYPROBE_DATA=data python -m benchmarks.bilstm --threads 2
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import torch
import yaml
from torch import Tensor, nn

from polyprobe.datamodules.base.word_inputs import TrigramInputs
from polyprobe.datamodules.propositions import PropositionsDataModule
from polyprobe.formats.reading.malformed import Skipped
from polyprobe.formats.roles.universal_propbank import universal_propbank_sentences
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.layers.bilstm import BiLSTM
from polyprobe.models.layers.packing import Packing
from polyprobe.models.role_labeller import PropositionBatch, RoleLabeller
from tests.models.in_memory import InMemory

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
TRAIN = "srl/finnish_up/fi_tdt-up-train.conllup"


class PackedBiLSTM(BiLSTM):
    """The same layer by `nn.LSTM` everywhere."""

    def _steps_in_one_node(self, inputs: Tensor, input_of_cell: Tensor, packing: Packing) -> Tensor:
        return self._packed(inputs, input_of_cell, packing)


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    data = _data()
    everything = list(data.train_dataloader())
    batches = everything[:: max(1, len(everything) // arguments.batches)]
    products = [list(_products(batch)) for batch in batches]
    ways = {
        "one node": partial(_train, _labeller(data, BiLSTM), batches),
        "packed nn.LSTM": partial(_train, _labeller(data, PackedBiLSTM), batches),
        "floor": partial(_run, products),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(arguments.repetitions + 1):
        for name, way in ways.items():
            taken[name].append(_seconds(way, CLOCKS[arguments.clock]))
    median = {name: statistics.median(seconds[1:]) / len(batches) for name, seconds in taken.items()}  # 1st: warm-up
    _report(median, len(batches), len(everything), arguments)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batches", type=int, default=60, help="about how many of an epoch are timed")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu, with one thread, on a busy machine")
    return parser.parse_args()


def _data() -> PropositionsDataModule:
    sentences = list(universal_propbank_sentences(Path(os.environ["POLYPROBE_DATA"]) / TRAIN, Skipped()))
    source, inputs = (
        InMemory.of(sentences, []),
        TrigramInputs(trigram_size=200, trigram_start="normal", hidden_size=200),
    )
    data = PropositionsDataModule(source, inputs, seed=1, batch_propositions=32, evaluation_propositions=256)
    data.setup()
    return data


def _labeller(data: PropositionsDataModule, layer: type[BiLSTM]) -> RoleLabeller:
    settings = yaml.safe_load(Path("conf/model/role_labeller.yaml").read_text(encoding="utf-8"))
    of_trigrams = yaml.safe_load(Path("conf/learned.yaml").read_text(encoding="utf-8"))["srl"]["model"]
    model = build_model({**settings, **of_trigrams, "seed": 1}, data.model_inputs())
    model.reader.composition = _rebuilt(model.reader.composition, layer)
    model.labeller = nn.ModuleList(_rebuilt(one, layer) for one in model.labeller)
    return model.train()


def _rebuilt(layer: BiLSTM, kind: type[BiLSTM]) -> BiLSTM:
    rebuilt = kind(layer.input_size, layer.hidden_size)
    rebuilt.load_state_dict(layer.state_dict())
    return rebuilt


def _train(model: RoleLabeller, batches: Sequence[PropositionBatch]) -> None:
    optimizer = model.configure_optimizers()
    for batch in batches:
        optimizer.zero_grad()
        model.loss(batch).backward()
        model.configure_gradient_clipping(optimizer)
        optimizer.step()


def _seconds(work: Callable[[], None], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start


def _products(batch: PropositionBatch) -> Iterator[tuple[Tensor, Tensor]]:
    """Yields the factors of every product of the two bi-LSTMs in a training step."""
    words = batch.words.inputs
    n_inputs = {"words": len(words.trigram_ids), "cells": len(words.packing.order) + len(batch.flagged_inputs)}
    for n, packing in zip(n_inputs.values(), (words.packing, batch.words.packing), strict=True):
        inputs, projections = torch.randn(n, 200), torch.randn(n, 1600)
        yield from [(inputs, torch.randn(200, 1600)), (projections, torch.randn(1600, 200)), (projections.t(), inputs)]
        recurrent, n_rows = torch.randn(2, 800, 200), sum(packing.sizes[1:])
        for size in packing.sizes[1:]:
            yield torch.randn(2, size, 200), recurrent.transpose(1, 2)
            yield torch.randn(2, size, 800), recurrent
        yield torch.randn(2, n_rows, 800).transpose(1, 2), torch.randn(2, n_rows, 200)


def _run(products: Sequence[Sequence[tuple[Tensor, Tensor]]]) -> None:
    for batch in products:
        for left, right in batch:
            torch.matmul(left, right)


def _report(median: dict[str, float], n_timed: int, n_batches: int, arguments: argparse.Namespace) -> None:
    print(f"{n_timed} of {n_batches} batches, {arguments.threads} threads")
    print(f"medians of {arguments.repetitions}, {arguments.clock} time")
    print(f"{'way':16s} {'ms a step':>10s} {'s an epoch':>11s} {'of floor':>9s}")
    for name, seconds in median.items():
        print(f"{name:16s} {seconds * 1e3:10.1f} {seconds * n_batches:11.1f} {median['floor'] / seconds:9.2f}")
    print(f"packed nn.LSTM / one node: {median['packed nn.LSTM'] / median['one node']:.2f}")


if __name__ == "__main__":
    main()
