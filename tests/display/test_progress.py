import io
import threading
from datetime import datetime

from polyprobe.display import progress
from polyprobe.display.progress import WorkProgress, bar_of, lines_of

SHOW_CURSOR = "\x1b[?25h"


class Clock:
    """Time as the test says."""

    def __init__(self):
        self.now = 100.0

    def seconds(self) -> float:
        return self.now

    def time_of_day(self) -> datetime:
        return datetime(2026, 3, 1, 13, 55)


class ReadLog(io.StringIO):
    """A log that tells when so many lines have been written."""

    def __init__(self, n_lines: int = 1):
        super().__init__()
        self.n_lines, self.has_lines = n_lines, threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if self.getvalue().count("\n") >= self.n_lines:
            self.has_lines.set()
        return written


class ReadTerminal(ReadLog):
    """A terminal that tells when a bar has been drawn, and when it was taken away."""

    def __init__(self):
        super().__init__()
        self.is_free = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        written = super().write(text)
        if "corpus" in self.getvalue():
            self.has_lines.set()
        if SHOW_CURSOR in self.getvalue():
            self.is_free.set()
        return written


def work_of(clock: Clock, total: int) -> WorkProgress:
    return WorkProgress("encoding", "items", total, seconds=clock.seconds, time_of_day=clock.time_of_day)


def test_a_line_says_what_is_done_what_is_left_and_when_it_ends():
    clock = Clock()
    work = work_of(clock, 4000)
    clock.now += 1800
    work.advance(2000)
    work.advance(1000)
    said = "encoding: 3,000 of 4,000 items done, 1,000 left, expected end 2026-03-01 14:05 (in 10 min)"
    assert work.line() == said


def test_the_expected_end_stays_while_a_long_step_goes_on():
    clock = Clock()
    work = work_of(clock, 400)
    clock.now += 600
    work.advance(100)
    assert work.line().endswith("(in 30 min)")
    clock.now += 300
    assert work.line().endswith("(in 25 min)")
    clock.now += 6000
    assert work.line().endswith("(in less than a minute)")


def test_a_log_has_a_line_while_a_step_still_goes_on(monkeypatch):
    monkeypatch.setattr(progress, "FIRST_LINE", 0.001)
    log = ReadLog()
    with lines_of(work_of(Clock(), 4000), log):
        assert log.has_lines.wait(60)  # no step ends meanwhile
    assert log.getvalue().startswith("encoding: 0 of 4,000 items done, 4,000 left\n")


def test_the_speed_is_that_of_what_came_since_the_start():
    clock = Clock()
    work = WorkProgress("corpus", "bytes", 4000, 2000, seconds=clock.seconds, time_of_day=clock.time_of_day)
    assert work.line() == "corpus: 2,000 of 4,000 bytes done, 2,000 left"
    clock.now += 600
    work.advance(1000)
    assert work.line().endswith("(in 10 min)")


def test_where_nobody_knows_how_much_there_is_a_line_says_what_is_done():
    work = WorkProgress("corpus", "bytes", None)
    work.advance(2000)
    assert work.line() == "corpus: 2,000 bytes done"


def test_a_bar_appears_while_a_step_still_continues(monkeypatch):
    monkeypatch.setattr(progress, "BAR", 0.001)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    terminal = ReadTerminal()
    with bar_of(WorkProgress("a [bold] corpus", "bytes", 4000), terminal):
        assert terminal.has_lines.wait(60)
    assert "a [bold] corpus" in terminal.getvalue()


def test_work_within_work_has_the_terminal_for_itself(monkeypatch):
    monkeypatch.setattr(progress, "BAR", 0.001)
    monkeypatch.setenv("TERM", "xterm-256color")
    outer, inner = ReadTerminal(), ReadTerminal()
    with bar_of(WorkProgress("a corpus", "bytes", 4000), outer):
        assert outer.has_lines.wait(60)
        with bar_of(WorkProgress("a part of the corpus", "bytes", 400), inner):
            assert inner.has_lines.wait(60)
            assert outer.is_free.wait(60)
