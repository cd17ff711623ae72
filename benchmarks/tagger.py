"""Training steps of the tagger of Turkish: words per second, and how much of a step is the bi-LSTM itself.

Real batches, spread evenly over an epoch. A step is loss, gradients and Adam; the bi-LSTM alone is its states and the
gradients of its parameters and inputs, on the same vectors. The two take turns.

Run: POLYPROBE_DATA=data python -m benchmarks.tagger --threads 1
"""

import argparse
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import torch
import yaml

from polyprobe.datamodules.base.word_inputs import LearnedInputs
from polyprobe.datamodules.tagging import TaggingDataModule
from polyprobe.formats.reading.malformed import refuse
from polyprobe.formats.treebanks import labelled_words
from polyprobe.models.base.checkpoint_file import build_model
from polyprobe.models.inputs.word_batch import LabelledBatch
from polyprobe.models.tagger import Tagger
from tests.models.in_memory import InMemory

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
CONF = Path(__file__).resolve().parents[1] / "conf"


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    data = _data()
    everything = list(data.train_dataloader())
    batches = everything[:: max(1, len(everything) // arguments.batches)]
    model = _model(data)
    optimizer = model.configure_optimizers()
    clock = CLOCKS[arguments.clock]
    whole, alone = [], []
    for _ in range(arguments.repetitions + 1):
        whole.append(_seconds(clock, lambda: [_step(model, optimizer, batch) for batch in batches]))
        alone.append(_seconds(clock, lambda: [_bilstm(model, batch) for batch in batches]))
    seconds, of_bilstm = statistics.median(whole[1:]), statistics.median(alone[1:])  # the first is a warm-up
    n_words = sum(batch.n_items for batch in batches)
    print(f"{len(batches)} of {len(everything)} batches, {arguments.threads} threads, {arguments.clock} time")
    print(f"a step: {1000 * seconds / len(batches):.1f} ms, {n_words / seconds:,.0f} words a second")
    print(f"the bi-LSTM alone: {1000 * of_bilstm / len(batches):.1f} ms, {of_bilstm / seconds:.0%} of a step")


def _step(model: Tagger, optimizer: torch.optim.Optimizer, batch: LabelledBatch) -> None:
    optimizer.zero_grad()
    model.loss(batch).backward()
    optimizer.step()


def _bilstm(model: Tagger, batch: LabelledBatch) -> None:
    vectors = model.reader(batch.words).detach().requires_grad_()
    model.bilstm.zero_grad()
    model.states(batch.words, vectors).sum().backward()


def _seconds(clock, work) -> float:
    start = clock()
    work()
    return clock() - start


def _data() -> TaggingDataModule:
    folder = Path(os.environ["POLYPROBE_DATA"]) / "pos/tr"
    train = list(labelled_words.linspector_pos_sentences(folder / "train.pos", refuse))
    settings = yaml.safe_load((CONF / "task/pos.yaml").read_text(encoding="utf-8"))["task"]["datamodule"]
    del settings["_target_"]
    source, inputs = InMemory.of(train, train[:1]), LearnedInputs(100, 2, [2, 5], 3)
    data = TaggingDataModule(source, inputs, seed=1, **settings)
    data.setup()
    return data


def _model(data: TaggingDataModule) -> Tagger:
    settings = yaml.safe_load((CONF / "model/tagger.yaml").read_text(encoding="utf-8"))
    return build_model({**settings, "seed": 1}, data.model_inputs()).train()


def _arguments(line: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batches", type=int, default=20)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: on a machine that others use")
    return parser.parse_args(line)


if __name__ == "__main__":
    main()
