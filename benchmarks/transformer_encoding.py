"""Encoding the English token-level suite with a transformer: polyprobe's encoder against what others do.

The suite's tests share most of their sentences. A seeded sample of the distinct sentences, with every row of every
test that lies in them, goes through all layers in each way; the ways take turns. "Whole suite" is the sample's time by
the ratio of pieces. The floor is the time of the matrix products that the sample's pieces need, without padding, each
at its own size, with nothing between them, in the same run.

Run: POLYPROBE_DATA=data python -m benchmarks.transformer_encoding --model FOLDER --threads 2
"""

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
import yaml
from torch import Tensor

from benchmarks.transformer_rivals import PaddedLoop, Words, multiply, neurox_seconds, products
from polyprobe.encoders.cache.encoding_blocks import item_key
from polyprobe.encoders.transformer.encoder import TransformerEncoder
from polyprobe.encoders.transformer.model import read_config
from polyprobe.encoders.transformer.pieces import WordPieces
from polyprobe.encoders.transformer.sequences import within_budget
from polyprobe.formats.probing_sets.linspector import read_tokens
from polyprobe.formats.reading.malformed import refuse
from polyprobe.items import TokenInContext

Suite = Mapping[str, Sequence[TokenInContext]]
OURS, BF16, UNSORTED, EACH_TEST = "polyprobe", "polyprobe, bfloat16", "unsorted loop of 32", "the same, test by test"
FLOOR, NEUROX = "floor", "NeuroX"


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    suite = _suite()
    n_pieces = _piece_counts(arguments.model, suite)
    sample = _sampled(suite, arguments.sentences)
    ways = _ways(arguments, sample, n_pieces)
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(arguments.repetitions + 1):
        for name, way in ways.items():
            taken[name].append(way())
    median = {name: statistics.median(seconds[1:]) for name, seconds in taken.items()}  # the first is warm-up
    _report_suite("whole suite", suite, n_pieces)
    _report_suite("sample", sample, n_pieces)
    _report(median, _distinct_pieces(suite, n_pieces) / _distinct_pieces(sample, n_pieces), arguments)
    _report_errors(arguments.model, sample)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="a folder with a model like BERT")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sentences", type=int, default=600, help="distinct ones in the sample")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument(
        "--clock", choices=("wall", "cpu"), default="wall", help="cpu, with one thread, on a busy machine"
    )
    parser.add_argument("--neurox", metavar="PYTHON", help="of an environment with NeuroX")
    return parser.parse_args()


def _suite() -> Suite:
    folders = sorted((Path(os.environ["POLYPROBE_DATA"]) / "linspector/token/english").iterdir())
    return {folder.name: list(_items(folder)) for folder in folders}


def _items(folder: Path) -> Iterator[TokenInContext]:
    for split in ("train", "dev", "test"):
        for row in read_tokens(folder / f"{split}.txt", refuse):
            yield TokenInContext(row.words, row.index)


def _sentences(suite: Suite) -> list[Words]:
    return list(dict.fromkeys(item.words for items in suite.values() for item in items))


def _piece_counts(model: Path, suite: Suite) -> dict[Words, int]:
    """Counts the pieces of each distinct sentence, special tokens included."""
    pieces, sentences = WordPieces(model), _sentences(suite)
    n_special = len(pieces.prefix) + len(pieces.suffix)
    return {words: n_special + len(found.ids) for words, found in zip(sentences, pieces(sentences), strict=True)}


def _sampled(suite: Suite, n_sentences: int) -> Suite:
    chosen = set(random.Random(1).sample(sorted(_sentences(suite)), n_sentences))
    return {test: [item for item in items if item.words in chosen] for test, items in suite.items()}


def _ways(
    arguments: argparse.Namespace, sample: Suite, n_pieces: Mapping[Words, int]
) -> dict[str, Callable[[], float]]:
    """Returns each way as a function that does it once and says how many seconds that took."""
    timed = _timer(arguments.clock)
    items = _distinct_items(sample)
    ours, half = (_encoder(arguments.model, number_type) for number_type in ("float32", "bfloat16"))
    loop = PaddedLoop(arguments.model)
    sentences = _sentences(sample)
    random.Random(2).shuffle(sentences)
    wanted = {words: [] for words in sentences}
    for item in items:
        wanted[item.words].append(item.index)
    factors = _products(arguments.model, [n_pieces[words] for words in sentences], ours.token_budget)
    ways = {
        OURS: timed(lambda: list(ours.encode(items))),
        BF16: timed(lambda: list(half.encode(items))),
        UNSORTED: timed(lambda: loop.vectors_by_sentence(wanted)),
        EACH_TEST: timed(lambda: [loop.vectors(test_items) for test_items in sample.values()]),
        FLOOR: timed(lambda: multiply(factors)),
    }
    if arguments.neurox:
        rival = partial(neurox_seconds, arguments.neurox, arguments.model, sentences, arguments.threads)
        ways[NEUROX] = lambda: rival()[arguments.clock]
    return ways


