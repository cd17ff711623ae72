"""What a user sees while vectors are trained: a bar on a terminal, a line per epoch elsewhere."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Self

from gensim.models.callbacks import CallbackAny2Vec

from src.display.progress import WorkProgress, bar_of

SENTENCES_A_STEP = 500  # between two looks of the bar


class VectorProgress(CallbackAny2Vec):
    """A text that shows how far it is read; to be given to gensim both as the text and as a callback.

    Args:
        text: sentences of words.
        epochs: how often it will be read.
    """

    def __init__(self, text: Sequence[Sequence[str]], epochs: int):
        self.text, self.epochs = text, epochs
        self.is_watched = sys.stdout.isatty()
        self.epoch, self._start = 0, 0.0
        self._progress = WorkProgress("training vectors", "sentences", epochs * len(text))
        self._bar = bar_of(self._progress, sys.stdout) if self.is_watched else nullcontext()

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)

    def __iter__(self) -> Iterator[Sequence[str]]:
        for number, sentence in enumerate(self.text):
            if number % SENTENCES_A_STEP == 0:
                self._progress.reach(self.epoch * len(self.text) + number, self._progress.total)
            yield sentence

    def on_epoch_begin(self, model: object) -> None:
        self._start = time.perf_counter()

    def on_epoch_end(self, model: object) -> None:
        self.epoch += 1
        if not self.is_watched:
            print(f"epoch {self.epoch:2d} of {self.epochs}  {time.perf_counter() - self._start:.1f} s", flush=True)
