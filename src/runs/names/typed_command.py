"""The command line as it was typed: kept for the record of a run, in this process and in those that it starts."""

import os
import shlex
from collections.abc import Sequence

TYPED = "POLYPROBE_TYPED"


def keep_typed(script: str, arguments: Sequence[str]) -> None:
    """Keeps a command line, unless the process was started by one that keeps its own: a sweep, Lightning.

    Args:
        script: its name without ".py".
        arguments: as typed, before any is changed.
    """
    os.environ.setdefault(TYPED, shlex.join(["python", f"{script}.py", *arguments]))


def typed_command() -> str | None:
    """Returns the command line, quoted as for a shell, as UTF-8 under any locale; None where no script was started."""
    typed = os.environ.get(TYPED)
    return None if typed is None else os.fsencode(typed).decode("utf-8", "backslashreplace")
