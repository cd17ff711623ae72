"""Training steps of the LSTM language model: words a second, the share of matrix products, and peak memory.

Beside it a plain loop of the same sizes, in the manner of the released code: one nn.LSTM of two layers, a linear layer
over the whole vocabulary, F.cross_entropy, the norm clipped, a step of gradient descent; and the products alone, of the
same shapes, forward and backward. The three take turns on the same stretches of random words. Peak memory is that of a
process of its own for each way.

Run: python -m benchmarks.lstm_language_model --threads 2
     python -m benchmarks.lstm_language_model --words 10000 --width 200      (a quick check)
     python -m benchmarks.lstm_language_model --device cuda --bf16 --repetitions 50 --memory

The last column is what the article's training would take: 40 times 80 million words, with steps alone, without what
Lightning and the reading of text add to them.
"""

import argparse
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from polyprobe.models.base.rate_decay import LoweredWithoutGain
from polyprobe.models.language_model import LanguageModel, TextBatch

LAYERS, DROPOUT, CLIP, RATE = 2, 0.2, 0.25, 20.0
PUBLISHED_WORDS = 40 * 80_000_000
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def main() -> None:
    arguments = _arguments()
    torch.set_num_threads(arguments.threads)
    torch.set_flush_denormal(True)
    if arguments.only:
        _peak_memory(arguments)
        return
    clock, n_items = CLOCKS[arguments.clock], arguments.columns * arguments.steps
    ways = {name: way(arguments) for name, way in WAYS.items()}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(arguments.repetitions + 1):
        for name, step in ways.items():
            start = clock()
            step()
            _wait(arguments)
            seconds[name].append(clock() - start)
    print(f"{arguments}\n{'':10}{'s a step':>10}{'words/s':>10}{'products':>10}{'peak MiB':>10}{'hours':>10}")
    products = statistics.median(seconds["products"][1:])  # the first is a warm-up
    for name, measured in seconds.items():
        median = statistics.median(measured[1:])
        peak = _peak_of(name) if arguments.memory else "-"
        rate, hours = n_items / median, PUBLISHED_WORDS / n_items * median / 3600
        print(f"{name:10}{median:>10.4f}{rate:>10.0f}{products / median:>10.0%}{peak:>10}{hours:>10.1f}")


def ours(arguments: argparse.Namespace) -> Callable[[], None]:
    """Returns a step of the model as training does it."""
    optimizer_of = partial(torch.optim.SGD, lr=RATE)
    words = [str(number) for number in range(arguments.words - 2)]
    sizes = {"word_size": arguments.width, "hidden_size": arguments.width, "n_layers": LAYERS, "dropout": DROPOUT}
    settings = {"tied": False, "first_range": 0.1, "clip_norm": CLIP, "seed": 1}
    model = LanguageModel(
        words, **sizes, **settings, optimizer=optimizer_of, rate_decay=LoweredWithoutGain(0.25)
    ).train()
    model.to(arguments.device)
    optimizer = model.configure_optimizers()
    word_ids, next_ids = _stretch(arguments)
    stretch = TextBatch(word_ids, next_ids, float(word_ids.numel()), begins=False)

    def step() -> None:
        optimizer.zero_grad()
        with _precision(arguments):
            loss = model.loss(stretch)
        loss.backward()
        model.configure_gradient_clipping(optimizer)
        optimizer.step()

    return step


class PlainModel(nn.Module):
    """Embedding, LSTM, linear layer."""

    def __init__(self, n_words: int, width: int):
        super().__init__()
        self.embedding, self.dropout = nn.Embedding(n_words, width), nn.Dropout(DROPOUT)
        self.lstm = nn.LSTM(width, width, LAYERS, dropout=DROPOUT)
        self.output = nn.Linear(width, n_words)

    def forward(self, word_ids: Tensor, state: tuple[Tensor, Tensor] | None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Returns `[steps, columns, words]` and the state after."""
        outputs, state = self.lstm(self.dropout(self.embedding(word_ids)), state)
        return self.output(self.dropout(outputs)), state


def plain(arguments: argparse.Namespace) -> Callable[[], None]:
    """Returns a step of the plain loop."""
    model, state = PlainModel(arguments.words, arguments.width).train().to(arguments.device), None
    word_ids, next_ids = _stretch(arguments)

    def step() -> None:
        nonlocal state
        model.zero_grad()
        with _precision(arguments):
            logits, state = model(word_ids, state and tuple(one.detach() for one in state))
            loss = F.cross_entropy(logits.flatten(0, 1), next_ids.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(parameter.grad, alpha=-RATE)

    return step


def products(arguments: argparse.Namespace) -> Callable[[], None]:
    """Returns the products of a step: of the output over all words, of the LSTM's inputs over all steps, of its states
    step by step; each forward, for the gradient of what goes in, and for that of the weights."""
    n_items, width = arguments.columns * arguments.steps, arguments.width
    options = {"device": arguments.device, "dtype": torch.bfloat16 if arguments.bf16 else torch.float32}
    states, weights = torch.randn(n_items, width, **options), torch.randn(arguments.words, width, **options)
    gates = torch.randn(n_items, 4 * width, **options)
    inner = torch.randn(4 * width, width, **options)
    logits, like_weights = torch.empty(n_items, arguments.words, **options), torch.empty_like(weights)

    def step() -> None:
        torch.mm(states, weights.t(), out=logits)
        torch.mm(logits, weights)
        torch.mm(logits.t(), states, out=like_weights)
        for _ in range(LAYERS):
            torch.mm(states, inner.t()), torch.mm(gates, inner), torch.mm(gates.t(), states)
            for start in range(0, n_items, arguments.columns):
                rows = slice(start, start + arguments.columns)
                torch.mm(states[rows], inner.t()), torch.mm(gates[rows], inner)
            torch.mm(gates.t(), states)

    return step


WAYS = {"ours": ours, "plain": plain, "products": products}


def _stretch(arguments: argparse.Namespace) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    text = torch.randint(arguments.words, (arguments.steps + 1, arguments.columns), generator=generator)
    text = text.to(arguments.device)
    return text[:-1], text[1:]


def _precision(arguments: argparse.Namespace) -> torch.autocast:
    """Returns what trainer.precision=bf16-mixed puts round the loss, or round nothing."""
    return torch.autocast(torch.device(arguments.device).type, torch.bfloat16, enabled=arguments.bf16)


def _wait(arguments: argparse.Namespace) -> None:
    """Waits until a GPU has done what it was given."""
    if arguments.device.startswith("cuda"):
        torch.cuda.synchronize()


def _peak_memory(arguments: argparse.Namespace) -> None:
    step = WAYS[arguments.only](arguments)
    for _ in range(2):
        step()
    if arguments.device.startswith("cuda"):
        print(torch.cuda.max_memory_allocated() // 2**20)
        return
    status = Path("/proc/self/status").read_text(encoding="utf-8")  # getrusage would count the parent's memory, too
    print(int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) // 1024)


def _peak_of(name: str) -> str:
    command = [sys.executable, "-m", "benchmarks.lstm_language_model", *sys.argv[1:], "--only", name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _arguments(line: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--width", type=int, default=800)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--steps", type=int, default=35)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: on a machine that others use")
    parser.add_argument("--device", default="cpu", help="cuda: on a GPU")
    parser.add_argument("--bf16", action="store_true", help="as trainer.precision=bf16-mixed")
    parser.add_argument("--memory", action="store_true", help="measure peak memory, too")
    parser.add_argument("--only", choices=WAYS, help="take two steps of one way, and print its peak memory in MiB")
    return parser.parse_args(line)


if __name__ == "__main__":
    main()
