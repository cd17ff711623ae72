"""What work changes of its whole process, such as torch's threads, and how a call of the library sets it back.

A command ends with its process and sets nothing back.
"""

import random
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

_lock = threading.Lock()
_calls: list[object] = []  # of the library, in progress in any thread
_restored = ExitStack()
_noted: set[str] = set()


def changing(what: str, restore: Callable[[], object]) -> None:
    """Notes how something is set back when the last call of the library ends; of several notes of a thing the first.

    Args:
        what: that is about to be changed.
        restore: called once, if a call is in progress.
    """
    with _lock:
        if _calls and what not in _noted:
            _noted.add(what)
            _restored.callback(restore)


@contextmanager
def left_as_found() -> Iterator[None]:
    """Sets back what a block changes of the process: what `changing` notes, warnings, random states, denormals.

    Of blocks in several threads the last to end does; the mode of denormal numbers belongs to a thread.
    """
    call = object()
    flushes = (
        sys.float_info.min * 0.5 == 0.0
    )  # torch sets whether this thread rounds small numbers, and does not say it
    with _lock:
        if not _calls:
            _restored.enter_context(warnings.catch_warnings())
            _restored.callback(random.setstate, random.getstate())
            if (numpy := sys.modules.get("numpy")) is not None:
                _restored.callback(numpy.random.set_state, numpy.random.get_state())
        _calls.append(call)
    try:
        yield
    finally:
        if (torch := sys.modules.get("torch")) is not None:
            torch.set_flush_denormal(flushes)
        with _lock:
            _calls.remove(call)
            if not _calls:
                _noted.clear()
                _restored.close()