def _products(model: Path, lengths: Sequence[int], token_budget: int) -> list[tuple[Tensor, Tensor]]:
    batches = [[lengths[number] for number in numbers] for numbers in within_budget(lengths, token_budget)]
    return products(read_config(model), batches)


def _distinct_items(suite: Suite) -> list[TokenInContext]:
    """Returns the items in the order in which the cache asks for them."""
    return sorted({item for items in suite.values() for item in items}, key=item_key)


def _encoder(model: Path, number_type: str) -> TransformerEncoder:
    options = yaml.safe_load(Path("conf/encoder/transformer.yaml").read_text(encoding="utf-8"))
    options |= {"model": str(model), "number_type": number_type, "dotless_i": False, "device": "cpu"}
    return TransformerEncoder(**{key: value for key, value in options.items() if not key.startswith("_")})


def _timer(clock: str) -> Callable[[Callable[[], object]], Callable[[], float]]:
    now = {"wall": time.perf_counter, "cpu": time.process_time}[clock]

    def seconds(way: Callable[[], object]) -> float:
        start = now()
        way()
        return now() - start

    return lambda way: partial(seconds, way)


def _distinct_pieces(suite: Suite, n_pieces: Mapping[Words, int]) -> int:
    return sum(n_pieces[words] for words in _sentences(suite))


def _report_suite(name: str, suite: Suite, n_pieces: Mapping[Words, int]) -> None:
    sentences, pieces = _sentences(suite), _distinct_pieces(suite, n_pieces)
    by_rows = sum(n_pieces[item.words] for items in suite.values() for item in items)
    by_tests = sum(n_pieces[words] for items in suite.values() for words in {item.words for item in items})
    print(
        f"{name}: {len(suite)} tests, {sum(map(len, suite.values())):,} rows, {len(sentences):,} distinct sentences of "
        f"{sum(map(len, sentences)):,} words and {pieces:,} pieces; all rows' sentences have {by_rows / pieces:.2f} "
        f"times as many pieces, each test's distinct sentences {by_tests / pieces:.2f} times"
    )


def _report(median: Mapping[str, float], scale: float, arguments: argparse.Namespace) -> None:
    print(f"{arguments.threads} threads, medians of {arguments.repetitions}, {arguments.clock} time, the ways in turns")
    print(f"machine's load (1, 5, 15 minutes) at the end: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")
    print(f"{'way':24s} {'s, sample':>10s} {'s, whole suite':>15s} {'of floor':>9s} {'against polyprobe':>18s}")
    for name, seconds in median.items():
        share, ratio = median[FLOOR] / seconds, seconds / median[OURS]
        print(f"{name:24s} {seconds:10.2f} {seconds * scale:15.0f} {share:9.2f} {ratio:18.2f}")


def _report_errors(model: Path, sample: Suite) -> None:
    """Prints how far vectors lie apart, relative to the layer's largest absolute value."""
    items = _distinct_items(sample)
    ours, half = (_vectors(_encoder(model, number_type), items) for number_type in ("float32", "bfloat16"))
    loop = PaddedLoop(model).vectors(items[:512])
    _report_error("float32 against the loop", ours[:, :512], loop)
    _report_error("bfloat16 against float32", half, ours)


def _vectors(encoder: TransformerEncoder, items: Sequence[TokenInContext]) -> np.ndarray:
    return np.concatenate([np.stack(block) for block in encoder.encode(items)], axis=1)


def _report_error(name: str, found: np.ndarray, expected: np.ndarray) -> None:
    errors = np.abs(found - expected).max((1, 2)) / np.abs(expected).max((1, 2))
    print(f"largest difference, {name}, by layer: {' '.join(f'{error:.1e}' for error in errors)}")


if __name__ == "__main__":
    main()
