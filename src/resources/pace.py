"""How slowly a server may send a file before it is given up."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from polyprobe.section import AboveZero, Section

Clock = Callable[[], float]


class TooSlow(Exception):
    """A server sends too slowly to wait for it."""


class Limits(Section, key="download"):
    """The limits of a slow server."""

    least_speed: AboveZero
    """Minimum speed in bytes per second, averaged over each window."""
    window: AboveZero
    """Seconds."""
    longest: AboveZero | None
    """Maximum seconds per attempt; null: no limit while the speed is kept."""


class Pace:
    """Counts received bytes, and gives up a server that is below the limits.

    Args:
        limits: those of the process, as `limit_downloads` set them, where None is given.
        clock: seconds since some moment.
    """

    def __init__(self, limits: Limits | None = None, clock: Clock = time.monotonic):
        self._limits, self._clock = limits or _chosen[-1], clock
        self._began = self._window_began = clock()
        self._in_window = 0

    def advance(self, n_bytes: int) -> None:
        """Counts more bytes."""
        now, limits = self._clock(), self._limits
        self._in_window += n_bytes
        if limits.longest is not None and now - self._began > limits.longest:
            raise TooSlow(f"the file takes more than download.longest={limits.longest:g} s")
        passed = now - self._window_began
        if passed < limits.window:
            return
        if self._in_window < limits.least_speed * passed:
            found = f"{self._in_window:,} bytes came in {passed:.0f} s"
            raise TooSlow(f"{found}, less than download.least_speed={limits.least_speed:g} bytes a second")
        self._window_began, self._in_window = now, 0


def limit_downloads(settings: Mapping[str, Any]) -> None:
    """Sets the limits of every later download of this process.

    Args:
        settings: the section `download` of a configuration.

    Raises:
        BadValue: a value is not a number above 0.
    """
    _chosen[:] = [Limits(**settings)]


_chosen = [Limits(least_speed=1000, window=60, longest=None)]
