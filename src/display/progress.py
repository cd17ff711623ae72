"""The progress of long work: a bar on a terminal, else a line a minute."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, repeat
from typing import TYPE_CHECKING, TextIO, TypeVar

from polyprobe.display.shown import is_quiet, shown

if TYPE_CHECKING:
    from rich.progress import Progress

BAR, BETWEEN_LOOKS = 2.0, 0.1  # seconds until a bar appears, and until it moves on
FIRST_LINE, BETWEEN_LINES = 10.0, 60.0  # seconds
_is_last_line_said = threading.Event()
T = TypeVar("T")


@dataclass
class WorkProgress:
    """The progress of a piece of work."""

    doing: str
    """What is done ("encoding")."""
    unit: str
    """What is counted ("items")."""
    total: int | None
    """How many there are; None where it is unknown."""
    done: int = 0
    """How many are finished; at first, how many were before."""
    seconds: Callable[[], float] = time.monotonic
    """A clock that never goes back, in seconds."""
    time_of_day: Callable[[], datetime] = datetime.now
    """The clock on the wall."""
    _began: float = field(init=False)
    _reached: float = field(init=False)  # when the last step ended
    _before: int = field(init=False)

    def __post_init__(self):
        self._began = self._reached = self.seconds()
        self._before = self.done

    def advance(self, count: int = 1) -> None:
        """Counts more finished ones."""
        self.reach(self.done + count, self.total)

    def reach(self, done: int, total: int | None) -> None:
        """Sets how many are finished, and how many there are in all."""
        self.done, self.total, self._reached = done, total, self.seconds()

    def line(self) -> str:
        """Returns "encoding: 300 of 400 items done, 100 left, expected end 2026-03-01 14:05 (in 10 min)".

        The end is estimated from the speed so far; without any finished item it is unknown.
        """
        if self.total is None:
            return f"{self.doing}: {self.done:,} {self.unit} done"
        left = self.total - self.done
        said = f"{self.doing}: {self.done:,} of {self.total:,} {self.unit} done, {left:,} left"
        if self.done == self._before:
            return said
        # From the last step on: the speed within a long one is unknown.
        n_here = self.done - self._before
        end_after_start = (self._reached - self._began) * (self.total - self._before) / n_here
        seconds = max(0.0, self._began + end_after_start - self.seconds())
        end = self.time_of_day() + timedelta(seconds=seconds)
        return f"{said}, expected end {end:%Y-%m-%d %H:%M} (in {span(seconds)})"


_under_way: list[WorkProgress] = []  # that have bars: work, and the work within it


@contextmanager
def watched(doing: str, unit: str, total: int | None) -> Iterator[WorkProgress]:
    """Shows the progress of a piece of work on standard error, until it ends.

    On a terminal that is a bar after two seconds, which disappears at the end. Elsewhere it is a line after ten seconds
    and one every minute from then on, however long a single step takes; shorter work leaves neither.
    """
    progress = WorkProgress(doing, unit, total)
    show = bar_of if sys.stderr.isatty() else lines_of
    with nullcontext() if is_quiet() else show(progress, sys.stderr):
        yield progress


def each(items: Sequence[T], doing: str, unit: str) -> Iterator[T]:
    """Yields the items of a piece of work one by one, and shows the progress; see `watched`."""
    with watched(doing, unit, len(items)) as progress:
        for item in items:
            yield item
            progress.advance()


@contextmanager
def bar_of(progress: WorkProgress, out: TextIO) -> Iterator[None]:
    """Draws a bar as long as the work continues; it disappears at the end."""
    from rich.console import Console
    from rich.progress import Progress

    with _drawn(Progress(console=Console(file=out), transient=True, get_time=progress.seconds), progress):
        yield


@contextmanager
def lines_of(progress: WorkProgress, out: TextIO) -> Iterator[None]:
    """Writes a line now and then as long as the work continues."""

    def write() -> None:
        if not _is_last_line_said.is_set():
            print(shown(progress.line()), file=out, flush=True)

    with _repeatedly(write, chain([FIRST_LINE], repeat(BETWEEN_LINES))):
        yield


def end_lines() -> None:
    """Writes no more lines of progress: the process says why it ends, which takes a moment."""
    _is_last_line_said.set()


@contextmanager
def _drawn(bar: "Progress", progress: WorkProgress) -> Iterator[None]:
    """Draws a bar after a pause; shorter work has none. Work within work is drawn alone, as long as it takes."""
    from polyprobe.display.terminal import in_a_bar

    task = bar.add_task(in_a_bar(progress.doing), total=progress.total, completed=progress.done)

    def draw() -> None:
        if _under_way[-1] is progress:
            bar.start()
            bar.update(task, completed=progress.done, total=progress.total)
        elif bar.live.is_started:
            bar.stop()

    _under_way.append(progress)
    try:
        with _repeatedly(draw, chain([BAR], repeat(BETWEEN_LOOKS))):
            yield
    finally:
        if bar.live.is_started:
            bar.update(task, completed=progress.done, total=progress.total)
            bar.stop()
        _under_way[:] = [other for other in _under_way if other is not progress]


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


def span(seconds: float) -> str:
    """Writes seconds as minutes, or as hours and minutes."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
