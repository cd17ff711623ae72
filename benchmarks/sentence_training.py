"""Training steps of a sentence encoder with the nmt objective: words a second, share of the products, peak memory.

bilstm_max of two layers of 512 a direction over 300 wide frozen vectors, and a decoder of two layers of 512, against
the same of torch's modules: nn.LSTM over padded batches, the sentence's vector joined to every unit, CrossEntropyLoss
over the whole vocabulary. Both take the same batches of sentences of like lengths, drop as much and step by the same
Adam. Beside them the matrix products alone that such a step needs, each at its own size. The ways take turns. Peak
memory is that of a process of its own for each way.

Sentences are random: lengths as in news text, words and units by Zipf's law.

Run: python -m benchmarks.sentence_training --threads 2 --memory
     python -m benchmarks.sentence_training --threads 1 --units 40000 --batches 2
     python -m benchmarks.sentence_training --network gated_convnet --alone      (against padded nn.Conv1d)
"""

import argparse
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from benchmarks.plain_sentence_encoders import NO_LOSS, PlainBiLSTMMax, PlainDecoder, PlainGatedConvNet
from polyprobe.models.batches.target_units import END_ID
from polyprobe.models.decoders.unit_decoder import EncodedSentences, LSTMDecoder
from polyprobe.models.inputs.word_batch import WordBatch, word_batch
from polyprobe.models.sentence_networks.gated_convnet import GatedConvNet
from polyprobe.models.sentence_networks.sentence_network import BiLSTMMax

N_WORDS, INPUT_SIZE, HIDDEN, LAYERS, DROPOUT = 20_000, 300, 512, 2, 0.1
CONV_LAYERS, KERNEL = 8, 3
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
Step = Callable[["Batch"], None]
CPU = torch.device("cpu")


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentences and targets, longest sentence first.

    Attributes:
        words: as our networks read them; the inputs are vectors.
        padded: `[sentences, words]`, word ids for the plain networks.
        lengths: `[sentences]`.
        previous_ids, next_ids: `[steps, sentences]`.
    """

    words: WordBatch
    padded: Tensor
    lengths: Tensor
    previous_ids: Tensor
    next_ids: Tensor


@dataclass(frozen=True, slots=True)
class Network:
    """A network in our form and in the plain one, and the products of its training step.

    Attributes:
        width: of the vector of a sentence.
    """

    ours: Callable[[], nn.Module]
    plain: Callable[[], nn.Module]
    products: Callable[[Batch], Iterator[tuple[Tensor, Tensor]]]
    width: int


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    vectors = torch.randn(N_WORDS, INPUT_SIZE, generator=torch.Generator().manual_seed(1))
    batches = random_batches(arguments.batches, arguments.sentences, arguments.units, vectors)
    if arguments.only:
        _print_peak_memory(WAYS[arguments.only](arguments, vectors), batches[:1])
        return
    ways = {name: way(arguments, vectors) for name, way in WAYS.items()}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(arguments.repetitions + 1):
        for name, step in ways.items():
            taken[name].append(_seconds(step, batches, CLOCKS[arguments.clock]))
    _report({name: statistics.median(seconds[1:]) for name, seconds in taken.items()}, batches, arguments)  # 1st: warm


def random_batches(n_batches: int, n_sentences: int, n_units: int, vectors: Tensor) -> list[Batch]:
    """Returns batches that lie evenly in a text of sixteen times as many, sorted by length.

    Args:
        n_batches: how many.
        n_sentences: of a batch.
        n_units: of the target vocabulary.
        vectors: `[words, input width]`.
    """
    generator = np.random.default_rng(1)
    lengths = np.sort(np.maximum(1, generator.gamma(3.5, 7.0, 16 * n_batches * n_sentences)).astype(int))
    batches = []
    for number in range(n_batches):
        start = (16 * number + 8) * n_sentences
        own = lengths[start : start + n_sentences][::-1]
        sentences = [zipf(length, N_WORDS, generator) for length in own]
        stretch = generator.normal(1.15, 0.15, n_sentences).clip(0.6)
        targets = [
            zipf(max(1, round(length * by)), n_units - 2, generator) + 2
            for length, by in zip(own, stretch, strict=True)
        ]
        batches.append(_batch(sentences, targets, vectors))
    return batches


def zipf(length: int, n: int, generator: np.random.Generator) -> np.ndarray:
    """Returns `[length]`, numbers below n; the k-th is about 1 / k as frequent as the first."""
    return np.minimum(n - 1, np.exp(generator.random(length) * np.log(n + 1)).astype(np.int64) - 1)


def _batch(sentences: Sequence[np.ndarray], targets: Sequence[np.ndarray], vectors: Tensor) -> Batch:
    words = word_batch(sentences, lambda distinct: vectors[torch.from_numpy(distinct)])
    padded = pad_sequence([torch.from_numpy(ids) for ids in sentences], batch_first=True)
    end = np.array([END_ID])
    previous = [torch.from_numpy(np.concatenate([end, ids])) for ids in targets]
    following = [torch.from_numpy(np.concatenate([ids, end])) for ids in targets]
    lengths = torch.tensor(words.lengths)
    return Batch(words, padded, lengths, pad_sequence(previous), pad_sequence(following, padding_value=NO_LOSS))


def ours(arguments: argparse.Namespace, vectors: Tensor, device: torch.device = CPU) -> Step:
    """Returns a step of our network and decoder, whose batches lie on the device."""
    network = NETWORKS[arguments.network]
    encoder, decoder = network.ours(), LSTMDecoder(network.width, network.width, *_decoder_sizes(arguments))
    for number, module in enumerate((encoder, decoder)):
        module.train().initialise(torch.Generator().manual_seed(number))
        module.to(device)

    def loss(batch: Batch) -> Tensor:
        states = encoder.states(batch.words.inputs, batch.words)
        pooled = encoder.pooled(states, batch.words)
        if arguments.alone:
            return pooled.sum()
        encoded = EncodedSentences(pooled, states, batch.words.lengths)
        return decoder.loss(encoded, batch.previous_ids, batch.next_ids, float((batch.next_ids >= 0).sum()))

    return _step(loss, encoder, decoder, arguments)


def plain(arguments: argparse.Namespace, vectors: Tensor) -> Step:
    """Returns a step of torch's modules."""
    torch.manual_seed(1)
    network = NETWORKS[arguments.network]
    encoder, decoder = network.plain().train(), PlainDecoder(network.width, *_decoder_sizes(arguments)).train()

    def loss(batch: Batch) -> Tensor:
        pooled = encoder(vectors[batch.padded], batch.lengths)
        return pooled.sum() if arguments.alone else decoder(pooled, batch.previous_ids, batch.next_ids)

    return _step(loss, encoder, decoder, arguments)


