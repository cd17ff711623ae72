"""The progress of long work: a bar on a terminal, else a line a minute."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, repeat
from typing import TextIO

from rich.console import Console
from rich.progress import Progress

FIRST_LINE, BETWEEN_LINES = 10.0, 60.0  # seconds


@dataclass
class WorkProgress:
    """The progress of a piece of work.

    Attributes:
        doing: what is done ("encoding").
        unit: what is counted ("items").
        total: how many there are.
        done: how many are finished.
        seconds: a clock that never goes back, in seconds.
        time_of_day: the clock on the wall.
    """

    doing: str
    unit: str
    total: int
    done: int = 0
    seconds: Callable[[], float] = time.monotonic
    time_of_day: Callable[[], datetime] = datetime.now
    _began: float = field(init=False)
    _reached: float = field(init=False)  # when the last step ended

    def __post_init__(self):
        self._began = self._reached = self.seconds()

    def advance(self, count: int = 1) -> None:
        """Counts more finished ones."""
        self.reach(self.done + count, self.total)

    def reach(self, done: int, total: int) -> None:
        """Sets how many are finished, and how many there are in all."""
        self.done, self.total, self._reached = done, total, self.seconds()

    def line(self) -> str:
        """Returns "encoding: 300 of 400 items done, 100 left, expected end 2026-03-01 14:05 (in 10 min)".

        The end is estimated from the speed so far; without any finished item it is unknown.
        """
        left = self.total - self.done
        said = f"{self.doing}: {self.done:,} of {self.total:,} {self.unit} done, {left:,} left"
        return said + self._expected_end(left) if self.done else said

    def _expected_end(self, left: int) -> str:
        # From the last step on: the speed within a long one is unknown.
        end_after_start = (self._reached - self._began) * (self.done + left) / self.done
        seconds = max(0.0, self._began + end_after_start - self.seconds())
        end = self.time_of_day() + timedelta(seconds=seconds)
        return f", expected end {end:%Y-%m-%d %H:%M} (in {_span(seconds)})"


@contextmanager
def watched(doing: str, unit: str, total: int) -> Iterator[WorkProgress]:
    """Shows the progress of a piece of work on standard error, until it ends.

    On a terminal that is a bar, which disappears at the end. Elsewhere it is a line after ten seconds and one every
    minute from then on, however long a single step takes; shorter work leaves no line.

    Args:
        doing, unit, total: see `WorkProgress`.

    Yields:
        The object through which the work reports its progress.
    """
    progress = WorkProgress(doing, unit, total)
    with bar_of(progress, sys.stderr) if sys.stderr.isatty() else lines_of(progress, sys.stderr):
        yield progress


@contextmanager
def bar_of(progress: WorkProgress, out: TextIO) -> Iterator[None]:
    """Draws a bar as long as the work continues."""
    with Progress(console=Console(file=out), transient=True, get_time=progress.seconds) as bar:
        task = bar.add_task(progress.doing, total=progress.total)
        with _repeatedly(lambda: bar.update(task, completed=progress.done, total=progress.total), repeat(0.1)):
            yield


@contextmanager
def lines_of(progress: WorkProgress, out: TextIO) -> Iterator[None]:
    """Writes a line now and then as long as the work continues."""
    with _repeatedly(lambda: print(progress.line(), file=out, flush=True), chain([FIRST_LINE], repeat(BETWEEN_LINES))):
        yield


@contextmanager
def _repeatedly(act: Callable[[], None], pauses: Iterator[float]) -> Iterator[None]:
    """Acts after each pause in a thread of its own: a step of the work may take longer than a pause."""
    is_over = threading.Event()

    def run() -> None:
        for pause in pauses:
            if is_over.wait(pause):
                return
            act()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _span(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
