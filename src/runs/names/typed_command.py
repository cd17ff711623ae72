"""The command line as it was typed: kept for the record of a run, in this process and in those that it starts."""

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from polyprobe.runs.names.conf_folders import CONF, PACKAGE

TYPED = "POLYPROBE_TYPED"
_CALLED: ContextVar[str | None] = ContextVar("called", default=None)  # in a block of `kept_as_typed`


def called_as(name: str) -> str:
    """Returns how a command was started: "polyprobe train" of the package, "python train.py" in a checkout."""
    started = getattr(sys.modules["__main__"], "__spec__", None)
    is_package = (started is not None and started.name.startswith("polyprobe.")) or CONF.is_relative_to(PACKAGE)
    return f"polyprobe {name}" if is_package else f"python {name}.py"


def keep_typed(script: str, arguments: Sequence[str]) -> None:
    """Keeps a command line, unless the process was started by one that keeps its own: a sweep, Lightning."""
    os.environ.setdefault(TYPED, f"{called_as(script)} {shlex.join(arguments)}".rstrip())


@contextmanager
def kept_as_typed(script: str, arguments: Sequence[str]) -> Iterator[None]:
    """Keeps the command line that does the same as a block of this thread."""
    first = " ".join(os.environ.get(TYPED, "").split(" ")[:2])  # of a process that started this one as a module
    started = first if first in (f"python {script}.py", f"polyprobe {script}") else called_as(script)
    before = _CALLED.set(f"{started} {shlex.join(arguments)}".rstrip())
    try:
        yield
    finally:
        _CALLED.reset(before)


def typed_command() -> str | None:
    """Returns the command line, quoted as for a shell, as UTF-8 under any locale; None where no script was started.

    Of a function of the library, the command line that does the same.
    """
    typed = _CALLED.get() or os.environ.get(TYPED)
    return None if typed is None else os.fsencode(typed).decode("utf-8", "backslashreplace")
