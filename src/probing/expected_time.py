"""How long the probes of a run will take, measured on the first: said above an hour, asked about above a day."""

import time
from collections.abc import Callable

from polyprobe.display.shown import say
from polyprobe.errors import PolyprobeError
from polyprobe.formats.files.shared_work import sharing

MEASURED = 20.0  # seconds of training that an estimate rests on
HOUR, DAY = 3600.0, 86400.0
_UNITS = {"years": 365 * DAY, "days": DAY, "hours": HOUR}


class ExpectedTime:
    """Estimates once, after some seconds of training, how long all probes will take.

    Args:
        is_confirmed: whether a run of more than a day is meant.
        seconds: a clock that never goes back, in seconds.
    """

    def __init__(self, is_confirmed: bool, n_probes: int, seconds: Callable[[], float] = time.monotonic):
        self.is_confirmed, self.n_probes = is_confirmed, n_probes
        self._trained, self._block, self._left = 0, 0, n_probes
        self._seconds, self._began, self._is_measured = seconds, seconds(), False

    def leave_out(self, n_probes: int) -> None:
        """Notes that so many need no training: an earlier start has kept their outcomes."""
        self._left -= n_probes

    def begin(self, n_probes: int) -> None:
        """Notes that a block of so many probes begins, and that the one before is over."""
        self._trained, self._block = self._trained + self._block, n_probes
        self._left -= n_probes
        if not self._trained:
            self._began = self._seconds()

    def estimate_once(self, done: int, due: int) -> None:
        """Estimates where enough has been trained since the first block began, and nothing was estimated before.

        Args:
            done: epochs of the block that are over.
            due: its epochs at most.
        """
        elapsed = self._seconds() - self._began
        if self._is_measured or elapsed < MEASURED or not done or sharing().rank:
            return
        self._is_measured = True
        measured = self._trained + self._block * done / due
        # What is left is shared by all processes, each about as fast as this one.
        left = max(self._left, 0) / sharing().n_processes
        expected = elapsed * (self._trained + self._block + left) / measured
        if expected < HOUR:
            return
        found = (
            f"{self.n_probes:,} probes would take about {_in_words(expected)}, extrapolated from "
            f"the first {round(elapsed)} seconds"
        )
        if expected > DAY and not self.is_confirmed:
            raise PolyprobeError(
                f"{found}. To start anyway: confirm=true. Otherwise use fewer seeds, tests, layers or grid cells."
            )
        say(f"{found}; at most, since many probes stop early")


def _in_words(seconds: float) -> str:
    unit, size = next((unit, size) for unit, size in _UNITS.items() if seconds >= 2 * size or unit == "hours")
    return f"{seconds / size:,.1f} {unit}"