def _step(
    loss: Callable[[Batch], Tensor], encoder: nn.Module, decoder: nn.Module, arguments: argparse.Namespace
) -> Step:
    modules = nn.ModuleList([encoder] if arguments.alone else [encoder, decoder])
    optimizer = torch.optim.Adam(modules.parameters(), lr=1e-4, fused=True)

    def step(batch: Batch) -> None:
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=arguments.bf16):
            value = loss(batch)
        value.backward()
        optimizer.step()

    return step


def products(arguments: argparse.Namespace, vectors: Tensor) -> Step:
    """Returns the products of a step, with nothing between them."""
    network = NETWORKS[arguments.network]
    kept: dict[int, list[tuple[Tensor, Tensor]]] = {}

    def step(batch: Batch) -> None:
        if id(batch) not in kept:
            of_decoder = [] if arguments.alone else _decoder_products(batch, network.width, arguments)
            kept[id(batch)] = [*network.products(batch), *of_decoder]
        for left, right in kept[id(batch)]:
            torch.matmul(left, right)

    return step


WAYS = {"ours": ours, "plain": plain, "products": products}


def _bilstm_products(batch: Batch) -> Iterator[tuple[Tensor, Tensor]]:
    n_cells, distinct = int(batch.lengths.sum()), len(batch.words.inputs)
    for n_inputs, width, is_learned in ((distinct, INPUT_SIZE, False), (n_cells, 2 * HIDDEN, True)):
        yield from _layer_products(n_inputs, width, 8 * HIDDEN, is_learned)
        yield from _recurrent_products(batch.words.packing.sizes, 2)


def _convnet_products(batch: Batch) -> Iterator[tuple[Tensor, Tensor]]:
    n_cells = int(batch.lengths.sum())
    for number in range(CONV_LAYERS):
        yield from _layer_products(n_cells, KERNEL * (HIDDEN if number else INPUT_SIZE), 2 * HIDDEN, number > 0)


def _decoder_products(batch: Batch, width: int, arguments: argparse.Namespace) -> Iterator[tuple[Tensor, Tensor]]:
    is_real = batch.next_ids >= 0
    n_rows, sizes = int(is_real.sum()), is_real.sum(1).tolist()
    yield from _layer_products(len(batch.previous_ids[is_real].unique()), HIDDEN, 4 * HIDDEN, True)
    yield from _layer_products(is_real.shape[1], width, 4 * HIDDEN, True)
    yield from _layer_products(n_rows, HIDDEN, 4 * HIDDEN, True)
    yield from [*_recurrent_products(sizes, 1), *_recurrent_products(sizes, 1)]
    yield from _layer_products(n_rows, HIDDEN, arguments.units, True)


