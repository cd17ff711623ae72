"""How signals end a process: with one line, the exit code of the signal, and nothing half-written.

Imported and called before anything else: what a script imports takes seconds, and a signal may come in the first one.
The interpreter itself needs 20 ms or more before this; an earlier signal ends it without a line.
"""

import os
import signal
import sys
from threading import Event
from types import FrameType

GOES_ON = "To resume from the last finished epoch or stage, repeat the command."
INTERRUPTED = f"Interrupted. {GOES_ON}"
ENDED, _INTERRUPTED = 143, 130  # exit codes, as shells give them for SIGTERM and SIGINT
_is_done = Event()
_is_told = Event()
_IMPORTING = "<frozen importlib."  # begins the file names of the import system's frames


def end_clearly() -> None:
    """Makes SIGTERM and SIGUSR1 end this process with a line and exit code 143; SIGINT raises KeyboardInterrupt.

    Clusters send SIGUSR1 before the time is over. If a launcher handles it itself, that stays; and a process that
    ignores SIGINT, as in the background of a shell, continues to ignore it.
    """
    signal.signal(signal.SIGTERM, _end)
    if signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL:
        signal.signal(signal.SIGUSR1, _end)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def end_at_once() -> None:
    """Lets signals end this process without an exception from now on: its work is done, and Python clears up."""
    _is_done.set()


def _end(number: int, frame: FrameType | None) -> None:
    _tell(f"Ended by {signal.Signals(number).name}. {GOES_ON}")
    if _is_done.is_set() or _is_importing(frame):
        os._exit(ENDED)
    sys.exit(ENDED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _is_done.is_set() or _is_importing(frame):
        _tell(INTERRUPTED)
        os._exit(_INTERRUPTED)
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    """Says whether libraries are being loaded, some of which swallow any exception raised there.

    Nothing is written at that time.
    """
    while frame is not None and not frame.f_code.co_filename.startswith(_IMPORTING):
        frame = frame.f_back
    return frame is not None


def _tell(message: str) -> None:
    """Writes a last line, once, past Python's buffers: the signal may have come in the middle of a print."""
    if _is_told.is_set():
        return
    _is_told.set()
    if (progress := sys.modules.get("polyprobe.display.progress")) is not None:
        progress.end_lines()
    if os.environ.get("LOCAL_RANK", "0") == "0":  # of several processes one reports
        os.write(2, f"\n{message}\n".encode())
