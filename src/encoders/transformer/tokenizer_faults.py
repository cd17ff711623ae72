"""Faults inside of a foreign tokenizer, which the library answers by exceptions of any kind, or by a panic."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.encoders.transformer.files import NotATransformer
from src.encoders.transformer.size_checks import reason

_PANIC = "PanicException"  # of pyo3: no `Exception`, and of no module that could be imported
_STDERR = 2
_EXPECTED = "a tokenizer that makes pieces of every text, with the unknown piece that it names in its vocabulary"


@contextmanager
def tokenizing(folder: Path, expected: str = _EXPECTED, found: str = "its tokenizer fails") -> Iterator[None]:
    """Around what a tokenizer does with words: a fault of the tokenizer is told in one line.

    Raises:
        NotATransformer: the tokenizer fails or panics.
    """
    try:
        yield
    except BaseException as error:
        if not (isinstance(error, Exception) or type(error).__name__ == _PANIC) or isinstance(error, NotATransformer):
            raise
        raise NotATransformer(folder, f"{found} ({reason(error)})", expected) from error


@contextmanager
def without_stack_of_a_panic() -> Iterator[None]:
    """Keeps back what is written to the standard error, also past Python, and drops it if a `NotATransformer` comes.

    A panic writes its place and perhaps a stack of forty lines by itself.
    """
    sys.stderr.flush()
    kept = os.dup(_STDERR)
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), _STDERR)
        is_dropped = False
        try:
            yield
        except NotATransformer:
            is_dropped = True
            raise
        finally:
            sys.stderr.flush()
            os.dup2(kept, _STDERR)
            os.close(kept)
            if not is_dropped:
                said.seek(0)
                with os.fdopen(os.dup(_STDERR), "wb") as shown:
                    shutil.copyfileobj(said, shown)