def _layer_products(n_rows: int, width: int, n_outputs: int, is_input_learned: bool) -> Iterator[tuple[Tensor, Tensor]]:
    """Yields the factors of a linear layer: outputs, gradient of the inputs, gradient of the weights."""
    inputs, weights, outputs = torch.randn(n_rows, width), torch.randn(n_outputs, width), torch.randn(n_rows, n_outputs)
    yield inputs, weights.t()
    if is_input_learned:
        yield outputs, weights
    yield outputs.t(), inputs


def _recurrent_products(sizes: Sequence[int], n_directions: int) -> Iterator[tuple[Tensor, Tensor]]:
    weights = torch.randn(n_directions, 4 * HIDDEN, HIDDEN)
    for size in sizes[1:]:
        yield torch.randn(n_directions, size, HIDDEN), weights.transpose(1, 2)
        yield torch.randn(n_directions, size, 4 * HIDDEN), weights
    n_rows = sum(sizes[1:])
    yield torch.randn(n_directions, n_rows, 4 * HIDDEN).transpose(1, 2), torch.randn(n_directions, n_rows, HIDDEN)


NETWORKS = {
    "bilstm_max": Network(
        lambda: BiLSTMMax(INPUT_SIZE, HIDDEN, LAYERS, DROPOUT),
        lambda: PlainBiLSTMMax(INPUT_SIZE, HIDDEN, LAYERS, DROPOUT),
        _bilstm_products,
        2 * HIDDEN,
    ),
    "gated_convnet": Network(
        lambda: GatedConvNet(INPUT_SIZE, HIDDEN, CONV_LAYERS, KERNEL, DROPOUT, "max"),
        lambda: PlainGatedConvNet(INPUT_SIZE, HIDDEN, CONV_LAYERS, KERNEL, DROPOUT),
        _convnet_products,
        HIDDEN,
    ),
}


def _decoder_sizes(arguments: argparse.Namespace) -> tuple[int, int, int, int, float]:
    return arguments.units, HIDDEN, HIDDEN, LAYERS, DROPOUT


def _seconds(step: Step, batches: Sequence[Batch], clock: Callable[[], float]) -> float:
    start = clock()
    for batch in batches:
        step(batch)
    return clock() - start


def _report(median: dict[str, float], batches: Sequence[Batch], arguments: argparse.Namespace) -> None:
    n_words = sum(int(batch.lengths.sum()) for batch in batches)
    n_units = sum(int((batch.next_ids >= 0).sum()) for batch in batches)
    print(f"{len(batches)} batches, {n_words} words, {n_units} units; {arguments}")
    print(f"{'':10}{'s':>10}{'words/s':>10}{'products':>10}{'peak MiB':>10}")
    for name, seconds in median.items():
        peak = _peak_of(name) if arguments.memory else "-"
        print(f"{name:10}{seconds:>10.3f}{n_words / seconds:>10.0f}{median['products'] / seconds:>10.0%}{peak:>10}")
    print(f"plain / ours: {median['plain'] / median['ours']:.2f}")


def _print_peak_memory(step: Step, batches: Sequence[Batch]) -> None:
    _seconds(step, [*batches, *batches], time.perf_counter)
    status = Path("/proc/self/status").read_text(encoding="utf-8")  # getrusage would count the parent's memory, too
    print(int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) // 1024)


def _peak_of(name: str) -> str:
    command = [sys.executable, "-m", "benchmarks.sentence_training", *sys.argv[1:], "--only", name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--network", choices=NETWORKS, default="bilstm_max")
    parser.add_argument("--alone", action="store_true", help="the network without the decoder")
    parser.add_argument("--units", type=int, default=10_000, help="of the target vocabulary")
    parser.add_argument("--sentences", type=int, default=64, help="of a batch")
    parser.add_argument("--batches", type=int, default=8, help="from short to long sentences")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: on a machine that others use")
    parser.add_argument("--bf16", action="store_true", help="as trainer.precision=bf16-mixed")
    parser.add_argument("--memory", action="store_true", help="measure peak memory, too")
    parser.add_argument("--only", choices=WAYS, help="take two steps of one way, and print its peak memory in MiB")
    return parser.parse_args()


if __name__ == "__main__":
    main()
