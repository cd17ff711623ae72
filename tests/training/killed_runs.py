"""Training runs that are killed at some instant."""

import re
from pathlib import Path

from tests.commands.forked import ForkedScript

BEGUN = re.compile("^(starting|resuming)|is finished", re.MULTILINE)


def started(arguments: list[str], said: Path) -> ForkedScript:
    """Starts train.py and waits until it says that it begins."""
    process = ForkedScript("train", arguments, said)
    process.start()
    while process.is_alive() and not (said.is_file() and BEGUN.search(process.said)):
        process.join(0.01)
    return process


def killed_after(process: ForkedScript, seconds: float) -> bool:
    """Kills a process after so long a time; says whether it was still running."""
    process.join(seconds)
    was_running = process.is_alive()
    process.kill()
    process.join()
    return was_running
