"""Scoring whole suites of minimal sets with an LSTM language model: sets a second, and what shared prefixes save.

Beside it a loop over padded batches in file order, with log-softmax over all words at every position, as scripts for
such suites do it. Its rate is that of a sample, batches of neighbouring sentences at even distances: seconds for each
position, times the positions of the suite. The floor is the matrix products alone of all distinct prefixes, at the rate
of such products on this machine. Loop, predictor and products take turns.

Run: POLYPROBE_DATA=data python -m benchmarks.minimal_sets --languages de en
     POLYPROBE_DATA=data python -m benchmarks.minimal_sets --languages de --width 100 --words 5000      (a quick check)
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from polyprobe.formats.minimal_sets.clams import read_published
from polyprobe.formats.reading.malformed import refuse
from polyprobe.models.base.rate_decay import LoweredWithoutGain
from polyprobe.models.batches.text_vocabulary import END_ID
from polyprobe.models.language_model import LanguageModel
from polyprobe.predictors.base.predictor import NothingKept, Question
from polyprobe.predictors.word_level.in_memory import LanguageModelPredictor
from polyprobe.predictors.word_level.predictor import WordOptions

LAYERS, BATCH, SAMPLED_BATCHES, BATCH_OF_PRODUCTS = 2, 64, 6, 512
Seconds = tuple[float, float]
"""Of the clock on the wall, and of this process."""


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    print(f"{arguments}\n{'':4}{'way':12}{'s':>10}{'cpu s':>10}{'sets/s':>10}{'positions/s':>14}{'ratio':>8}{'cpu':>8}")
    for language in arguments.languages:
        _measure(language, arguments)


def _measure(language: str, arguments: argparse.Namespace) -> None:
    n_sets, sentences = published(language, arguments.end_of_sentence)
    model = random_model({word for words in sentences for word in words}, arguments.words, arguments.width)
    n_positions, n_prefixes, n_distinct = _sizes(model, sentences)
    sample = _sample(len(sentences))
    measured, answers = _in_turns(_ways(model, sentences, sample, arguments), arguments.repetitions)
    n_sampled = sum(len(sentences[number]) for number in sample)
    scale = {"loop": n_positions / n_sampled, "predictor": 1.0, "floor": n_prefixes / BATCH_OF_PRODUCTS}
    seconds = {name: (wall * scale[name], cpu * scale[name]) for name, (wall, cpu) in measured.items()}
    for name, (wall, cpu) in seconds.items():
        ratios = "".join(f"{loop / own:>8.1f}" for loop, own in zip(seconds["loop"], (wall, cpu), strict=True))
        rates = f"{n_sets / wall:>10.1f}{n_positions / wall:>14.0f}"
        print(f"{language:4}{name:12}{wall:>10.1f}{cpu:>10.1f}{rates}{ratios}")
    sharing, (loop, own, floor) = n_positions / n_prefixes, (cpu for _, cpu in seconds.values())
    difference = _largest_difference(answers, sample)
    print(
        f"    {n_sets:,} sets, {len(sentences):,} sentences, {n_distinct:,} distinct; {n_positions:,} positions, "
        f"{n_prefixes:,} prefixes: sharing {sharing:.1f}, of which {loop / own / sharing:.2f} are gained; at "
        f"{floor / own:.2f} of the floor\n    loop from {len(sample)} sentences; "
        f"largest difference of a log-probability {difference:.1e}"
    )
    assert difference < 1e-4


def _ways(
    model: LanguageModel, sentences: Sequence[tuple[str, ...]], sample: Sequence[int], arguments: argparse.Namespace
) -> dict[str, Callable[[], object]]:
    options = WordOptions(start=True, first=True, end=False, unknown="scored", split_off=[])
    predictor = LanguageModelPredictor("lstm", model, options, None, None)
    questions = [Question(words) for words in sentences]
    return {
        "loop": lambda: padded_loop(model, [sentences[number] for number in sample]),
        "predictor": lambda: predictor.answer(questions, NothingKept()),
        "floor": products(arguments),
    }


def _in_turns(ways: dict[str, Callable[[], object]], repetitions: int) -> tuple[dict[str, Seconds], dict[str, object]]:
    """Returns the medians of the seconds of each way, and its answer; the loop and the products are warmed up."""
    ways["loop"](), ways["floor"]()
    answers: dict[str, object] = {}
    seconds: dict[str, list[Seconds]] = {name: [] for name in ways}
    for _ in range(repetitions):
        for name, way in ways.items():
            taken, answers[name] = _timed(way)
            seconds[name].append(taken)
    return {name: tuple(map(statistics.median, zip(*taken, strict=True))) for name, taken in seconds.items()}, answers


def published(language: str, end_of_sentence: str) -> tuple[int, list[tuple[str, ...]]]:
    """Reads the published sets of all constructions; gives the number of sets and the words of all sentences."""
    folder = Path(os.environ["POLYPROBE_DATA"]) / "clams" / "eval" / language
    sets = [one for path in sorted(folder.glob("*.txt")) for one in read_published(path, refuse)]
    end = (end_of_sentence,) if end_of_sentence else ()
    return len(sets), [(*variant.sentence.split(" "), *end) for one in sets for variant in one.variants]


def random_model(known: set[str], n_words: int, width: int) -> LanguageModel:
    """Makes a model that knows some words, and others up to the number asked for."""
    words = [*sorted(known), *(f"#{number}" for number in range(n_words - 2 - len(known)))]
    sizes = {"word_size": width, "hidden_size": width, "n_layers": LAYERS, "dropout": 0.2, "tied": False}
    training = {"optimizer": partial(torch.optim.SGD, lr=1.0), "rate_decay": LoweredWithoutGain(0.25)}
    return LanguageModel(words, **sizes, **training, first_range=0.1, clip_norm=0.25, seed=1).eval()


@torch.inference_mode()
def padded_loop(model: LanguageModel, sentences: Sequence[tuple[str, ...]]) -> list[np.ndarray]:
    """Returns the log-probabilities of the words of each sentence, batch by batch."""
    network, found = model.network, []
    for start in range(0, len(sentences), BATCH):
        batch = [torch.from_numpy(model.vocabulary.coded(words)).long() for words in sentences[start : start + BATCH]]
        ids = torch.nn.utils.rnn.pad_sequence(batch, padding_value=END_ID)
        outputs, _ = network(ids[:-2], network.zero_states(ids.shape[1]))
        of_words = network.output(outputs[-1]).log_softmax(2).gather(2, ids[1:-1, :, None])[..., 0]
        found += [of_words[: len(one) - 2, column].numpy() for column, one in enumerate(batch)]
    return found


def products(arguments: argparse.Namespace) -> Callable[[], None]:
    """Returns the matrix products of one step of n prefixes: of the output, and of inputs and states of layers."""
    states, logits = torch.randn(BATCH_OF_PRODUCTS, arguments.width), torch.empty(BATCH_OF_PRODUCTS, arguments.words)
    weights, gates = torch.randn(arguments.words, arguments.width), torch.randn(4 * arguments.width, arguments.width)

    def step() -> None:
        torch.mm(states, weights.t(), out=logits)
        for _ in range(2 * LAYERS):
            torch.mm(states, gates.t())

    return step


def _sizes(model: LanguageModel, sentences: Sequence[tuple[str, ...]]) -> tuple[int, int, int]:
    """Counts positions, distinct prefixes and distinct sentences."""
    rows = [tuple(model.vocabulary.ids(words).tolist()) for words in sentences]
    prefixes = {ids[:depth] for ids in set(rows) for depth in range(len(ids))}
    return sum(map(len, rows)), len(prefixes), len(set(rows))


def _sample(n_sentences: int) -> list[int]:
    starts = np.linspace(0, max(0, n_sentences - BATCH), SAMPLED_BATCHES).astype(int).tolist()
    return [number for start in starts for number in range(start, min(start + BATCH, n_sentences))]


def _timed(way: Callable[[], object]) -> tuple[Seconds, object]:
    wall, cpu = time.perf_counter(), time.process_time()
    answer = way()
    return (time.perf_counter() - wall, time.process_time() - cpu), answer


def _largest_difference(answers: dict[str, object], sample: Sequence[int]) -> float:
    ends = np.concatenate([[0], answers["predictor"].ends])
    spans = list(pairwise(ends.tolist()))
    ours = [answers["predictor"].log_probabilities[slice(*spans[number])] for number in sample]
    return float(np.abs(np.concatenate(ours) - np.concatenate(answers["loop"])).max())


def _arguments(line: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", nargs="+", default=["de", "en"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--width", type=int, default=800)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--end-of-sentence", default="", help='such as ".": a further word of every sentence')
    return parser.parse_args(line)


if __name__ == "__main__":
    main()
