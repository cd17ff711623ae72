"""Vectors of 10,000 sentences: encoder=untrained against a loop in the manner of SentEval.

The loop looks words up one by one, pads batches of 128 sentences sorted by length, runs the same network of torch's
modules, and stacks the vectors. Both have the same weights, and their vectors are compared. Beside them the matrix
products alone. The ways take turns.

Where the processor multiplies bfloat16 in hardware, --bf16 shows what our network would gain by it; the loop stays as
it is, and the largest difference of a number says what that costs.

Sentences are random: lengths as in news text, words by Zipf's law.

Run: python -m benchmarks.sentence_encoding --threads 2
     python -m benchmarks.sentence_encoding --layers 1
     python -m benchmarks.sentence_encoding --sentences 2000                (a quick check)
"""

import argparse
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from benchmarks.plain_sentence_encoders import PlainBiLSTMMax
from benchmarks.sentence_training import CLOCKS, HIDDEN, INPUT_SIZE, N_WORDS, zipf
from polyprobe.encoders.untrained import UntrainedEncoder
from polyprobe.items import Sentence
from polyprobe.models.base.task_coder import blocks_of_sentences

BATCH = 128


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    sentences = _sentences(arguments.sentences)
    with tempfile.TemporaryDirectory() as folder:
        encoder = _encoder(Path(folder), arguments.layers)
        loop = _Loop(encoder)
        ways = {
            "ours": lambda: _by_encoder(encoder, sentences, arguments.bf16),
            "loop": lambda: loop.encode(sentences),
            "products": lambda: _products(sentences, arguments.layers),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        found = {}
        for _ in range(arguments.repetitions + 1):
            for name, way in ways.items():
                start = CLOCKS[arguments.clock]()
                found[name] = way()
                taken[name].append(CLOCKS[arguments.clock]() - start)
    median = {name: statistics.median(seconds[1:]) for name, seconds in taken.items()}  # the first is a warm-up
    print(f"{arguments}; {sum(map(len, sentences))} words\n{'':10}{'s':>10}{'sent./s':>10}{'products':>10}")
    for name, seconds in median.items():
        print(f"{name:10}{seconds:>10.2f}{len(sentences) / seconds:>10.0f}{median['products'] / seconds:>10.0%}")
    print(f"loop / ours: {median['loop'] / median['ours']:.2f}")
    print(f"largest difference of a number: {np.abs(found['ours'] - found['loop']).max():.1e}")


def _sentences(n_sentences: int) -> list[tuple[str, ...]]:
    generator = np.random.default_rng(1)
    lengths = np.maximum(1, generator.gamma(3.5, 7.0, n_sentences)).astype(int)
    return [tuple(f"w{number}" for number in zipf(length, N_WORDS, generator)) for length in lengths]


def _encoder(folder: Path, n_layers: int) -> UntrainedEncoder:
    """Returns bilstm_max over random vectors, which it reads from a file in the folder."""
    vectors = np.random.default_rng(2).normal(size=(N_WORDS, INPUT_SIZE)).round(3)
    path = folder / "vectors.vec"
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{N_WORDS} {INPUT_SIZE}\n")
        for number, row in enumerate(vectors):
            file.write(f"w{number} {' '.join(map(str, row))}\n")
    network = {"hidden_size": HIDDEN, "n_layers": n_layers}
    return UntrainedEncoder("bilstm_max", network, 1, path, False, False, folder / "cache")


def _by_encoder(encoder: UntrainedEncoder, sentences: Sequence[tuple[str, ...]], in_half: bool) -> np.ndarray:
    with torch.autocast("cpu", torch.bfloat16, enabled=in_half):
        return np.concatenate([vectors for (vectors,) in encoder.encode([Sentence(words) for words in sentences])])


class _Loop:
    """SentEval's way: words are looked up in a dictionary, batches are sorted by length and padded."""

    def __init__(self, encoder: UntrainedEncoder):
        self.vector_of = {}
        encoder.source.meet([encoder_words := tuple(f"w{number}" for number in range(N_WORDS))])
        for word, vector in zip(
            encoder_words, encoder.source.vectors(encoder.source.numbers(encoder_words)), strict=True
        ):
            self.vector_of[word] = vector
        layers = encoder.network.layers
        self.network = PlainBiLSTMMax(INPUT_SIZE, HIDDEN, len(layers), 0.0).eval()
        weights = {
            f"lstm.{name.replace('_l0', f'_l{number}')}": weight
            for number, layer in enumerate(layers)
            for name, weight in layer.state_dict().items()
        }
        self.network.load_state_dict(weights)

    @torch.no_grad()
    def encode(self, sentences: Sequence[tuple[str, ...]]) -> np.ndarray:
        """Returns `[sentences, width]`, in the order of the sentences."""
        order = np.argsort([-len(words) for words in sentences], kind="stable")
        parts = []
        for start in range(0, len(order), BATCH):
            chosen = [sentences[number] for number in order[start : start + BATCH]]
            padded = np.zeros((len(chosen), len(chosen[0]), INPUT_SIZE), dtype=np.float32)
            for row, words in enumerate(chosen):
                for column, word in enumerate(words):
                    padded[row, column] = self.vector_of[word]
            parts.append(self.network(torch.from_numpy(padded), torch.tensor([*map(len, chosen)])).numpy())
        return np.vstack(parts)[np.argsort(order)]


def _products(sentences: Sequence[tuple[str, ...]], n_layers: int) -> None:
    """Computes the products that our blocks of sentences need: distinct words once, states step by step."""
    by_length = sorted(sentences, key=len)
    recurrent, states = torch.randn(2, HIDDEN, 4 * HIDDEN), torch.randn(2, 4 * BATCH, HIDDEN)
    weights, inputs = torch.randn(2 * HIDDEN, 8 * HIDDEN), torch.randn(32 * BATCH, 2 * HIDDEN)
    for block in blocks_of_sentences(by_length, [*map(len, by_length)]):
        lengths = np.array([*map(len, block)])
        n_inputs, width = len({word for words in block for word in words}), INPUT_SIZE
        for _ in range(n_layers):
            torch.mm(inputs[:n_inputs, :width], weights[:width])
            for step in range(1, lengths.max()):
                torch.bmm(states[:, : int((lengths > step).sum())], recurrent)
            n_inputs, width = int(lengths.sum()), 2 * HIDDEN


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--bf16", action="store_true", help="our network under autocast")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: on a machine that others use")
    return parser.parse_args()


if __name__ == "__main__":
    main()
